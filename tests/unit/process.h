/*
 * process.h - what a process of its own prints and exits with, for tests of what ends a program.
 * Needs _POSIX_C_SOURCE 200809L before the first #include.
 */
#ifndef TESTS_PROCESS_H
#define TESTS_PROCESS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OUTPUT_SIZE = 8192 };

typedef struct outcome {
    int status; /* exit status; -1 if a signal ended it */
    char out[OUTPUT_SIZE], error[OUTPUT_SIZE];
} outcome;

static inline void read_pipe(int descriptor, char text[OUTPUT_SIZE])
{
    size_t used = 0;
    ssize_t got;
    while ((got = read(descriptor, text + used, OUTPUT_SIZE - 1 - used)) > 0)
        used += (size_t)got;
    text[used] = '\0';
    close(descriptor);
}

/* Runs action(context) in a child, which is killed after 20 seconds. */
static inline outcome in_process(void (*action)(const void *context), const void *context)
{
    static outcome result;
    int out[2], error[2], status;
    fflush(stdout);
    if (pipe(out) || pipe(error)) {
        perror("pipe");
        exit(1);
    }
    pid_t child = fork();
    if (child == 0) {
        alarm(20);
        dup2(out[1], STDOUT_FILENO);
        dup2(error[1], STDERR_FILENO);
        close(out[0]);
        close(error[0]);
        action(context);
        fflush(stdout);
        _exit(0);
    }
    close(out[1]);
    close(error[1]);
    read_pipe(out[0], result.out);
    read_pipe(error[0], result.error);
    waitpid(child, &status, 0);
    result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return result;
}

/* Exit status 2, nothing on stdout, and one line on stderr that has `complaint`. */
static inline int is_refusal(const outcome *got, const char *complaint)
{
    const char *end = strchr(got->error, '\n');
    return got->status == 2 && !got->out[0] && end && !end[1] && strstr(got->error, complaint);
}

#endif
