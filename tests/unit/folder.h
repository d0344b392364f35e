/*
 * folder.h - an empty folder of the test's own as the current one, and files in it.
 * Needs _XOPEN_SOURCE 700 before the first #include.
 */
#ifndef TESTS_FOLDER_H
#define TESTS_FOLDER_H

#include "tap.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char test_folder[] = "/tmp/test.XXXXXX";

static inline void enter_folder(void)
{
    if (!mkdtemp(test_folder) || chdir(test_folder)) {
        printf("Bail out! cannot make %s\n", test_folder);
        exit(1);
    }
}

/* Whatever the test made it has removed by now. */
static inline void leave_folder(void)
{
    ok(chdir("/") == 0 && rmdir(test_folder) == 0, "no file is left behind");
}

/* Entries of a folder, hidden ones included; -1 where it is none. */
static inline int entries_of(const char *path)
{
    int count = 0;
    DIR *folder = opendir(path);
    if (!folder)
        return -1;
    for (const struct dirent *entry; (entry = readdir(folder));)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(folder);
    return count;
}

static inline void put_bytes(const char *name, const void *bytes, size_t size)
{
    FILE *file = fopen(name, "wb");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file)) {
        printf("Bail out! cannot write %s\n", name);
        exit(1);
    }
}

static inline void put_file(const char *name, const char *text)
{
    put_bytes(name, text, strlen(text));
}

/* The file as a text, empty where there is none; good until the next call. */
static inline const char *get_file(const char *name)
{
    static char text[512 * 1024];
    FILE *file = fopen(name, "rb");
    text[file ? fread(text, 1, sizeof text - 1, file) : 0] = '\0';
    if (file)
        fclose(file);
    return text;
}

/* Processes at once, each with its number; returns when all have ended. */
static inline void at_once(int processes, void (*action)(int number))
{
    fflush(stdout);
    for (int p = 0; p < processes; p++)
        if (fork() == 0) {
            action(p);
            _exit(0);
        }
    while (wait(NULL) > 0)
        ;
}

#endif
