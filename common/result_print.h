/*
 * result_print.h - rows of results as a table for the terminal.
 */
#ifndef COMMON_RESULT_PRINT_H
#define COMMON_RESULT_PRINT_H

#include "result.h"

/* On stdout: lab, machine and parameters, and the line that names the columns. */
void result_print_heading(const char *lab, const char *machine, const char *parameters);

/* On stdout, one line. */
void result_print_row(const result *row);

#endif
