/*
 * profile.h - hardware counters (profile.csv) beside what the rows say.
 */
#ifndef REPORT_PROFILE_H
#define REPORT_PROFILE_H

#include "facts.h"
#include "view.h"

/*
 * Table profile and the facts profiled, naive_..., fastest_... of labs: each counted variant beside
 * its row of the same size and block. "fastest" is the fastest variant of kind gpu at that size and
 * block. Rows of profile.csv that are skipped, or are not numbers, are no part of it; a broken file
 * is noted in the study's problems. A study whose GPU is stood in for takes the recorded profile.
 */
void profile_analyse(study *s, const view *views, const char *folder, facts *f);

#endif
