/* image_resample.c - another size, deterministic to the bit. See image.h. */
#include "image.h"
#include "process/die.h"

#include <stdlib.h>
#include <string.h>

/*
 * One output sample of one axis: count input samples from first on, with whole-number weights that
 * stand from weights[start] on. All samples of an axis have the same sum of weights, total, so a
 * pixel is one exact sum divided once: nothing is rounded on the way.
 */
typedef struct axis_sample {
    int first, count, start;
} axis_sample;

typedef struct axis {
    axis_sample *samples; /* one per output sample */
    uint32_t *weights;
    uint32_t total;
} axis;

static void axis_free(axis *a)
{
    free(a->samples);
    free(a->weights);
}

/* In units of 1 / size_out input samples, output i covers [i size_in, (i + 1) size_in). */
static void axis_shrink(axis *a, int size_in, int size_out)
{
    int used = 0;
    a->total = (uint32_t)size_in;
    for (int i = 0; i < size_out; i++) {
        int64_t begin = (int64_t)i * size_in, end = begin + size_in;
        int first = (int)(begin / size_out), last = (int)((end - 1) / size_out);
        a->samples[i] = (axis_sample){first, last - first + 1, used};
        for (int64_t j = first; j <= last; j++) {
            int64_t left = j * size_out, right = left + size_out;
            int64_t overlap = (right < end ? right : end) - (left > begin ? left : begin);
            a->weights[used++] = (uint32_t)overlap;
        }
    }
}

/* Output i lies at (i + 1/2) size_in / size_out - 1/2, here in units of 1 / (2 size_out). */
static void axis_grow(axis *a, int size_in, int size_out)
{
    int64_t unit = 2 * (int64_t)size_out, end = (size_in - 1) * unit;
    a->total = (uint32_t)unit;
    for (int i = 0; i < size_out; i++) {
        int64_t position = (2 * (int64_t)i + 1) * size_in - size_out;
        position = position < 0 ? 0 : position > end ? end : position;
        int64_t fraction = position % unit;
        a->samples[i] = (axis_sample){(int)(position / unit), fraction ? 2 : 1, 2 * i};
        a->weights[2 * i] = (uint32_t)(unit - fraction);
        a->weights[2 * i + 1] = (uint32_t)fraction;
    }
}

static axis axis_create(int size_in, int size_out)
{
    axis a = {.samples = allocate((size_t)size_out * sizeof *a.samples)};
    /* Shrinking, neighbours share at most one input sample; growing, each has two weights. */
    a.weights = allocate(((size_t)size_in + 2 * (size_t)size_out) * sizeof *a.weights);
    (size_out <= size_in ? axis_shrink : axis_grow)(&a, size_in, size_out);
    return a;
}

/* Adds a row of the input, resampled along x and times weight, to sums. */
static void add_row(const uint8_t *row, int channels, uint32_t weight, const axis *across,
                    int width, uint64_t *sums)
{
    for (int x = 0; x < width; x++) {
        axis_sample sample = across->samples[x];
        const uint8_t *pixel = row + (size_t)sample.first * (size_t)channels;
        for (int c = 0; c < channels; c++) {
            uint64_t sum = 0;
            for (int k = 0; k < sample.count; k++)
                sum += (uint64_t)across->weights[sample.start + k] * pixel[k * channels + c];
            sums[x * channels + c] += weight * sum;
        }
    }
}

static void resample_rows(const image *in, const axis *across, const axis *down, const image *out)
{
    size_t row_in = (size_t)in->width * (size_t)in->channels;
    size_t row_out = (size_t)out->width * (size_t)out->channels;
    uint64_t total = (uint64_t)across->total * down->total;
#pragma omp parallel
    {
        uint64_t *sums = allocate(row_out * sizeof *sums);
#pragma omp for
        for (size_t y = 0; y < (size_t)out->height; y++) {
            axis_sample sample = down->samples[y];
            memset(sums, 0, row_out * sizeof *sums);
            for (int k = 0; k < sample.count; k++)
                add_row(in->pixels + (size_t)(sample.first + k) * row_in, in->channels,
                        down->weights[sample.start + k], across, out->width, sums);
            for (size_t i = 0; i < row_out; i++)
                out->pixels[y * row_out + i] = (uint8_t)((sums[i] + total / 2) / total);
        }
        free(sums);
    }
}

void image_resample(const image *in, const image *out)
{
    axis across = axis_create(in->width, out->width), down = axis_create(in->height, out->height);
    resample_rows(in, &across, &down, out);
    axis_free(&across);
    axis_free(&down);
}
