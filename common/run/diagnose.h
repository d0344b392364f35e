/*
 * diagnose.h - what a wrong output looks like: transposed, never written in its last column, twice
 * what it should be. It says what is seen and from what; tools/doctor.tsv has what that is a sign
 * of.
 */
#ifndef COMMON_DIAGNOSE_H
#define COMMON_DIAGNOSE_H

#include "check_keep.h"

/*
 * Three runs of one case, all of them wrong or, over zeros, right: twice over outputs of 0xFF, then
 * over outputs of zeros. A row has `columns` values; a block makes block_x x block_y of them, 0 of
 * what has no block.
 */
typedef struct evidence {
    const compared *first, *again, *zeros;
    size_t count;
    long columns, rows, block_x, block_y;
} evidence;

enum { DIAGNOSIS_TEXT = 256 };

/* Writes "NAME: WHAT IS SEEN" by the first rule that fits; an empty text if none does. */
void diagnose(const evidence *e, char text[DIAGNOSIS_TEXT]);

#endif
