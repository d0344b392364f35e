/*
 * text.h - texts that occur often, kept once each and known by a small number.
 *
 * Two texts are equal when their numbers are. Numbers count from 0 in order of first use.
 */
#ifndef REPORT_TEXT_H
#define REPORT_TEXT_H

/* The number of a text; a new text is copied. */
int text_id(const char *text);

/* The text of a number, for as long as the program runs. */
const char *text_of(int id);

/* How many there are: numbers are below. */
int text_count(void);

#endif
