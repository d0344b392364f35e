/*
 * run_json.h - what run.json tells of a machine (written by common/machine.c): a line for each lab.
 */
#ifndef REPORT_RUN_JSON_H
#define REPORT_RUN_JSON_H

/* One key of one lab. */
typedef struct run_value {
    int record;          /* lines counted from 0: values of one line share it */
    int lab, key, value; /* numbers of text.h; a string without its quotes, a number as written */
    int line;
} run_value;

typedef struct run_json {
    run_value *values;
    int count, capacity, records;
    int newest; /* the record with the latest date; -1: none */
    int label;  /* the file as sources name it */
} run_json;

/*
 * Reads a file line by line. Returns 0; or -1 with one line in error[FILE_ERROR_SIZE] where a line
 * that should hold a lab does not: the others are kept. null, lists and objects inside are passed
 * over.
 */
int run_json_read(run_json *run, const char *path, const char *label, char *error);

/* A value of the newest record; NULL if there is none. */
const run_value *run_json_value(const run_json *run, const char *key);

/* The same as text; "" if there is none. */
const char *run_json_text(const run_json *run, const char *key);

void run_json_free(run_json *run);

#endif
