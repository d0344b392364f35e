/* records.c - see records.h. */
#include "records.h"
#include "die.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool broken(records *file, const char *what)
{
    snprintf(file->error, sizeof file->error, "line %ld: %s", file->line, what);
    return false;
}

static void add_field(records *file, char *text)
{
    file->fields = grow(file->fields, file->n_fields, &file->capacity, sizeof *file->fields);
    file->fields[file->n_fields++] = text;
}

/* Is the present place a line's end, or the file's? */
static bool at_line_end(const records *file)
{
    const char *at = file->at;
    if (at < file->end && *at == '\r')
        at++;
    return at == file->end || *at == '\n';
}

/* Reads a field whose opening quote was just passed; ends after the closing one. */
static bool quoted_field(records *file)
{
    char *to = file->at;
    add_field(file, to);
    for (; file->at < file->end; file->at++) {
        if (*file->at == '"' && *++file->at != '"') {
            bool ends = at_line_end(file) || *file->at == ',';
            /* the closing quote's place is free for the terminator */
            *to = '\0';
            return ends || broken(file, "text after a closing quote");
        }
        file->next_line += *file->at == '\n';
        *to++ = *file->at;
    }
    return broken(file, "a quote is never closed");
}

static bool plain_field(records *file)
{
    add_field(file, file->at);
    while (*file->at != ',' && !at_line_end(file)) {
        if (*file->at == '"')
            return broken(file, "a quote inside an unquoted field");
        file->at++;
    }
    return true;
}

/* Reads one record of any number of fields. text[size] is a terminator of the file's own. */
static bool read_record(records *file)
{
    file->n_fields = 0;
    file->line = file->next_line;
    for (;;) {
        bool quoted = *file->at == '"' && file->at < file->end;
        file->at += quoted;
        if (!(quoted ? quoted_field(file) : plain_field(file)))
            return false;
        bool more = file->at < file->end && *file->at == ',';
        char *field_end = file->at;
        if (!more && file->at < file->end && *file->at == '\r')
            file->at++;
        if (file->at < file->end)
            file->at++;
        if (!quoted)
            *field_end = '\0';
        if (!more)
            break;
    }
    file->next_line++;
    return true;
}

static void skip_empty_lines(records *file)
{
    while (file->at < file->end && at_line_end(file)) {
        file->at += *file->at == '\r';
        file->at += file->at < file->end;
        file->next_line++;
    }
}

int records_open(records *file, const char *path)
{
    size_t size = 0;
    uint8_t *bytes = NULL;
    memset(file, 0, sizeof *file);
    if (file_read(path, &bytes, &size, file->error) != 0)
        return -1;
    file->text = realloc(bytes, size + 1);
    if (!file->text) {
        free(bytes);
        return file_error(file->error, path, "out of memory");
    }
    file->text[size] = '\0';
    file->at = file->text;
    file->end = file->text + size;
    file->next_line = file->line = 1;
    if (memchr(file->text, '\0', size)) {
        /* what comes before the byte is still good */
        file->end = file->text + strlen(file->text);
        while (file->end > file->text && file->end[-1] != '\n')
            file->end--;
        file->text[file->end - file->text] = '\0';
        snprintf(file->error, sizeof file->error, "a byte 0: not a text file");
    }
    if (size >= 3 && memcmp(file->text, "\357\273\277", 3) == 0)
        file->at += 3;
    skip_empty_lines(file);
    if (file->at >= file->end) {
        if (!file->error[0])
            snprintf(file->error, sizeof file->error, "the file is empty");
        return -1;
    }
    if (!read_record(file))
        return -1;
    file->header = file->fields;
    file->n_columns = file->n_fields;
    file->fields = NULL;
    file->capacity = 0;
    file->n_fields = 0;
    return 0;
}

int records_column(const records *file, const char *name)
{
    for (int i = 0; i < file->n_columns; i++)
        if (strcmp(file->header[i], name) == 0)
            return i;
    return -1;
}

bool records_next(records *file)
{
    char what[96];
    skip_empty_lines(file);
    if (file->at >= file->end || !read_record(file))
        return false;
    if (file->n_fields == file->n_columns)
        return true;
    snprintf(what, sizeof what, "%d fields, the header has %d", file->n_fields, file->n_columns);
    return broken(file, what);
}

void records_close(records *file)
{
    free(file->header);
    free(file->fields);
    free(file->text);
    file->header = file->fields = NULL;
    file->text = NULL;
}
