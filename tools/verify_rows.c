/*
 * verify_rows.c - for course/verify.sh: which rows are not as they were written.
 *
 *   SEAL_KEY=... verify_rows ROWS.csv SOURCE [ROWS.csv SOURCE]...
 *
 * SOURCE is the sum of the sources that the rows must be of, or empty. Exit status: 0; 1 where a
 * row is not as it was written; 2 for a file of no rows.
 */
#include "process/die.h"
#include "rows/seal.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct file {
    const char *path, *source;
    result_table rows;
} file;

/* An earlier file that has the same row, or NULL. */
static const char *is_also_in(const file *files, const file *f, const result *row)
{
    for (; files < f; files++)
        for (int i = 0; i < files->rows.count; i++)
            if (strcmp(files->rows.rows[i].seal, row->seal) == 0)
                return files->path;
    return NULL;
}

/* What is wrong with a row, or NULL. */
static const char *fault_of(const file *files, const file *f, const result *row, const char *key)
{
    static char text[512];
    const char *other = is_also_in(files, f, row);
    if (!row->seal[0])
        return "has no seal";
    if (!seal_is_sound(row, key))
        return "is not as it was written";
    if (f->source[0] && strncmp(row->seal, f->source, strlen(f->source)) != 0)
        return "is of other sources than those beside it";
    if (other)
        snprintf(text, sizeof text, "is also in %s", other);
    return other ? text : NULL;
}

static int faults_in(const file *files, const file *f, const char *key)
{
    int faults = 0;
    for (int i = 0; i < f->rows.count; i++) {
        const result *row = &f->rows.rows[i];
        const char *fault = fault_of(files, f, row, key);
        char size[EXTENT_TEXT];
        if (fault)
            printf("%s: row %d: %s %s %s\n", f->path, i + 1, row->variant,
                   extent_text(result_extent(row), size), fault);
        faults += fault != NULL;
    }
    return faults;
}

int main(int argc, char **argv)
{
    const char *key = getenv("SEAL_KEY");
    int count = (argc - 1) / 2, rows = 0, faults = 0;
    file *files = allocate((size_t)count * sizeof *files + 1);
    for (file *f = files; f < files + count; f++) {
        *f = (file){argv[1 + 2 * (f - files)], argv[2 + 2 * (f - files)], {0}};
        int doubled = result_table_read(&f->rows, f->path);
        if (doubled) /* no program writes that */
            printf("%s: %d of a case that has a later row\n", f->path, doubled);
        faults += doubled + faults_in(files, f, key ? key : "");
        rows += doubled + f->rows.count;
    }
    printf("%d rows, %d as they were written\n", rows, rows - faults);
    for (file *f = files; f < files + count; f++)
        result_table_free(&f->rows);
    free(files);
    return faults > 0;
}
