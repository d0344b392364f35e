/*
 * heap.c - linked into each unit test, between it and the heap (ld's --wrap): what common/ and the
 * test itself allocate is freed by the end, which tap.h's done_testing() looks at.
 */
#include <pthread.h>
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

void __wrap_free(void *memory)
{
    removed(memory);
    __real_free(memory);
}
