/*
 * check.h - comparing a variant's output with the reference so that nothing slips through: every
 * comparison is written !(error <= tolerance), which NaN fails, and outputs are poisoned with 0xFF
 * bytes (NaN as float) beforehand, so that what was never written fails too.
 */
#ifndef COMMON_CHECK_H
#define COMMON_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct check_result {
    double max_error; /* the largest error seen, in the unit of the tolerance; NaN stays NaN */
    double tolerance; /* the largest error allowed */
    int row_length;   /* of the output, to tell x and y from an index */
    size_t compared, wrong;
    size_t unequal;         /* values that are not just what they should be, right or wrong */
    size_t first_wrong;     /* index of the first wrong value, if wrong > 0 */
    double value, expected; /* that value, and what it should be */
    char note[160];         /* the lab's remark for the CSV; of a failed check, what was wrong */
} check_result;

/* A value of the output and what it should be; |value - expected| / scale is its error. */
typedef struct checked {
    double value, expected;
    double scale; /* where it is 0 the two must be equal */
} checked;

/* Checks `count` values on all cores, which at(context, index) tells. */
check_result check_all(double tolerance, int row_length, size_t count,
                       checked (*at)(const void *context, size_t index), const void *context);

/* Check in two steps what check_all() checks in one: start a check, and check one value. */
check_result check_start(double tolerance, int row_length);
void check_scaled(check_result *result, double value, double expected, double scale, size_t index);

/* True if something was compared and nothing was wrong. */
bool check_passed(const check_result *result);

/* For a failed check: writes into note how many values are wrong, where the first is and what. */
void check_explain(check_result *result);

#ifdef __cplusplus
}
#endif

#endif
