#include "check.h"

#include <stdio.h>

check_result check_start(double tolerance, int row_length)
{
    check_result result = {.max_error = 0, .tolerance = tolerance, .row_length = row_length};
    return result;
}

/* Adds what another part of the same output gave. */
static void merge(check_result *whole, const check_result *part)
{
    if (part->wrong && (!whole->wrong || part->first_wrong < whole->first_wrong))
        whole->first_wrong = part->first_wrong;
    if (!(part->max_error <= whole->max_error) && whole->max_error == whole->max_error)
        whole->max_error = part->max_error;
    whole->compared += part->compared;
    whole->wrong += part->wrong;
}

check_result check_all(double tolerance, int row_length, size_t count,
                       double (*error)(const void *context, size_t index), const void *context)
{
    check_result whole = check_start(tolerance, row_length);
#pragma omp parallel
    {
        check_result part = check_start(tolerance, row_length);
#pragma omp for nowait
        for (size_t i = 0; i < count; i++)
            check_error(&part, error(context, i), i);
#pragma omp critical(check_merge)
        merge(&whole, &part);
    }
    return whole;
}

bool check_passed(const check_result *result)
{
    return result->compared > 0 && result->wrong == 0;
}

void check_explain(check_result *result)
{
    if (result->compared == 0)
        snprintf(result->note, sizeof result->note, "nothing was compared");
    else if (result->wrong > 0)
        snprintf(result->note, sizeof result->note,
                 "%zu of %zu values wrong; the first at x=%zu y=%zu", result->wrong,
                 result->compared, result->first_wrong % (size_t)result->row_length,
                 result->first_wrong / (size_t)result->row_length);
}
