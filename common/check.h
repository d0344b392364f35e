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
    size_t first_wrong;     /* index of the first wrong value, if wrong > 0 */
    double first_error;     /* its error */
    bool has_values;        /* are the next two known? check_scaled and check_values say them */
    double value, expected; /* the first wrong value and what it should be */
    char note[160];         /* the lab's remark for the CSV; of a failed check, what was wrong */
} check_result;

/* Starts a check: errors are compared with this tolerance; the output has rows of this length. */
check_result check_start(double tolerance, int row_length);

/*
 * Checks `count` values at once, on all cores: error(context, i) gives the error of value i, in the
 * unit of the tolerance.
 */
check_result check_all(double tolerance, int row_length, size_t count,
                       double (*error)(const void *context, size_t index), const void *context);

/* One error, at one index of the output. */
static inline void check_error(check_result *result, double error, size_t index)
{
    result->compared++;
    if (!(error <= result->max_error) && result->max_error == result->max_error)
        result->max_error = error;
    if (!(error <= result->tolerance)) {
        if (result->wrong == 0) {
            result->first_wrong = index;
            result->first_error = error;
        }
        result->wrong++;
    }
}

/* Tells the first wrong value and what it should be, for the note of a failed check. */
static inline void check_values(check_result *result, double value, double expected)
{
    result->has_values = true;
    result->value = value;
    result->expected = expected;
}

/* |value - expected| / scale as the error; where scale is 0 the two must be equal. */
static inline void check_scaled(check_result *result, double value, double expected, double scale,
                                size_t index)
{
    double difference = value > expected ? value - expected : expected - value;
    /* equal values pass whatever the scale; anything off with no room is infinitely wrong */
    double error = difference == 0 ? 0 : difference / scale;
    check_error(result, error, index);
    if (result->wrong == 1 && result->first_wrong == index)
        check_values(result, value, expected);
}

/* True if something was compared and nothing was wrong. */
bool check_passed(const check_result *result);

/* For a failed check: writes into note how many values are wrong, where the first is and what. */
void check_explain(check_result *result);

#ifdef __cplusplus
}
#endif

#endif
