/* result.c - the reader of results: what it reads, written, is read as the same. */
#include "fuzz.h"
#include "file.h"
#include "result.h"

#include <string.h>

static void copy(const char *from, const char *to)
{
    result_table table = {NULL, 0, 0};
    result_table_read(&table, from);
    result_table_write(&table, to);
    result_table_free(&table);
}

void fuzz(const char *path)
{
    size_t first, second;
    copy(path, "first");
    copy("first", "second");
    uint8_t *one = file_read("first", &first), *other = file_read("second", &second);
    DEMAND(first == second && memcmp(one, other, first) == 0);
    free(one);
    free(other);
}
