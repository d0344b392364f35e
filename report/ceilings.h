/*
 * ceilings.h - what a processor can do at most, as lab 0 measured it, and how near each variant
 * comes (the roofline of Williams, Waterman and Patterson, 2009, from measured ceilings).
 */
#ifndef REPORT_CEILINGS_H
#define REPORT_CEILINGS_H

#include "facts.h"
#include "view.h"

/* The greatest rates of a processor; NULL where there is none. */
typedef struct ceiling {
    const row *copy, *fma;
} ceiling;

typedef struct ceilings {
    ceiling gpu, cpu;
} ceilings;

ceilings ceilings_of(const study *s);

/* The ceiling of the processor that a row ran on. */
const ceiling *ceiling_for(const ceilings *c, const row *r);

/*
 * Tables ceilings and roofline and their facts. A variant at its best block at the lab's size does
 * `flops` operations on `bytes` of compulsory traffic; its roof is the lesser of the arithmetic
 * rate and copy rate x flops / bytes. Variants without operations (a copy) are measured against the
 * copy rate. Rows of a processor without both ceilings have no place there.
 */
void ceilings_analyse(const ceilings *c, const view *views, const char *folder, facts *f);

#endif
