/* facts.c - see facts.h. */
#include "facts.h"
#include "die.h"
#include "table.h"
#include "text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *copy_of(const char *text)
{
    size_t bytes = strlen(text) + 1;
    return memcpy(allocate(bytes), text, bytes);
}

void fact_said(facts *f, const char *name, const char *value, const char *source)
{
    if (!value || !value[0])
        return;
    f->list = grow(f->list, f->count, &f->capacity, sizeof *f->list);
    f->list[f->count++] = (fact){copy_of(name), copy_of(value), copy_of(source)};
}

/* `file:line;file:line`, malloc'ed; a row that stands there already is not named again. */
static char *source_of(const row *const *from, int n)
{
    size_t bytes = 8, used = 0;
    int shown = n < SOURCES_SHOWN ? n : SOURCES_SHOWN;
    for (int i = 0; i < shown; i++)
        bytes += from[i] ? strlen(text_of(from[i]->file)) + 16 : 0;
    char *source = allocate(bytes);
    source[0] = '\0';
    for (int i = 0; i < shown; i++) {
        bool named = !from[i];
        for (int j = 0; j < i && !named; j++)
            named = from[j] == from[i];
        if (!named)
            used += (size_t)snprintf(source + used, bytes - used, "%s%s:%d", used ? ";" : "",
                                     text_of(from[i]->file), from[i]->line);
    }
    if (shown < n)
        snprintf(source + used, bytes - used, ";...");
    return source;
}

void fact_text(facts *f, const char *prefix, const char *name, const char *value,
               const row *const *from, int n)
{
    char full[128];
    char *source = source_of(from, n);
    snprintf(full, sizeof full, "%s%s%s", prefix, prefix[0] ? "." : "", name);
    fact_said(f, full, value, source);
    free(source);
}

static void add_number(facts *f, const char *prefix, const char *name, double value, int digits,
                       const row *const *from, int n)
{
    char text[LABEL_SIZE];
    if (isfinite(value))
        fact_text(f, prefix, name, number_text(text, value, digits), from, n);
}

void fact_number(facts *f, const char *prefix, const char *name, double value,
                 const row *const *from, int n)
{
    add_number(f, prefix, name, value, 3, from, n);
}

void fact_gain(facts *f, const char *prefix, const char *name, double value, const row *const *from,
               int n)
{
    add_number(f, prefix, name, value, value < 9.95 ? 2 : 3, from, n);
}

void fact_flag(facts *f, const char *prefix, const char *name, bool set, const row *const *from,
               int n)
{
    fact_text(f, prefix, name, set ? "1" : "", from, n);
}

void fact_count(facts *f, const char *name, long value, const char *source)
{
    char text[LABEL_SIZE];
    snprintf(text, sizeof text, "%ld", value);
    fact_said(f, name, text, source);
}

void facts_write(const facts *f, const char *folder)
{
    table t;
    table_start(&t, folder, "facts", "name,value,source");
    for (int i = 0; i < f->count; i++) {
        table_text(&t, f->list[i].name);
        table_text(&t, f->list[i].value);
        table_text(&t, f->list[i].source);
        table_end_row(&t);
    }
    table_finish(&t);
}

void facts_free(facts *f)
{
    for (int i = 0; i < f->count; i++) {
        free(f->list[i].name);
        free(f->list[i].value);
        free(f->list[i].source);
    }
    free(f->list);
    memset(f, 0, sizeof *f);
}
