#include "diagnose.h"
#include "process/die.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A pattern is taken for one where so much of what it speaks of fits it. */
static const double most = 0.95;

/* ---- values --------------------------------------------------------------------------------- */

static bool is_close(double value, const compared *to)
{
    double room = fmax(to->room, 0x1p-18 * fabs(to->expected));
    return fabs(value - to->expected) <= room;
}

static bool is_poison(double value)
{
    return isnan(value) || value == UINT8_MAX || value == UINT32_MAX || value == -1;
}

static bool is_wrong(const evidence *e, size_t i)
{
    return e->first[i].wrong;
}

/* Still what the output held before, whatever that was? */
static bool is_unwritten(const evidence *e, size_t i)
{
    return e->first[i].wrong && is_poison(e->first[i].value) && e->zeros[i].value == 0;
}

static bool is_nan(const evidence *e, size_t i)
{
    return e->first[i].wrong && isnan(e->first[i].value) && isnan(e->zeros[i].value);
}

static bool is_wrong_zero(const evidence *e, size_t i)
{
    return e->first[i].wrong && e->first[i].value == 0;
}

static bool is_right_over_zeros(const evidence *e, size_t i)
{
    return e->first[i].wrong && !e->zeros[i].wrong && e->zeros[i].value != 0;
}

static bool is_other_over_zeros(const evidence *e, size_t i)
{
    return e->first[i].wrong && e->first[i].value != e->zeros[i].value && !is_nan(e, i);
}

static bool is_other_again(const evidence *e, size_t i)
{
    return memcmp(&e->first[i].value, &e->again[i].value, sizeof(double)) != 0;
}

/* Beyond what any lab computes: sums of the guard zones' bytes, or of -ftrivial-auto-var-init's. */
static bool is_huge(const evidence *e, size_t i)
{
    return e->first[i].wrong && fabs(e->first[i].value) > 1e20 && fabs(e->first[i].expected) < 1e10;
}

typedef bool member(const evidence *e, size_t i);

static size_t count_of(const evidence *e, member *is_in)
{
    size_t n = 0;
    for (size_t i = 0; i < e->count; i++)
        n += is_in(e, i);
    return n;
}

static size_t first_of(const evidence *e, member *is_in)
{
    size_t i = 0;
    while (i + 1 < e->count && !is_in(e, i))
        i++;
    return i;
}

enum { LINES_TEXT = 96, AREA_TEXT = 2 * LINES_TEXT + 32 };

/* ---- areas ---------------------------------------------------------------------------------- */

/* Names rows or columns by their flags; returns how many are set, or -1 if there is no name. */
static long name_lines(const bool *set, long n, long block, const char *name, char text[LINES_TEXT])
{
    long count = 0, first = -1, head = 0, tail = 0, even = 0;
    for (long i = 0; i < n; i++) {
        count += set[i];
        even += set[i] && i % 2 == 0;
        first = set[i] && first < 0 ? i : first;
    }
    while (head < n && set[head])
        head++;
    while (tail < n && set[n - 1 - tail])
        tail++;
    bool part = block > 1 && first % block == 0 && tail < block && n > block;
    const char *of_blocks = part ? ", a part of a block" : ", all but the first block";
    text[0] = '\0';
    if (count == n)
        snprintf(text, LINES_TEXT, "all %ss", name);
    else if (count && tail == count)
        snprintf(text, LINES_TEXT, "the last %ld %s%s (from %ld on%s)", count, name,
                 count == 1 ? "" : "s", first, part || first == block ? of_blocks : "");
    else if (count && head == count)
        snprintf(text, LINES_TEXT, "the first %ld %s%s", count, name, count == 1 ? "" : "s");
    else if (count && head + tail == count)
        snprintf(text, LINES_TEXT, "the first %ld and the last %ld %ss", head, tail, name);
    else if (count > 2 && (even == count || even == 0) && count >= n / 2)
        snprintf(text, LINES_TEXT, "every second %s", name);
    return count && !text[0] ? -1 : count;
}

