/*
 * seal.h - a row's column `seal`: SOURCE-PROGRAM-HASH, the sums of the lab's sources and of the
 * program's file, and SipHash-2-4 of them and of all other columns as the file has them. The key is
 * the build's (KEY, or the file course/key); without one the column stays empty.
 */
#ifndef COMMON_SEAL_H
#define COMMON_SEAL_H

#include "result.h"

#include <stdint.h>

/* Aumasson and Bernstein, SipHash: a fast short-input PRF, 2012. */
uint64_t siphash(const unsigned char key[16], const void *data, size_t bytes);

void seal_row(result *row);

/* Is the row as a program with this key wrote it? */
bool seal_is_sound(const result *row, const char *key);

#endif
