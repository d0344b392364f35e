#include "resources.h"
#include "csv.h"
#include "die.h"
#include "file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIELD = 512, MOST_COLUMNS = 64 };

enum column { LAB, SYMBOL, ARCHITECTURE, REGISTERS, SHARED, LOCAL, CONSTANT, N_COLUMNS };

static const char *const column_names[N_COLUMNS] = {
    "lab", "symbol", "architecture", "registers", "shared_bytes", "local_bytes", "constant_bytes"};

/* Which of our columns each of the file's is, or -1. Returns false if one of ours is missing. */
static bool read_heading(FILE *file, int columns[MOST_COLUMNS], int *count)
{
    char text[FIELD];
    csv_end end = CSV_FIELD;
    int found = 0;
    for (*count = 0; end == CSV_FIELD && *count < MOST_COLUMNS; (*count)++) {
        end = csv_read_field(file, text, sizeof text);
        columns[*count] = -1;
        for (int c = 0; c < N_COLUMNS; c++)
            if (strcmp(text, column_names[c]) == 0) {
                columns[*count] = c;
                found |= 1 << c;
            }
    }
    return end == CSV_RECORD && found == (1 << N_COLUMNS) - 1;
}

/* A whole number that is no less than 0; -1 if it is none. */
static int parse_count(const char *text)
{
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    return end == text || *end || errno || value < 0 || value > INT_MAX ? -1 : (int)value;
}

/* Returns false if the field cannot be what its column says. */
static bool set_field(kernel_entry *entry, enum column column, const char *text)
{
    kernel_figures *f = &entry->figures;
    int *const numbers[N_COLUMNS] = {[REGISTERS] = &f->registers,
                                     [SHARED] = &f->shared_bytes,
                                     [LOCAL] = &f->local_bytes,
                                     [CONSTANT] = &f->constant_bytes};
    if (numbers[column]) {
        *numbers[column] = parse_count(text);
        return *numbers[column] >= 0;
    }
    char *to = column == LAB ? entry->lab : column == SYMBOL ? entry->symbol : f->architecture;
    size_t bytes = column == LAB      ? sizeof entry->lab
                   : column == SYMBOL ? sizeof entry->symbol
                                      : sizeof f->architecture;
    int length = snprintf(to, bytes, "%s", text);
    return length > 0 && (size_t)length < bytes;
}

/* Reads one record; CSV_RECORD if it is good, CSV_FILE at the end of the file. */
static csv_end read_record(FILE *file, const int *columns, int count, kernel_entry *entry)
{
    char text[FIELD];
    memset(entry, 0, sizeof *entry);
    for (int i = 0; i < count; i++) {
        csv_end end = csv_read_field(file, text, sizeof text);
        if (i == 0 && end == CSV_FILE)
            return CSV_FILE;
        bool good = columns[i] < 0 || set_field(entry, (enum column)columns[i], text);
        if (!good || end != (i + 1 < count ? CSV_FIELD : CSV_RECORD))
            return CSV_BROKEN;
    }
    return CSV_RECORD;
}

int resources_read(resource_list *list, const char *path, char *error)
{
    int columns[MOST_COLUMNS], count, status = 0;
    *list = (resource_list){NULL, 0, 0};
    FILE *file = fopen(path, "r");
    if (!file)
        return file_error(error, path, "%s", strerror(errno));
    if (!read_heading(file, columns, &count))
        status = file_error(error, path, "its heading is not that of `make resources`");
    while (status == 0) {
        kernel_entry entry;
        csv_end end = read_record(file, columns, count, &entry);
        if (end == CSV_FILE)
            break;
        if (end != CSV_RECORD) {
            status = file_error(error, path, "record %d is broken", list->count + 2);
            break;
        }
        list->items = grow(list->items, list->count, &list->capacity, sizeof *list->items);
        list->items[list->count++] = entry;
    }
    fclose(file);
    if (status)
        resources_free(list);
    return status;
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
