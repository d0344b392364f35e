#include "check.h"
#include "check_keep.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static compared *kept;
static size_t kept_count;

void check_keep(compared *items, size_t count)
{
    kept = items;
    kept_count = items ? count : 0;
}

check_result check_start(double tolerance, int row_length)
{
    return (check_result){.tolerance = tolerance, .row_length = row_length};
}

void check_scaled(check_result *result, double value, double expected, double scale, size_t index)
{
    double difference = value > expected ? value - expected : expected - value;
    /* equal values pass whatever the scale; anything off with no room is infinitely wrong */
    double error = difference == 0 ? 0 : difference / scale;
    result->compared++;
    result->unequal += difference != 0;
    if (index < kept_count)
        kept[index] = (compared){
            value, expected, scale, result->tolerance * scale, !(error <= result->tolerance), true};
    if (!(error <= result->max_error) && !isnan(result->max_error))
        result->max_error = error;
    if (error <= result->tolerance)
        return;
    if (result->wrong++ == 0) {
        result->first_wrong = index;
        result->value = value;
        result->expected = expected;
    }
}

/* Adds what another part of the same output gave. */
static void merge(check_result *whole, const check_result *part)
{
    if (part->wrong && (!whole->wrong || part->first_wrong < whole->first_wrong)) {
        whole->first_wrong = part->first_wrong;
        whole->value = part->value;
        whole->expected = part->expected;
    }
    if (!(part->max_error <= whole->max_error) && !isnan(whole->max_error))
        whole->max_error = part->max_error;
    whole->compared += part->compared;
    whole->wrong += part->wrong;
    whole->unequal += part->unequal;
}

check_result check_all(double tolerance, int row_length, size_t count,
                       checked (*at)(const void *context, size_t index), const void *context)
{
    check_result whole = check_start(tolerance, row_length);
#pragma omp parallel
    {
        check_result part = check_start(tolerance, row_length);
#pragma omp for nowait
        for (size_t i = 0; i < count; i++) {
            checked c = at(context, i);
            check_scaled(&part, c.value, c.expected, c.scale, i);
        }
#pragma omp critical(check_merge)
        merge(&whole, &part);
    }
    return whole;
}

bool check_passed(const check_result *result)
{
    return result->compared > 0 && result->wrong == 0;
}

/* What the first wrong value was, with as many digits as it takes to see that it is wrong. */
static void explain_value(const check_result *result, char text[96])
{
    char got[32] = "", expected[32] = "";
    double value = isnan(result->value) ? NAN : result->value; /* printf shows the sign of a NaN */
    for (int digits = 6; digits <= 17 && strcmp(got, expected) == 0; digits += digits < 9 ? 3 : 8) {
        snprintf(got, sizeof got, "%.*g", digits, value);
        snprintf(expected, sizeof expected, "%.*g", digits, result->expected);
    }
    snprintf(text, 96, ": got %s, expected %s", got, expected);
}

void check_explain(check_result *result)
{
    char value[96];
    if (result->compared == 0)
        snprintf(result->note, sizeof result->note, "nothing was compared");
    if (result->wrong == 0)
        return;
    explain_value(result, value);
    snprintf(result->note, sizeof result->note,
             "%zu of %zu values wrong; the first at x=%zu y=%zu%s", result->wrong, result->compared,
             result->first_wrong % (size_t)result->row_length,
             result->first_wrong / (size_t)result->row_length, value);
}