/*
 * Is the set whole columns, whole rows, or both together, in a grid of columns x rows onto which
 * the output is folded? Then it is named.
 */
static bool name_area(const evidence *e, member *is_in, long columns, long rows,
                      char text[AREA_TEXT])
{
    const long cells = columns * rows;
    bool *is_all = allocate((size_t)(2 * cells + columns + rows)), *is_any = is_all + cells;
    bool *column = is_any + cells, *row = column + columns, exact = true;
    char x[LINES_TEXT], y[LINES_TEXT];
    memset(is_all, true, (size_t)(2 * cells + columns + rows));
    memset(is_any, false, (size_t)cells);
    for (size_t i = 0; i < e->count; i++) {
        long at = (long)i / e->columns % rows * columns + (long)i % e->columns % columns;
        is_all[at] = is_all[at] && is_in(e, i);
        is_any[at] = is_any[at] || is_in(e, i);
    }
    for (long at = 0; at < cells; at++)
        if (!is_all[at])
            column[at % columns] = row[at / columns] = false;
    for (long at = 0; at < cells; at++)
        exact = exact && (!is_any[at] || column[at % columns] || row[at / columns]);
    bool folded = columns < e->columns || rows < e->rows;
    long n_x = name_lines(column, columns, folded ? 0 : e->block_x, "column", x);
    long n_y = name_lines(row, rows, folded ? 0 : e->block_y, "row", y);
    free(is_all);
    snprintf(text, AREA_TEXT, "%s%s%s%s", n_x ? x : "", n_x && n_y ? " and " : "", n_y ? y : "",
             folded ? " of each block" : "");
    return exact && n_x >= 0 && n_y >= 0 && n_x + n_y > 0 && n_x < columns;
}

/* Names where the set lies in the output, or in each block. */
static bool tell_area(const evidence *e, member *is_in, char text[AREA_TEXT])
{
    bool blocks = e->block_x > 1 && e->block_x < e->columns;
    return name_area(e, is_in, e->columns, e->rows, text) ||
           (blocks &&
            name_area(e, is_in, e->block_x, e->block_y < e->rows ? e->block_y : e->rows, text));
}

/* ---- values in another place ---------------------------------------------------------------- */

/* Tells how what should stand at (x, y) may have come to stand elsewhere. */
typedef struct mapping {
    enum { TRANSPOSED, MIRRORED_X, MIRRORED_Y, SHIFTED, STRIDE } kind;
    long a, b; /* a shift in x and in y; a stride */
} mapping;

/* The index to which it brings what should stand at (x, y); -1: to none. */
static long moved_to(const evidence *e, mapping m, long x, long y)
{
    long to = m.kind == TRANSPOSED   ? x * m.a + y
              : m.kind == MIRRORED_X ? y * e->columns + e->columns - 1 - x
              : m.kind == MIRRORED_Y ? (e->rows - 1 - y) * e->columns + x
              : m.kind == STRIDE     ? y * m.a + x
                                     : (y + m.b) * e->columns + x + m.a;
    bool inside = m.kind != SHIFTED || (x + m.a >= 0 && x + m.a < e->columns);
    return inside && to >= 0 && to < (long)e->count ? to : -1;
}

/* Which share of the wrong values that were written is explained by this? */
static double explained(const evidence *e, mapping m)
{
    bool *is_from = allocate(e->count);
    size_t wrong = 0, found = 0;
    memset(is_from, false, e->count);
    for (size_t i = 0; i < e->count; i++) {
        long to = moved_to(e, m, (long)i % e->columns, (long)i / e->columns);
        if (to >= 0 && is_close(e->first[to].value, &e->first[i]))
            is_from[to] = true;
    }
    for (size_t i = 0; i < e->count; i++) {
        bool counts = is_wrong(e, i) && !is_unwritten(e, i);
        wrong += counts;
        found += counts && is_from[i];
    }
    free(is_from);
    return wrong > 3 && wrong >= e->count / 8 ? (double)found / (double)wrong : 0;
}

