/*
 * labs.h - a lab's own tables and facts: times by size, by block and by variant.
 */
#ifndef REPORT_LABS_H
#define REPORT_LABS_H

#include "facts.h"
#include "view.h"

/*
 * labN_cpu, labN_gpu and labN_speedup (labs 2 to 4), labN_variants, labN_occupancy. A view of a
 * further type of pixel has a table of variants only.
 */
void lab_tables(const view *v, const char *folder);

/* The facts `labN.*` that come from a view's rows alone. */
void lab_facts(const view *v, facts *f);

#endif
