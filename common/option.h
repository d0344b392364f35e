/*
 * option.h - a long option of the command line, of the harness (options.c) or of a lab's own, and
 * settings of several for a run.
 */
#ifndef COMMON_OPTION_H
#define COMMON_OPTION_H

#include <stdbool.h>

typedef enum option_type {
    OPTION_FLAG,   /* bool; takes no value */
    OPTION_INT,    /* int */
    OPTION_UINT64, /* uint64_t */
    OPTION_DOUBLE, /* double */
    OPTION_TEXT,   /* const char * */
    OPTION_OUTPUT, /* the same, a file that the run writes and no other option names */
    OPTION_CHOICE  /* int, the index of one of `choices` */
} option_type;

typedef struct lab_option {
    const char *name; /* long option with its dashes, "--radius" */
    option_type type;
    void *value;                /* of the type's C type; it holds the default */
    double min, max;            /* legal range of numbers, both ends included */
    const char *help;           /* one line, without the default */
    const char *const *choices; /* the words of a choice, ends with NULL */
    const char *argument;       /* what --help calls its value; or NULL */
} lab_option;

/* Options on top of the command line's for one of the runs of a default sweep. */
typedef struct lab_settings {
    const char *options; /* "--type rgb24 --sizes 64,128"; NULL ends a list of settings */
    bool full;           /* with --full alone: a report of the lab does without */
} lab_settings;

#endif
