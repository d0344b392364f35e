/*
 * facts.h - single numbers and words for the report's text, each with the rows that it comes from.
 *
 * A fact that cannot be told is left out: a NaN or an empty text adds nothing.
 */
#ifndef REPORT_FACTS_H
#define REPORT_FACTS_H

#include "rows.h"

typedef struct fact {
    char *name, *value, *source;
} fact;

typedef struct facts {
    fact *list;
    int count, capacity;
} facts;

/* The rows that a fact comes from; NULLs among them are passed over. */
#define FROM(...)                                                                                  \
    (const row *const[]){__VA_ARGS__}, (int)(sizeof(const row *[]){__VA_ARGS__} / sizeof(row *))

/* A fact of more rows than these names the first of them and `...`. */
enum { SOURCES_SHOWN = 200 };

/* The name is `prefix.name`, or `name` where prefix is "". */
void fact_text(facts *f, const char *prefix, const char *name, const char *value,
               const row *const *from, int n);
/* To three significant digits. */
void fact_number(facts *f, const char *prefix, const char *name, double value,
                 const row *const *from, int n);
/* A ratio: two significant digits below 10, else three. */
void fact_gain(facts *f, const char *prefix, const char *name, double value, const row *const *from,
               int n);
/* `1` if it is set. */
void fact_flag(facts *f, const char *prefix, const char *name, bool set, const row *const *from,
               int n);
/* With a source that is given as text. */
void fact_said(facts *f, const char *name, const char *value, const char *source);
void fact_count(facts *f, const char *name, long value, const char *source);

/* Writes FOLDER/facts.csv: name,value,source. Ends the program (exit 2) if it cannot. */
void facts_write(const facts *f, const char *folder);

void facts_free(facts *f);

#endif
