/* run_json.c - see run_json.h. */
#include "run_json.h"
#include "die.h"
#include "file.h"
#include "text.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a line of JSON; all move *at and return NULL or false where it is none ------------------ */

static void skip_blanks(char **at)
{
    *at += strspn(*at, " \t\r");
}

static bool take(char **at, char c)
{
    skip_blanks(at);
    if (**at != c)
        return false;
    ++*at;
    return true;
}

/* \uXXXX as UTF-8; halves of a pair become '?'. */
static char *put_code(char *to, const char *digits)
{
    char hex[5] = "";
    memcpy(hex, digits, 4);
    unsigned code = (unsigned)strtoul(hex, NULL, 16);
    if (code < 0x80) {
        *to++ = (char)(code ? code : '?');
    } else if (code < 0x800) {
        *to++ = (char)(0xC0 | code >> 6);
        *to++ = (char)(0x80 | (code & 0x3F));
    } else if (code >= 0xD800 && code < 0xE000) {
        *to++ = '?';
    } else {
        *to++ = (char)(0xE0 | code >> 12);
        *to++ = (char)(0x80 | (code >> 6 & 0x3F));
        *to++ = (char)(0x80 | (code & 0x3F));
    }
    return to;
}

/* A string, unescaped in place. */
static char *take_string(char **at)
{
    if (!take(at, '"'))
        return NULL;
    char *from = *at, *to = *at, *text = *at;
    while (*from && *from != '"') {
        if (*from != '\\') {
            *to++ = *from++;
            continue;
        }
        from++;
        if (*from == 'u' && strspn(from + 1, "0123456789abcdefABCDEF") >= 4) {
            to = put_code(to, from + 1);
            from += 5;
        } else if (*from) {
            const char *found = strchr("nrtbf", *from);
            *to++ = found ? ' ' : *from;
            from++;
        }
    }
    if (*from != '"')
        return NULL;
    *at = from + 1;
    *to = '\0';
    return text;
}

/* Passes over a list or an object, with what is in it. */
static bool skip_nested(char **at)
{
    int depth = 0;
    do {
        skip_blanks(at);
        if (**at == '"') {
            if (!take_string(at))
                return false;
            continue;
        }
        depth += (**at == '[' || **at == '{') - (**at == ']' || **at == '}');
        if (!*(*at)++)
            return false;
    } while (depth > 0);
    return true;
}

/* A value as text; "" for null, lists and objects. */
static const char *take_value(char **at, char *end_mark)
{
    skip_blanks(at);
    if (**at == '"')
        return take_string(at);
    if (**at == '[' || **at == '{')
        return skip_nested(at) ? "" : NULL;
    char *text = *at;
    *at += strcspn(*at, ",} \t");
    *end_mark = **at;
    if (*at == text || !*end_mark)
        return NULL;
    **at = '\0'; /* the caller sets the mark back */
    return strcmp(text, "null") == 0 ? "" : text;
}

static void add(run_json *run, const char *lab, const char *key, const char *value, int line)
{
    run->values = grow(run->values, run->count, &run->capacity, sizeof *run->values);
    run->values[run->count++] =
        (run_value){run->records, text_id(lab), text_id(key), text_id(value), line};
}

/* `"lab2_matprod": {"key": value, ...}` */
static bool read_line(run_json *run, char *at, int line)
{
    char *lab = take_string(&at);
    if (!lab || !take(&at, ':') || !take(&at, '{'))
        return false;
    if (take(&at, '}'))
        return true;
    for (;;) {
        char mark = '\0';
        char *key = take_string(&at);
        if (!key || !take(&at, ':'))
            return false;
        const char *value = take_value(&at, &mark);
        if (!value)
            return false;
        if (value[0])
            add(run, lab, key, value, line);
        if (mark)
            *at = mark;
        if (take(&at, '}'))
            return true;
        if (!take(&at, ','))
            return false;
    }
}

/* ---- the file -------------------------------------------------------------------------------- */

static void find_newest(run_json *run)
{
    const char *latest = "";
    int date = text_id("date");
    run->newest = run->records ? run->records - 1 : -1;
    for (int i = 0; i < run->count; i++)
        if (run->values[i].key == date && strcmp(text_of(run->values[i].value), latest) >= 0) {
            latest = text_of(run->values[i].value);
            run->newest = run->values[i].record;
        }
}

int run_json_read(run_json *run, const char *path, const char *label, char *error)
{
    uint8_t *bytes;
    size_t size;
    error[0] = '\0';
    memset(run, 0, sizeof *run);
    run->newest = -1;
    run->label = text_id(label);
    if (file_read(path, &bytes, &size, error) != 0)
        return -1;
    char *text = allocate(size + 1), *line = text;
    memcpy(text, bytes, size);
    text[size] = '\0';
    free(bytes);
    for (int number = 1; line; number++) {
        char *end = strchr(line, '\n');
        if (end)
            *end = '\0';
        int before = run->count;
        const char *first = line + strspn(line, " \t\r,");
        if (*first && !strchr("{}", *first)) {
            if (!read_line(run, line, number)) {
                run->count = before;
                if (!error[0])
                    snprintf(error, FILE_ERROR_SIZE, "line %d: not a lab's record", number);
            } else
                run->records++;
        }
        line = end ? end + 1 : NULL;
    }
    free(text);
    find_newest(run);
    if (run->records == 0 && !error[0])
        snprintf(error, FILE_ERROR_SIZE, "it holds no lab's record");
    return error[0] ? -1 : 0;
}

const run_value *run_json_value(const run_json *run, const char *key)
{
    int id = text_id(key);
    for (int i = 0; i < run->count; i++)
        if (run->values[i].key == id && run->values[i].record == run->newest)
            return &run->values[i];
    return NULL;
}

const char *run_json_text(const run_json *run, const char *key)
{
    const run_value *value = run_json_value(run, key);
    return value ? text_of(value->value) : "";
}

void run_json_free(run_json *run)
{
    free(run->values);
    memset(run, 0, sizeof *run);
}
