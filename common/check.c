#include "check.h"

#include <stdio.h>

check_result check_start(double tolerance, int row_length)
{
    check_result result = {.max_error = 0, .tolerance = tolerance, .row_length = row_length};
    return result;
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
