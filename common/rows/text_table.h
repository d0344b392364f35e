/*
 * text_table.h - a table on a terminal, of 80 columns: it leaves out what is empty and, where the
 * rest is still too wide, the columns of the highest rank.
 */
#ifndef COMMON_TEXT_TABLE_H
#define COMMON_TEXT_TABLE_H

#include <stdbool.h>

enum { TEXT_COLUMNS = 12, TEXT_CELL = 96, TEXT_WIDTH = 80 };

typedef struct text_column {
    const char *heading;
    int rank;  /* the higher, the sooner it is left out; 0: never */
    bool left; /* a text, not a number */
} text_column;

typedef struct text_line {
    char cell[TEXT_COLUMNS][TEXT_CELL]; /* empty: there is none */
    const char *note;                   /* of the last cell; or empty */
    bool bad;                           /* red, if the terminal has colours */
    bool spare_note;                    /* only where the line has room for it */
    char below[256];                    /* a sentence about the line, or empty */
} text_line;

/* Set up by hand: the columns, and whether all are shown, at any width. Widths and choice are kept
 * from one group of lines to the next, and only grow. */
typedef struct text_table {
    const text_column *columns;
    int count;
    bool wide;
    int width[TEXT_COLUMNS];
    bool used[TEXT_COLUMNS], shown[TEXT_COLUMNS];
} text_table;

/* Prints the lines on stdout, under a heading if it is another one than above. */
void text_table_print(text_table *t, const text_line *lines, int count);

/* Prints words on stdout from this column on; the lines that follow begin with `indent` blanks. */
void text_print_wrapped(const char *words, int column, int indent);

#endif
