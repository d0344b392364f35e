/*
 * heap.c - linked into each unit test and each lab's check, between it and the heap (ld's --wrap):
 * what common/, the lab and the test itself allocate is freed by the end, which tap.h's
 * done_testing() and lab_checks.c look at.
 */
#define _POSIX_C_SOURCE 200809L /* getline */

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 1 << 16 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static const void *live[MOST];
static int count;

int tap_unfreed(void)
{
    return count;
}

static void *added(void *memory)
{
    pthread_mutex_lock(&mutex);
    if (memory && count < MOST)
        live[count++] = memory;
    pthread_mutex_unlock(&mutex);
    return memory;
}

/* What a library allocated by itself is not there. */
static void removed(const void *memory)
{
    pthread_mutex_lock(&mutex);
    for (int i = count - 1; memory && i >= 0; i--)
        if (live[i] == memory) {
            live[i] = live[--count];
            break;
        }
    pthread_mutex_unlock(&mutex);
}

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t items, size_t bytes);
void *__real_realloc(void *memory, size_t bytes);
int __real_posix_memalign(void **memory, size_t alignment, size_t bytes);
ssize_t __real_getline(char **line, size_t *room, FILE *file);
void __real_free(void *memory);

void *__wrap_malloc(size_t bytes)
{
    return added(__real_malloc(bytes));
}

void *__wrap_calloc(size_t items, size_t bytes)
{
    return added(__real_calloc(items, bytes));
}

void *__wrap_realloc(void *memory, size_t bytes)
{
    removed(memory);
    return added(__real_realloc(memory, bytes));
}

int __wrap_posix_memalign(void **memory, size_t alignment, size_t bytes)
{
    int error = __real_posix_memalign(memory, alignment, bytes);
    if (!error)
        added(*memory);
    return error;
}

ssize_t __wrap_getline(char **line, size_t *room, FILE *file)
{
    removed(*line);
    ssize_t length = __real_getline(line, room, file);
    added(*line);
    return length;
}

void __wrap_free(void *memory)
{
    removed(memory);
    __real_free(memory);
}
