/*
 * interrupt.h - Ctrl-C: the first one lets the case in progress end, a second one stops at once.
 */
#ifndef COMMON_INTERRUPT_H
#define COMMON_INTERRUPT_H

#include <stdbool.h>

/* Catches SIGINT and SIGTERM from now on. */
void interrupt_catch(void);

/* Names what runs now, for the line that the first Ctrl-C shows. */
void interrupt_name(const char *what);

bool interrupted(void);

#endif
