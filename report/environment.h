/*
 * environment.h - what it was measured on, and how many rows there are.
 */
#ifndef REPORT_ENVIRONMENT_H
#define REPORT_ENVIRONMENT_H

#include "facts.h"
#include "study.h"

/* Tables environment, device and status; the facts without a lab's name. */
void environment_tables(const study *s, const char *folder);
void environment_facts(const study *s, facts *f);

#endif
