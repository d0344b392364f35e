#include "resources.h"
#include "allocate.h"
#include "csv.h"
#include "file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum column { LAB, SYMBOL, ARCHITECTURE, REGISTERS, SHARED, LOCAL, CONSTANT, N_COLUMNS };

static const char *const column_names[N_COLUMNS] = {
    "lab", "symbol", "architecture", "registers", "shared_bytes", "local_bytes", "constant_bytes"};

static int find_column(const char *name)
{
    int c = N_COLUMNS - 1;
    while (c >= 0 && strcmp(name, column_names[c]) != 0)
        c--;
    return c;
}

/* False if one of our columns is missing. */
static bool read_heading(FILE *file, csv_heading *heading)
{
    bool good = csv_read_heading(file, heading, find_column);
    for (int c = 0; c < N_COLUMNS; c++)
        good = good && csv_has_column(heading, c);
    return good;
}

/* Returns false if the field cannot be what its column says. */
static bool set_field(void *record, int column, const char *text)
{
    kernel_entry *entry = record;
    kernel_figures *f = &entry->figures;
    int *const numbers[N_COLUMNS] = {[REGISTERS] = &f->registers,
                                     [SHARED] = &f->shared_bytes,
                                     [LOCAL] = &f->local_bytes,
                                     [CONSTANT] = &f->constant_bytes};
    if (numbers[column]) {
        *numbers[column] = csv_count(text);
        return *numbers[column] >= 0;
    }
    char *to = column == LAB ? entry->lab : column == SYMBOL ? entry->symbol : f->architecture;
    size_t bytes = column == LAB      ? sizeof entry->lab
                   : column == SYMBOL ? sizeof entry->symbol
                                      : sizeof f->architecture;
    int length = snprintf(to, bytes, "%s", text);
    return length > 0 && (size_t)length < bytes;
}

int resources_read(resource_list *list, const char *path, FILE_ERROR(error))
{
    csv_heading heading;
    kernel_entry entry = {0};
    *list = (resource_list){NULL, 0, 0};
    FILE *file = fopen(path, "r");
    if (!file)
        return file_error(error, path, "%s", strerror(errno));
    bool headed = read_heading(file, &heading);
    csv_end end = headed ? CSV_RECORD : CSV_BROKEN;
    while (headed && (end = csv_read_record(file, &heading, set_field, &entry)) == CSV_RECORD) {
        list->items = grow(list->items, list->count, &list->capacity, sizeof *list->items);
        list->items[list->count++] = entry;
    }
    fclose(file);
    if (end == CSV_FILE)
        return 0;
    int record = list->count + 2;
    resources_free(list);
    if (!headed)
        return file_error(error, path, "its heading is not that of `make resources`");
    return file_error(error, path, "record %d is broken", record);
}

void resources_free(resource_list *list)
{
    free(list->items);
    *list = (resource_list){NULL, 0, 0};
}

const kernel_figures *resources_find(const resource_list *list, const char *lab, const char *symbol)
{
    for (int i = 0; i < list->count; i++)
        if (strcmp(list->items[i].lab, lab) == 0 && strcmp(list->items[i].symbol, symbol) == 0)
            return &list->items[i].figures;
    return NULL;
}
