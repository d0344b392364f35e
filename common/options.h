/*
 * options.h - the command line, the same in every lab.
 *
 * Numbers are parsed strictly: the whole word must be a number in the legal range. Whatever is
 * wrong ends the program with one line that says so and says what is legal (exit 2).
 */
#ifndef COMMON_OPTIONS_H
#define COMMON_OPTIONS_H

#include "lab.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct size2 {
    int width, height;
} size2;

typedef struct size_list {
    size2 *items;
    int count;
} size_list;

typedef struct block_list {
    dim3 *items;
    int count;
} block_list;

typedef struct options {
    bool *chosen;           /* n_variants flags: which variants run */
    const char *sizes_text; /* what --sizes said, or NULL */
    size_list sizes, sizes_large;
    block_list blocks;
    bool sizes_given; /* by the user: no default limit applies */
    bool lab_options_given;
    int trials;  /* the least number of timed samples; 0 while it is not known */
    bool single; /* one size and one block, with the lab's present() */
    bool check_only, hot, resume, print_machine, list, help;
    double time_cap; /* seconds of sampling per row */
    int device;
    uint64_t seed;
    const char *csv;     /* path or NULL */
    const char *machine; /* name for the rows, or NULL: the machine's own */
} options;

/*
 * Reads argv into the options and into the lab's own option variables. Exits on bad input.
 * `max_threads` and `max_block` are the device's limits for a block.
 */
options options_parse(const lab *definition, int argc, char **argv);

/*
 * Sets the lab's own options from one of its configurations, "--type rgb24 --radius 2", and brings
 * the sizes up to date with them.
 */
void options_configure(options *o, const lab *definition, const char *configuration);

/* Exits with one line if a block is over the device's limits, which options_parse cannot know. */
void options_check_blocks(const options *o, int max_threads, const int max_dimension[3]);

/* --help and --list, on stdout. */
void options_print_help(const lab *definition);
void options_print_variants(const lab *definition);

void options_free(options *o);

/*
 * "1024", "2^20", for images "1024x768" or the width alone for a 4:3 picture: exit 2 if it is none
 * of the lab's legal sizes.
 */
size2 options_parse_size(const lab *definition, const char *word);

/* "16" or "32x8", 1..1024 threads in all: exit 2 otherwise. A lab of one dimension gets 256x1. */
dim3 options_parse_block(const lab *definition, const char *word);

#ifdef __cplusplus
}
#endif

#endif
