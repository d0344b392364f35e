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

/* What the child wrote. */
static inline void read_back(FILE *file, char text[OUTPUT_SIZE])
{
    rewind(file);
    text[fread(text, 1, OUTPUT_SIZE - 1, file)] = '\0';
    fclose(file);
}

/* Runs action(context) in a child, which is killed after 20 seconds. */
static inline outcome in_process(void (*action)(const void *context), const void *context)
{
    static outcome result;
    int status;
    FILE *out = tmpfile(), *error = tmpfile();
    fflush(stdout);
    if (!out || !error) {
        perror("tmpfile");
        exit(1);
    }
    pid_t child = fork();
    if (child == 0) {
        alarm(20);
        dup2(fileno(out), STDOUT_FILENO);
        dup2(fileno(error), STDERR_FILENO);
        action(context);
        fflush(stdout);
        _exit(0);
    }
    waitpid(child, &status, 0);
    read_back(out, result.out);
    read_back(error, result.error);
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
