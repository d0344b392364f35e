/*
 * tap.h - the few lines a C test needs to speak the Test Anything Protocol, for prove.
 * Usage: ok(condition, "what holds"); is(got, expected, "a text"); ...; return done_testing();
 */
#ifndef TESTS_TAP_H
#define TESTS_TAP_H

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static int tap_count, tap_failed, tap_files;

/* How many of the first file descriptors are open. */
static inline int tap_open_files(void)
{
    int count = 0;
    for (int file = 0; file < 256; file++)
        count += fcntl(file, F_GETFD) >= 0;
    return count;
}

/* heap.c's, where that is linked. */
__attribute__((weak)) int tap_unfreed(void);

__attribute__((constructor)) static void tap_start(void)
{
    tap_files = tap_open_files();
}

/* One test: prints `ok N - name` or `not ok N - name`. Returns the condition. */
#define ok(condition, ...) tap_ok((condition) != 0, __FILE__, __LINE__, #condition, __VA_ARGS__)

static inline int tap_ok(int passed, const char *file, int line, const char *text,
                         const char *format, ...)
{
    va_list arguments;
    tap_count++;
    printf("%s %d - ", passed ? "ok" : "not ok", tap_count);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf("\n");
    if (!passed) {
        tap_failed++;
        printf("#   at %s:%d: %s\n", file, line, text);
    }
    return passed;
}

/* One test: the two texts are equal. */
static inline void is(const char *got, const char *expected, const char *format, ...)
{
    char name[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    if (!ok(strcmp(got, expected) == 0, "%s", name))
        printf("#   got      %s\n#   expected %s\n", got, expected);
}

/* The plan, last; the program's exit status. With heap.c what was opened or allocated is given back
 * by then. */
static inline int done_testing(void)
{
    if (tap_unfreed && tap_open_files() > tap_files)
        ok(0, "all files are closed");
    if (tap_unfreed && tap_unfreed() > 0)
        ok(0, "all memory is freed: %d pieces are not", tap_unfreed());
    printf("1..%d\n", tap_count);
    return tap_failed ? 1 : 0;
}

#endif
