#include "statistics.h"
#include "process/die.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void samples_add(samples *list, double value)
{
    list->values = grow(list->values, list->count, &list->capacity, sizeof value);
    list->values[list->count++] = value;
}

void samples_free(samples *list)
{
    free(list->values);
    memset(list, 0, sizeof *list);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double quantile(const double *sorted, int count, double fraction)
{
    double position = fraction * (count - 1);
    int below = (int)position;
    int above = below + 1 < count ? below + 1 : below;
    return sorted[below] + (position - below) * (sorted[above] - sorted[below]);
}

summary summarise(const double *values, int count)
{
    summary result = {count, NAN, NAN, NAN, NAN, NAN, NAN};
    if (count == 0)
        return result;
    size_t bytes = (size_t)count * sizeof *values;
    double *sorted = allocate(bytes);
    memcpy(sorted, values, bytes);
    qsort(sorted, (size_t)count, sizeof *sorted, ascending);
    result.min = sorted[0];
    result.q1 = quantile(sorted, count, 0.25);
    result.median = quantile(sorted, count, 0.5);
    result.q3 = quantile(sorted, count, 0.75);
    result.max = sorted[count - 1];
    result.noise = (result.q3 - result.q1) / result.median;
    free(sorted);
    return result;
}

double samples_relative_error(const samples *list)
{
    if (list->count < 2)
        return INFINITY;
    double mean = 0, squares = 0;
    for (int i = 0; i < list->count; i++)
        mean += list->values[i] / list->count;
    for (int i = 0; i < list->count; i++)
        squares += (list->values[i] - mean) * (list->values[i] - mean);
    double deviation = sqrt(squares / (list->count - 1));
    return deviation == 0 ? 0 : deviation / sqrt(list->count) / mean;
}
