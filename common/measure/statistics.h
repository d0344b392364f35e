/*
 * statistics.h - what is reported of repeated timings.
 */
#ifndef COMMON_STATISTICS_H
#define COMMON_STATISTICS_H

/* A growing list of samples; {0} is an empty one. */
typedef struct samples {
    double *values;
    int count, capacity;
} samples;

void samples_add(samples *list, double value);
void samples_free(samples *list);

typedef struct summary {
    int count;
    double median, min, q1, q3, max; /* NaN where there is no value */
    double noise;                    /* (q3 - q1) / median */
} summary;

/*
 * Order statistics of some values. Quantiles interpolate linearly between order statistics
 * (Hyndman & Fan 1996, type 7, what R and NumPy use by default), so the median of two is their
 * mean.
 */
summary summarise(const double *values, int count);

/* Standard error of the mean over the mean; infinite below two samples, 0 where all are equal. */
double samples_relative_error(const samples *list);

#endif