static bool is_transposed(const evidence *e, char text[DIAGNOSIS_TEXT])
{
    bool fits = e->rows > 1 && e->columns > 1 &&
                (explained(e, (mapping){TRANSPOSED, e->columns, 0}) > 0.85 ||
                 explained(e, (mapping){TRANSPOSED, e->rows, 0}) > 0.85);
    snprintf(text, DIAGNOSIS_TEXT, "transposed: what should stand at (x, y) stands at (y, x)");
    return fits;
}

static bool is_mirrored(const evidence *e, char text[DIAGNOSIS_TEXT])
{
    bool x = explained(e, (mapping){MIRRORED_X, 0, 0}) > most;
    bool y = !x && explained(e, (mapping){MIRRORED_Y, 0, 0}) > most;
    snprintf(text, DIAGNOSIS_TEXT, "mirrored: %s run backwards", x ? "columns" : "rows");
    return x || y;
}

static bool is_shifted(const evidence *e, char text[DIAGNOSIS_TEXT])
{
    const long far[] = {e->block_x, e->block_y, 0};
    for (long reach = 1; reach <= 4; reach++) /* near ones first */
        for (long dy = -reach; dy <= reach; dy++)
            for (long dx = -reach; dx <= reach; dx++) {
                long x = reach < 4 ? dx : dx / 4 * far[0], y = reach < 4 ? dy : dy / 4 * far[1];
                if ((x == 0 && y == 0) || explained(e, (mapping){SHIFTED, x, y}) <= 0.9)
                    continue;
                snprintf(text, DIAGNOSIS_TEXT,
                         "shifted: what should stand at (x, y) stands at (x%+ld, y%+ld)", x, y);
                return true;
            }
    return false;
}

static bool has_stride(const evidence *e, char text[DIAGNOSIS_TEXT])
{
    for (long off = 1; off <= 33 && e->rows > 3; off++)
        for (int sign = -1; sign <= 1; sign += 2) {
            long stride = e->columns + sign * off;
            if (stride < 2 || explained(e, (mapping){STRIDE, stride, 0}) <= 0.9)
                continue;
            snprintf(text, DIAGNOSIS_TEXT, "wrong stride: rows lie %ld values apart, not %ld",
                     stride, e->columns);
            return true;
        }
    return false;
}

/* ---- the rules ------------------------------------------------------------------------------ */

static bool differs(const evidence *e, char text[DIAGNOSIS_TEXT])
{
    size_t count = count_of(e, is_other_again), at = first_of(e, is_other_again);
    snprintf(text, DIAGNOSIS_TEXT,
             "different from run to run: %zu values, the first at x=%ld y=%ld: %g, then %g", count,
             (long)at % e->columns, (long)at / e->columns, e->first[at].value, e->again[at].value);
    return count > 0;
}

static bool was_never_written(const evidence *e, char text[DIAGNOSIS_TEXT])
{
    char area[AREA_TEXT];
    size_t unwritten = count_of(e, is_unwritten), at = first_of(e, is_unwritten);
    if (unwritten == e->count)
        snprintf(text, DIAGNOSIS_TEXT, "never written: all %zu values", unwritten);
    else if (tell_area(e, is_unwritten, area))
        snprintf(text, DIAGNOSIS_TEXT, "never written: %s", area);
    else
        snprintf(text, DIAGNOSIS_TEXT, "never written: %zu of %zu values, the first at x=%ld y=%ld",
                 unwritten, e->count, (long)at % e->columns, (long)at / e->columns);
    return unwritten > 0;
}

static bool adds_to_output(const evidence *e, char text[DIAGNOSIS_TEXT])
{
    size_t right = count_of(e, is_right_over_zeros), wrong = count_of(e, is_wrong);
    snprintf(text, DIAGNOSIS_TEXT,
             "added to what the output held: over zeros %zu of the %zu wrong values are right",
             right, wrong);
    return (double)right > most * (double)wrong;
}

static bool depends_on_output(const evidence *e, char text[DIAGNOSIS_TEXT])
{
    size_t count = count_of(e, is_other_over_zeros);
    snprintf(text, DIAGNOSIS_TEXT,
             "other values over zeros: %zu depend on what the output or scratch held before",
             count);
    return count > 0;
}

