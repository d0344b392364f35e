/*
 * problems.h - what gave no number: rows that are wrong, skipped or failed, files that are broken
 * or missing.
 */
#ifndef REPORT_PROBLEMS_H
#define REPORT_PROBLEMS_H

#include <stdbool.h>

#include "rows.h"

/* Rows of one lab, status, variant and note count as one problem; a file is one. */
typedef struct problem {
    const char *lab;
    const char *status; /* wrong, skipped, failed; of a file: broken, missing */
    int variant, note;  /* numbers of text.h; variant -1 for a file */
    int where;          /* the file, and */
    int line;           /* the line of the first row; 0 for a file */
    int count;          /* rows; 0 for a file */
} problem;

typedef struct problem_list {
    problem *list;
    int count, capacity;
    bool serious; /* a wrong or a failed row, a broken or a missing file */
} problem_list;

void problem_rows(problem_list *problems, const char *lab, const row_list *rows);
void problem_file(problem_list *problems, const char *lab, const char *status, const char *file,
                  const char *note);

/* Adds all of another list, with `machine/` before each file. */
void problems_append(problem_list *problems, const problem_list *more, const char *machine);

/* Writes problems.csv, the most rows of a kind first within a lab; at most PROBLEMS_SHOWN, then how
 * many more there are. */
enum { PROBLEMS_SHOWN = 200 };
void problems_write(const problem_list *problems, const char *folder);

void problems_free(problem_list *problems);

#endif
