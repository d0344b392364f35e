/*
 * checks.cu - lab 6's check: a reference that goes by columns and rows, written apart from the
 * variants, to which all values must be equal; and what a frame asks of any program.
 */
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "banding.h"

/* ---- the reference -------------------------------------------------------------------------- */

/* Returns what a 16-bit variable makes of a value. */
static int wrapped(int value)
{
    return value - 65536 * (int)floor((value + 32768) / 65536.0);
}

/* Returns a random byte as an offset: 2n+1 equal shares of the 256 bytes are the offsets. */
static int share_of(int byte, int n)
{
    return byte * (2 * n + 1) / 256 - n;
}

/*
 * Returns the rows that the reference goes down from row y: the even number at or below the offset
 * where the frame is interlaced, unless a row that would be read for it lies outside.
 */
static int reference_rows(const problem *p, int y, int offset)
{
    int down = settings.interlaced && offset % 2 != 0 ? offset - 1 : offset;
    bool inside = y + down >= 0 && y + down < p->height;
    bool mirror_inside = y - down >= 0 && y - down < p->height;
    return inside && (mirror_inside || settings.mode == 0) ? down : 0;
}

/* Finds the columns and rows of the one, two or four neighbours of (x, y); returns how many. */
static int reference_neighbours(const problem *p, int x, int y, int columns[4], int rows[4])
{
    const uint8_t *random = (const uint8_t *)p->buffer[RANDOM].host;
    int reach[] = {settings.range, x, y, p->width - 1 - x, p->height - 1 - y}, n = 63;
    int area = p->width * p->height, index = y * p->width + x;
    for (int i = 0; i < 5; i++)
        n = reach[i] < n ? reach[i] : n;
    int a = share_of(random[index], n), b = share_of(random[area + index], n);
    int a_down = reference_rows(p, y, a), b_down = reference_rows(p, y, b);
    const int all_columns[] = {x + b, x - b, x + a, x - a};
    const int all_rows[] = {y + a_down, y - a_down, y - b_down, y + b_down};
    for (int i = 0; i < 4; i++) {
        columns[i] = all_columns[i];
        rows[i] = all_rows[i];
    }
    return settings.mode == 0 ? 1 : 2 * settings.mode;
}

/* Returns one channel of one pixel of the result. */
static int reference_value(const problem *p, int x, int y, int channel)
{
    const int thresholds[] = {settings.threshold_y, settings.threshold_cb, settings.threshold_cr};
    int columns[4], rows[4], samples = reference_neighbours(p, x, y, columns, rows);
    int area = p->width * p->height, index = y * p->width + x, total = 0, largest = INT16_MIN;
    int own = frame_pixel(p->buffer[FRAME].host, index)[channel];
    for (int i = 0; i < samples; i++) {
        size_t there = (size_t)rows[i] * p->width + columns[i];
        int value = frame_pixel(p->buffer[FRAME].host, there)[channel];
        int difference = wrapped(abs(own - value));
        total += value;
        largest = difference > largest ? difference : largest;
    }
    int average = (int)floor((double)total / samples + (samples > 1 ? 0.5 : 0));
    bool compare_average = settings.mode > 0 && settings.blur_first;
    if (compare_average)
        largest = wrapped(abs(own - average));
    bool alike = largest < thresholds[channel] * (compare_average ? 2 : 4);
    int byte = ((const uint8_t *)p->buffer[RANDOM].host)[(2 + channel) * area + index];
    int noise = share_of(byte, channel == 0 ? settings.dither_y : settings.dither_c);
    return wrapped((alike ? average : own) + noise);
}

/* Returns the filtered frame, laid out as the output is. */
void *reference(const problem *p)
{
    int16_t *result = (int16_t *)allocate(p->buffer[OUTPUT].bytes);
#pragma omp parallel for schedule(dynamic)
    for (int y = 0; y < p->height; y++)
        for (int x = 0; x < p->width; x++) {
            int16_t *pixel = frame_pixel(result, (size_t)y * p->width + x);
            for (int c = 0; c < values_per_pixel(); c++)
                pixel[c] = (int16_t)(c < 3 ? reference_value(p, x, y, c) : 0);
        }
    return result;
}

/* ---- the check ------------------------------------------------------------------------------ */

/* Demands equality of every value. */
static checked value_at(const void *context, size_t i)
{
    const problem *p = (const problem *)context;
    const int16_t *value = (const int16_t *)p->buffer[OUTPUT].host;
    return {(double)value[i], (double)((const int16_t *)p->reference)[i], 1};
}

check_result check(const problem *p, const variant *)
{
    size_t values = p->buffer[OUTPUT].bytes / sizeof(int16_t);
    return check_all(0, p->width * values_per_pixel(), values, value_at, p);
}

/* ---- bytes and operations ------------------------------------------------------------------- */

/*
 * Counts integer operations on a pixel, those on addresses left out: 6 for the reach (two
 * differences, four minima), 5 offsets of 4, a mask each for what goes down; and for each channel
 * the average (its additions and a shift), the differences (subtraction and absolute value, and the
 * larger of two), comparison, choice and noise.
 */
lab_work work(const problem *p)
{
    double count = (double)p->width * p->height;
    int mode = settings.mode, samples = 1 << mode;
    int average = mode == 0 ? 0 : samples + 1;
    int difference = settings.blur_first && mode != 0 ? 2 : 3 * samples - 1;
    int masks = mode == 2 ? 2 : 1;
    int random_bytes = settings.random == HASH ? 0 : PLANES;
    return {.bytes = count * (2 * values_per_pixel() * sizeof(int16_t) + random_bytes),
            .int_ops = count * (6 + 5 * 4 + masks + 3 * (average + difference + 3))};
}