static bool is_zero(const evidence *e, char text[DIAGNOSIS_TEXT])
{
    size_t zero = count_of(e, is_wrong_zero), wrong = count_of(e, is_wrong);
    snprintf(text, DIAGNOSIS_TEXT, "zero: each of the %zu wrong values is 0", wrong);
    return zero == wrong && wrong > 1;
}

/* Has each tile of so many columns and rows one value, though more are expected in most? */
static bool repeats(const evidence *e, long across, long down)
{
    size_t same = 0, different = 0;
    for (size_t i = 0; i < e->count; i++) {
        long x = (long)i % e->columns, y = (long)i / e->columns;
        const compared *corner = &e->first[(y - y % down) * e->columns + x - x % across];
        same += e->first[i].value == corner->value;
        different += !is_close(corner->expected, &e->first[i]);
    }
    return same == e->count && across * down > 1 && different > e->count / 4;
}

static bool is_repeated(const evidence *e, char text[DIAGNOSIS_TEXT])
{
    const long x = e->columns, y = e->rows;
    const char *where = repeats(e, x, y)                                   ? "everywhere"
                        : y > 1 && repeats(e, x, 1)                        ? "along each row"
                        : y > 1 && repeats(e, 1, y)                        ? "along each column"
                        : e->block_x && repeats(e, e->block_x, e->block_y) ? "in each block"
                        : e->block_x && repeats(e, e->block_x, 1) ? "along each row of a block"
                        : e->block_y && repeats(e, 1, e->block_y) ? "along each column of a block"
                                                                  : NULL;
    snprintf(text, DIAGNOSIS_TEXT, "repeated: one value %s, such as %g", where ? where : "",
             e->first[0].value);
    return where != NULL;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median of value / expected, or of value - expected, of the wrong values; NaN: too few. */
static double typical(const evidence *e, bool of_ratios)
{
    double *list = allocate(e->count * sizeof *list), middle;
    size_t n = 0, wrong = count_of(e, is_wrong);
    for (size_t i = 0; i < e->count; i++) {
        const compared *c = &e->first[i];
        double number = of_ratios ? c->value / c->expected : c->value - c->expected;
        if (c->wrong && isfinite(number))
            list[n++] = number;
    }
    qsort(list, n, sizeof *list, by_size);
    middle = n > 3 && (double)n >= 0.8 * (double)wrong ? list[n / 2] : NAN;
    free(list);
    return middle;
}

/* Are nearly all wrong values what `factor` and `offset` make of the right ones? */
static bool fits_line(const evidence *e, double factor, double offset, double precision)
{
    size_t fit = 0, wrong = count_of(e, is_wrong);
    for (size_t i = 0; i < e->count; i++) {
        const compared *c = &e->first[i];
        double line = factor * c->expected + offset;
        bool whole = c->value == floor(c->value) && c->expected == floor(c->expected);
        double room = fmax(c->room * fmax(1, fabs(factor)), precision * fabs(line));
        double rounding = whole && factor != 1 ? fmin(1, 0.05 * fabs(line)) : 0; /* of a byte */
        fit += c->wrong && fabs(c->value - line) <= fmax(room, rounding);
    }
    return (double)fit >= most * (double)wrong;
}

static bool has_factor(const evidence *e, char text[DIAGNOSIS_TEXT])
{
    double factor = typical(e, true);
    snprintf(text, DIAGNOSIS_TEXT, "wrong by a factor: values are %.4g times what they should be",
             factor);
    return isfinite(factor) && fabs(factor - 1) > 0.01 && factor != 0 &&
           fits_line(e, factor, 0, 0.004);
}

static bool has_offset(const evidence *e, char text[DIAGNOSIS_TEXT])
{
    double offset = typical(e, false);
    snprintf(text, DIAGNOSIS_TEXT,
             "wrong by an offset: each of the %zu wrong values is %.4g too %s",
             count_of(e, is_wrong), fabs(offset), offset < 0 ? "small" : "large");
    return isfinite(offset) && fits_line(e, 1, offset, 1e-6);
}

static bool is_imprecise(const evidence *e, char text[DIAGNOSIS_TEXT])
{
    double largest = 0x1p-60;
    bool whole = true;
    for (size_t i = 0; i < e->count; i++) {
        const compared *c = &e->first[i];
        double error = fabs(c->value - c->expected) / fmax(fabs(c->expected), fabs(c->scale));
        largest = !c->wrong || error <= largest ? largest : error;
        whole = whole && c->expected == floor(c->expected);
    }
    snprintf(text, DIAGNOSIS_TEXT, "imprecise: all values are right within 2^%.0f",
             ceil(log2(largest) - 0.14));
    return !whole && largest <= 0x1p-7;
}

static bool wraps(const evidence *e, char text[DIAGNOSIS_TEXT])
{
    size_t by[2] = {0, 0}, wrong = count_of(e, is_wrong);
    for (size_t i = 0; i < e->count; i++) {
        double off = e->first[i].value - e->first[i].expected;
        by[0] += e->first[i].wrong && fmod(off, 256) == 0;
        by[1] += e->first[i].wrong && fmod(off, 65536) == 0;
    }
    snprintf(text, DIAGNOSIS_TEXT, "wrapped around: all wrong values are off by multiples of %d",
             by[1] == wrong ? 65536 : 256);
    return wrong > 3 && by[0] == wrong;
}

static bool has_nan(const evidence *e, char text[DIAGNOSIS_TEXT])
{
    char area[AREA_TEXT];
    size_t count = count_of(e, is_nan), at = first_of(e, is_nan);
    if (count < e->count && tell_area(e, is_nan, area))
        snprintf(text, DIAGNOSIS_TEXT, "NaN: %s", area);
    else
        snprintf(text, DIAGNOSIS_TEXT, "NaN: %zu of %zu values, from x=%ld y=%ld on", count,
                 e->count, (long)at % e->columns, (long)at / e->columns);
    return count > 0;
}

static bool has_huge(const evidence *e, char text[DIAGNOSIS_TEXT])
{
    size_t count = count_of(e, is_huge), at = first_of(e, is_huge);
    snprintf(text, DIAGNOSIS_TEXT, "huge: %zu of %zu values, the first at x=%ld y=%ld: %g", count,
             e->count, (long)at % e->columns, (long)at / e->columns, e->first[at].value);
    return count > 0;
}

/* The first wrong value of all may be where an index no longer fits its type. */
static bool ends_at_power(const evidence *e, char text[DIAGNOSIS_TEXT])
{
    size_t at = first_of(e, is_wrong);
    snprintf(text, DIAGNOSIS_TEXT, "index too small: right up to element %zu, wrong from 2^%d on",
             at - 1, at == 1 << 15 ? 15 : 16);
    return at == 1 << 15 || at == 1 << 16;
}

static bool lies_in_area(const evidence *e, char text[DIAGNOSIS_TEXT])
{
    char area[AREA_TEXT];
    bool told = count_of(e, is_wrong) < e->count && tell_area(e, is_wrong, area);
    if (told)
        snprintf(text, DIAGNOSIS_TEXT, "wrong in an area: %s", area);
    return told;
}

static bool (*const rules[])(const evidence *e, char text[DIAGNOSIS_TEXT]) = {
    differs,           ends_at_power, has_huge,          adds_to_output, is_zero,
    is_repeated,       is_transposed, is_mirrored,       is_shifted,     has_stride,
    was_never_written, has_nan,       depends_on_output, has_factor,     has_offset,
    is_imprecise,      wraps,         lies_in_area,
};

void diagnose(const evidence *e, char text[DIAGNOSIS_TEXT])
{
    bool any = count_of(e, is_wrong) > 0;
    for (size_t i = 0; any && i < sizeof rules / sizeof *rules; i++)
        if (rules[i](e, text))
            return;
    text[0] = '\0';
}
