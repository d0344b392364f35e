/*
 * fuzz.c - libFuzzer's side of the targets. An input is a file in the current folder. Where a
 * reader ends the program, exit() comes back here, and what was allocated since the input began is
 * freed, as the end of a program does. A reader that returns must have had all freed that it took:
 * what is left is a leak. Memory from allocate() holds another byte in each call, so that what was
 * never set differs between two readings.
 */
#include "fuzz.h"
#include "die.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <sanitizer/allocator_interface.h>

enum { MOST = 4096 };

static jmp_buf refused;
static volatile bool reading;
static const volatile void *live[MOST]; /* blocks of memory that the input has taken */
static volatile int count;

static void note_malloc(const volatile void *block, size_t bytes)
{
    (void)bytes;
    if (reading && count < MOST)
        live[count++] = block;
}

static void note_free(const volatile void *block)
{
    for (int i = count - 1; reading && i >= 0; i--)
        if (live[i] == block) {
            live[i] = live[--count];
            return;
        }
}

/* The linker puts these in the places of exit() and allocate(): --wrap. */
_Noreturn void __real_exit(int status);
_Noreturn void __wrap_exit(int status)
{
    if (!reading)
        __real_exit(status);
    reading = false;
    DEMAND(status == EXIT_BAD_INPUT);
    longjmp(refused, 1);
}

void *__real_allocate(size_t bytes);
void *__wrap_allocate(size_t bytes)
{
    static unsigned char filling;
    return memset(__real_allocate(bytes), ++filling, bytes);
}

static void put_input(const uint8_t *bytes, size_t size)
{
    FILE *file = fopen("input", "wb");
    DEMAND(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
}

/* Returns whether it was read to the end. */
static bool read_input(const uint8_t *bytes, size_t size)
{
    put_input(bytes, size);
    count = 0;
    if (setjmp(refused))
        return false;
    reading = true;
    fuzz("input");
    reading = false;
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static int inputs;
    bool accepted = read_input(bytes, size);
    /* What the first input leaves, or one that another reading does not leave again, is no leak. */
    if (accepted && count > 0)
        DEMAND(read_input(bytes, size) && count == 0);
    while (count > 0 && inputs > 0)
        free((void *)live[--count]);
    inputs++;
    return 0;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    static char out[BUFSIZ];
    (void)argc, (void)argv;
    setvbuf(stdout, out, _IOFBF, sizeof out);
    return !__sanitizer_install_malloc_and_free_hooks(note_malloc, note_free);
}
