/* run_record.c - run.json, which keeps the other labs' lines of whatever file is there. */
#include "fuzz.h"
#include "file.h"
#include "run_record.h"

#include <string.h>

void fuzz(const char *path)
{
    static char *argv[] = {"fuzz"};
    static device emulated = {.emulated = true};
    const run_record record = {
        .lab = "lab1_x", .machine = "m", .date = "d", .device = &emulated, .argc = 1, .argv = argv};
    size_t first, second;
    rename(path, "run.json");
    run_record_write(&record, "x.csv");
    uint8_t *one = file_read("run.json", &first);
    run_record_write(&record, "x.csv");
    uint8_t *other = file_read("run.json", &second);
    DEMAND(first == second && memcmp(one, other, first) == 0);
    DEMAND(memcmp(one, "{\n", 2) == 0 && memcmp(one + first - 4, "}\n}\n", 4) == 0);
    free(one);
    free(other);
}
