/*
 * view.h - the rows of one experiment that may be set side by side.
 *
 * A view is a lab, or of labs with several sorts of work one sort (lab 5: a type of pixel, lab 6:
 * mode 1). It holds measured rows only: checked, timed, not emulated; rows of OpenMP scaling and of
 * other ways of transfer are no part of it.
 *
 * Of rows measured under several conditions (parameters, cache) it holds those that the figures
 * draw (plots/conditions.awk): the condition with the most rows of the lab, of equals the cold one,
 * then the first; a variant without rows under it has its own commonest one. CPU and GPU rows are
 * counted apart, but where the CPU was measured under the GPU's parameters these are taken, for
 * only then can the times be compared. Past rows are kept where their work is the same
 * (work_alike).
 */
#ifndef REPORT_VIEW_H
#define REPORT_VIEW_H

#include "study.h"

typedef struct view_info {
    const char *name;   /* facts' prefix: "lab2", "lab5_rgb24" */
    const char *suffix; /* of the table of variants: "", "_gray" */
    int lab;
    const char *type, *mode; /* only rows of these, or NULL */
} view_info;

enum { N_VIEWS = 9 };
extern const view_info view_infos[N_VIEWS];

typedef struct extent {
    int width, height; /* 0: none */
} extent;

/* Rows in order of variant, size (area, width), block (threads, width): one a case, the fastest. */
typedef struct case_list {
    const row **rows;
    int count, capacity;
} case_list;

typedef struct view {
    const view_info *info;
    const lab_info *lab;
    const study *study;
    case_list now, past;
    case_list serial;          /* `cpu` of all origins and works */
    int *variants, n_variants; /* numbers of text.h, in the files' order */
    extent *sizes;             /* ascending, of the rows in `now` */
    bool *size_has_gpu;        /* rows of kind gpu, of each size */
    int n_sizes;
    extent size;            /* see view_read */
    int gpu_work, cpu_work; /* numbers of text.h; -1: no such rows */
} view;

/*
 * Gathers a view's rows. `size` is the largest size with rows of kind gpu and a serial CPU time,
 * both measured or, if there is none, the largest with GPU rows; without any GPU row the largest
 * with a serial CPU time, or with any row.
 */
void view_read(view *v, const study *s, const view_info *info);
void view_free(view *v);

/* The row of a variant at a size and a block; block_x -1: at its fastest. Or NULL. */
const row *view_row(const case_list *cases, int variant, extent size, int block_x, int block_y);

/* The rows of a variant at a size, all blocks: from *first on, so many. */
int view_blocks(const case_list *cases, int variant, extent size, const row *const **first);

/* All rows of a variant: from *first on, so many. */
int view_all(const case_list *cases, int variant, const row *const **first);

/* The serial CPU's row that a row's speedup is over: same machine, work and size; NULL if none. */
const row *view_serial(const view *v, const row *r);

/* That speedup; NaN without. */
double view_speedup(const view *v, const row *r);

/* Whether a row is of the view's sort of work, measured or not. */
bool view_takes(const view *v, const row *r);

/* Some row at a size, the serial CPU's if there is one; or NULL. */
const row *view_any(const view *v, extent size);

/*
 * Whether a row does the lab's work: `copy`, beside the filters of lab 5, only moves the data, so
 * it has no operations and no speedup and is never the fastest.
 */
bool row_computes(const row *r);

/* The fastest row of a kind at a size, or NULL. */
const row *view_fastest(const view *v, row_kind kind, extent size);

/* What a size is for the fit of exponents: n, N, pixels; with a template the positions it fits in.
 */
double view_x(const view *v, const row *r);

extent extent_of(const row *r);
/* By area, then width, as a view's sizes are; for qsort() and bsearch() of extents. */
int extent_compare(const void *a, const void *b);
bool row_is_square(const row *r); /* its block */

#endif
