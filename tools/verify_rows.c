/*
 * verify_rows.c - which rows are not as a program with the teacher's key wrote them?
 *
 *   SEAL_KEY=... verify_rows ROWS.csv SOURCE [ROWS.csv SOURCE]...
 *
 * SOURCE is the sum of the sources that a file's rows must be of, or empty. A row that two files
 * have was copied. Exit status: 0; 1 where a row is not as it was written, or a file has none; 2
 * without files or a key.
 */
#include "process/die.h"
#include "rows/seal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static bool is_sealed_alike(const result_table *table, const result *row)
{
    for (int i = 0; i < table->count; i++)
        if (strcmp(table->rows[i].seal, row->seal) == 0)
            return true;
    return false;
}

/* What is wrong with a row, or NULL; `earlier` are the files before its own. */
static const char *fault_of(const result *row, const char *key, const char *source,
                            const result_table *earlier, int count)
{
    if (!row->seal[0])
        return "has no seal";
    if (!seal_is_sound(row, key))
        return "is not as it was written";
    if (strncmp(row->seal, source, strlen(source)) != 0)
        return "is of other sources than those beside it";
    for (int i = 0; i < count; i++)
        if (is_sealed_alike(&earlier[i], row))
            return "is in an earlier file, too";
    return NULL;
}

/* Who cannot read the file says so and ends; that is a child's end, and other files have their
 * turn. */
static bool can_be_read(const char *path)
{
    int status = -1;
    fflush(stdout);
    if (fork() == 0) {
        result_table table = {0};
        result_table_read(&table, path);
        _exit(0);
    }
    return wait(&status) > 0 && status == 0;
}

int main(int argc, char **argv)
{
    const char *key = getenv("SEAL_KEY");
    int count = (argc - 1) / 2, rows = 0, faults = 0;
    bool unread = false;
    if (!key || !*key || count == 0)
        die_bad_input("verify-rows ROWS=\"ada/rows.csv ben/rows.csv\" with KEY= or KEYFILE=");
    result_table *files = allocate((size_t)count * sizeof *files);
    for (int f = 0; f < count; f++) {
        const char *path = argv[1 + 2 * f], *source = argv[2 + 2 * f];
        files[f] = (result_table){0};
        if (!can_be_read(path)) {
            unread = true;
            continue;
        }
        int doubled = result_table_read(&files[f], path);
        if (doubled) /* which no program writes */
            printf("%s: %d of a case that has a later row\n", path, doubled);
        faults += doubled;
        rows += doubled + files[f].count;
        for (int i = 0; i < files[f].count; i++) {
            const result *row = &files[f].rows[i];
            char size[EXTENT_TEXT];
            const char *fault = fault_of(row, key, source, files, f);
            faults += fault != NULL;
            if (fault)
                printf("%s: row %d: %s %s %s\n", path, i + 1, row->variant,
                       extent_text(result_extent(row), size), fault);
        }
    }
    printf("%d rows, %d as they were written\n", rows, rows - faults);
    for (int f = 0; f < count; f++)
        result_table_free(&files[f]);
    free(files);
    return faults > 0 || unread;
}
