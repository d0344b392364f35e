/*
 * test_diagnose.c - made-up outputs, each with one mistake, and what is said of them; outputs that
 * lie just beside a rule, of which it is not said.
 */
#include "run/diagnose.h"
#include "tap.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

enum { COLUMNS = 20, ROWS = 14, BLOCK_X = 8, BLOCK_Y = 4, MOST = 1 << 17 };

static compared first[MOST + 1], again[MOST + 1], zeros[MOST + 1];
static evidence e;

/* What should stand there: no two alike, and no multiple of one another. */
static double expected_at(size_t i)
{
    return 100.5 + (double)(i * 7919 % 10007);
}

/* An output of which all is right, and behind it what is like nothing else. */
static void start(long columns, long rows, long block_x, long block_y)
{
    e = (evidence){first, again, zeros, (size_t)(columns * rows), columns, rows, block_x, block_y};
    for (size_t i = 0; i < e.count; i++)
        first[i] = again[i] = zeros[i] = (compared){.value = expected_at(i),
                                                    .expected = expected_at(i),
                                                    .scale = expected_at(i),
                                                    .room = 1e-6,
                                                    .seen = true};
    first[e.count] = again[e.count] = (compared){.value = 1e30, .wrong = true, .seen = true};
    zeros[e.count] = (compared){.value = -1e30, .wrong = true, .seen = true};
}

static void start_usual(void)
{
    start(COLUMNS, ROWS, BLOCK_X, BLOCK_Y);
}

static void set(compared *run, size_t i, double value)
{
    run[i].value = value;
    run[i].wrong = !(fabs(value - run[i].expected) <= run[i].room);
}

/* In all three runs. */
static void put(size_t i, double value)
{
    set(first, i, value);
    set(again, i, value);
    set(zeros, i, value);
}

/* Nobody writes it. */
static void leave_out(size_t i)
{
    put(i, NAN);
    set(zeros, i, 0);
}

static void says(const char *text, const char *name)
{
    char said[DIAGNOSIS_TEXT];
    diagnose(&e, said);
    is(said, text, "%s", name);
}

/* ---- areas ---------------------------------------------------------------------------------- */

typedef bool place(long x, long y);

#define PLACE(name, condition)                                                                     \
    static bool name(long x, long y)                                                               \
    {                                                                                              \
        (void)x, (void)y;                                                                          \
        return condition;                                                                          \
    }
PLACE(everywhere, true)
PLACE(last_columns, x >= 17)
PLACE(last_row, y == ROWS - 1)
PLACE(first_rows, y < 3)
PLACE(border, y == 0 || y == ROWS - 1 || x >= COLUMNS - 2 || x == 0)
PLACE(part_of_block, x >= 2 * BLOCK_X)
PLACE(part_of_blocks, y >= 3 * BLOCK_Y)
PLACE(but_first_block, x >= BLOCK_X || y >= BLOCK_Y)
PLACE(second_columns, x % 2)
PLACE(second_rows, y % 2 == 0)
PLACE(column_of_blocks, x % BLOCK_X == BLOCK_X - 1)
PLACE(row_of_blocks, y % BLOCK_Y >= 2)
PLACE(scattered, x * 5 % 7 == 1 && (x + y) % 3 == 2)
PLACE(one_more, last_columns(x, y) || (x == 3 && y == 5))
static void test_areas(void)
{
    static const struct {
        place *is_in;
        const char *text;
    } cases[] = {
        {everywhere, "all 280 values"},
        {last_columns, "the last 3 columns (from 17 on)"},
        {last_row, "the last 1 row (from 13 on)"},
        {first_rows, "the first 3 rows"},
        {border, "the first 1 and the last 2 columns and the first 1 and the last 1 rows"},
        {part_of_block, "the last 4 columns (from 16 on, a part of a block)"},
        {part_of_blocks, "the last 2 rows (from 12 on, a part of a block)"},
        {but_first_block, "the last 12 columns (from 8 on, all but the first block) and "
                          "the last 10 rows (from 4 on, all but the first block)"},
        {second_columns, "every second column"},
        {second_rows, "every second row"},
        {column_of_blocks, "the last 1 column (from 7 on) of each block"},
        {row_of_blocks, "the last 2 rows (from 2 on) of each block"},
        {scattered, "14 of 280 values, the first at x=17 y=0"},
        {one_more, "43 of 280 values, the first at x=17 y=0"},
    };
    char text[DIAGNOSIS_TEXT];
    for (size_t k = 0; k < COUNT(cases); k++) {
        start_usual();
        for (long y = 0; y < ROWS; y++)
            for (long x = 0; x < COLUMNS; x++)
                if (cases[k].is_in(x, y))
                    leave_out((size_t)(y * COLUMNS + x));
        snprintf(text, sizeof text, "never written: %s", cases[k].text);
        says(text, text);
    }
    start(10, 1, 4, 1);
    for (size_t i = 8; i < 10; i++)
        leave_out(i);
    says("never written: the last 2 columns (from 8 on, a part of a block)", "of a vector");
    start(8, 1, 4, 1);
    for (size_t i = 1; i < 8; i += 4)
        leave_out(i), leave_out(i + 1);
    says("never written: 4 of 8 values, the first at x=1 y=0",
         "the middle of each block has no name");
}

/* ---- places --------------------------------------------------------------------------------- */

/* What should stand at (x, y) stands at (x + dx, y + dy); what comes from nowhere is unwritten. */
static void shift(long dx, long dy)
{
    start_usual();
    for (long y = 0; y < ROWS; y++)
        for (long x = 0; x < COLUMNS; x++) {
            size_t to = (size_t)(y * COLUMNS + x);
            bool inside = x - dx >= 0 && x - dx < COLUMNS && y - dy >= 0 && y - dy < ROWS;
            if (inside)
                put(to, expected_at((size_t)((y - dy) * COLUMNS + x - dx)));
            else
                leave_out(to);
        }
}

static void test_places(void)
{
    char text[DIAGNOSIS_TEXT];
    static const long shifts[][2] = {{1, 0}, {0, -1}, {-2, 1}, {3, 3}, {BLOCK_X, 0}, {0, -BLOCK_Y}};
    start_usual();
    for (size_t i = 0; i < e.count; i++) /* (x, y) to (y, x), in a row of ROWS */
        put(i % COLUMNS * ROWS + i / COLUMNS, expected_at(i));
    says("transposed: what should stand at (x, y) stands at (y, x)", "transposed");
    start(ROWS, ROWS, BLOCK_X, BLOCK_Y);
    for (size_t i = 0; i < e.count; i++)
        put(i, expected_at(i % ROWS * ROWS + i / ROWS));
    says("transposed: what should stand at (x, y) stands at (y, x)", "transposed, square");
    start_usual();
    for (size_t i = 0; i < e.count; i++)
        put(i, expected_at(i / COLUMNS * COLUMNS + COLUMNS - 1 - i % COLUMNS));
    says("mirrored: columns run backwards", "mirrored in x");
    start_usual();
    for (size_t i = 0; i < e.count; i++)
        put(i, expected_at((ROWS - 1 - i / COLUMNS) * COLUMNS + i % COLUMNS));
    says("mirrored: rows run backwards", "mirrored in y");
    for (size_t k = 0; k < COUNT(shifts); k++) {
        shift(shifts[k][0], shifts[k][1]);
        snprintf(text, sizeof text, "shifted: what should stand at (x, y) stands at (x%+ld, y%+ld)",
                 shifts[k][0], shifts[k][1]);
        says(text, text);
    }
    for (int sign = -1; sign <= 1; sign += 2) {
        const long stride = COLUMNS + 6 * sign;
        start_usual();
        for (size_t i = 0; i < e.count; i++)
            leave_out(i);
        for (long y = 0; y < ROWS; y++)
            for (long x = 0; x < COLUMNS; x++)
                if (y * stride + x < (long)e.count)
                    put((size_t)(y * stride + x), expected_at((size_t)(y * COLUMNS + x)));
        snprintf(text, sizeof text, "wrong stride: rows lie %ld values apart, not 20", stride);
        says(text, text);
    }
}

/* ---- values --------------------------------------------------------------------------------- */

#define MADE(name, value)                                                                          \
    static double name(double x)                                                                   \
    {                                                                                              \
        (void)x;                                                                                   \
        return value;                                                                              \
    }
MADE(one_value, 7.25)
MADE(nothing, 0)
MADE(doubled, 2 * x)
MADE(negative, -x)
MADE(nearly, 1.005 * x)
MADE(larger, x + 3)
MADE(smaller, x - 0.25)
MADE(rounded, x *(1 + 0x1p-10))
MADE(coarse, x *(fmod(x, 2) > 1 ? 1 + 0x1.8p-7 : 1 - 0x1.8p-7))
static void test_values(void)
{
    static const struct {
        double (*made_of)(double);
        const char *text;
    } cases[] = {
        {one_value, "repeated: one value everywhere, such as 7.25"},
        {nothing, "zero: each of the 280 wrong values is 0"},
        {doubled, "wrong by a factor: values are 2 times what they should be"},
        {negative, "wrong by a factor: values are -1 times what they should be"},
        {nearly, "imprecise: all values are right within 2^-7"},
        {larger, "wrong by an offset: each of the 280 wrong values is 3 too large"},
        {smaller, "wrong by an offset: each of the 280 wrong values is 0.25 too small"},
        {rounded, "imprecise: all values are right within 2^-10"},
        {coarse, ""},
    };
    for (size_t k = 0; k < COUNT(cases); k++) {
        start_usual();
        for (size_t i = 0; i < e.count; i++)
            put(i, cases[k].made_of(expected_at(i)));
        says(cases[k].text, cases[k].text);
    }
    start_usual();
    says("", "nothing is said of what is right");
    put(5, expected_at(5) + 4000);
    put(77, expected_at(77) / 3);
    says("", "nor of two values that nothing explains");
    /* 266 of 280 values are 95 %. */
    for (size_t others = 14; others <= 15; others++) {
        start_usual();
        for (size_t i = 0; i < e.count; i++)
            put(i, (i < others ? 5 + (double)i : 2) * expected_at(i));
        says(others == 14 ? cases[2].text : "", others == 14 ? "95 % are doubled" : "94 % are");
    }
}

static void test_whole_values(void)
{
    start_usual();
    for (size_t i = 0; i < e.count; i++) {
        first[i].expected = 100 + (double)(i * 37 % 101);
        put(i, floor(0.5 * first[i].expected));
    }
    says("wrong by a factor: values are 0.5 times what they should be", "bytes by a half, cut off");
    start_usual();
    for (size_t i = 0; i < e.count; i++) {
        first[i].expected = 4 + (double)(i % 3);
        put(i, first[i].expected - (double)(1 + i % 2));
    }
    says("", "of small counts, some of which are lost, no factor is told");
}

/* Tiles of one value each, where each should have many. */
static void test_tiles(void)
{
    static const struct {
        long across, down;
        const char *text;
    } cases[] = {
        {COLUMNS, 1, "along each row"},
        {1, ROWS, "along each column"},
        {BLOCK_X, BLOCK_Y, "in each block"},
        {BLOCK_X, 1, "along each row of a block"},
        {1, BLOCK_Y, "along each column of a block"},
    };
    char text[DIAGNOSIS_TEXT];
    for (size_t k = 0; k < COUNT(cases); k++) {
        start_usual();
        for (long i = 0; i < (long)e.count; i++) {
            long x = i % COLUMNS / cases[k].across, y = i / COLUMNS / cases[k].down;
            put((size_t)i, 1.5 + (double)(x * 13 + y * 29));
        }
        snprintf(text, sizeof text, "repeated: one value %s, such as 1.5", cases[k].text);
        says(text, text);
    }
    start_usual();
    for (size_t i = 0; i < e.count; i++) { /* all alike but four, and one of these wrong */
        first[i].expected = again[i].expected = zeros[i].expected =
            i < 276 ? 7.25 : (double)((i - 275) * (i - 275));
        first[i].scale = 0;
        put(i, 7.25);
    }
    says("", "one value where nearly all are to be that");
}

static void test_bits(void)
{
    start_usual();
    for (size_t i = 0; i < e.count; i++) {
        first[i].expected = again[i].expected = zeros[i].expected = 700 + (double)(i % 90);
        put(i, first[i].expected - 256 * (double)(1 + i % 3));
    }
    says("wrapped around: all wrong values are off by multiples of 256", "bytes");
    for (size_t i = 0; i < e.count; i++)
        put(i, first[i].expected - 65536 * (double)(1 + i % 3));
    says("wrapped around: all wrong values are off by multiples of 65536", "16 bits");
    for (size_t i = 3; i < e.count; i++)
        put(i, first[i].expected);
    says("", "three values may be chance");
    for (size_t i = 0; i < e.count; i++)
        put(i, first[i].expected - (i == 9 ? 255 : 256 * (double)(1 + i % 3)));
    says("", "one that is off by another number");
    for (size_t i = 0; i < e.count; i++)
        put(i, first[i].expected + (i % 2 ? 1 : -1));
    says("", "whole numbers are not imprecise");
    for (int power = 15; power <= 16; power++) {
        start(MOST, 1, 0, 0);
        for (size_t i = (size_t)1 << power; i < e.count; i++)
            put(i, expected_at(i + 5));
        says(power == 15 ? "index too small: right up to element 32767, wrong from 2^15 on"
                         : "index too small: right up to element 65535, wrong from 2^16 on",
             power == 15 ? "2^15" : "2^16");
    }
}

/* ---- what runs differ in -------------------------------------------------------------------- */

static void test_runs(void)
{
    start_usual();
    put(45, 8);
    set(again, 45, 9);
    set(again, 46, 3);
    says("different from run to run: 2 values, the first at x=5 y=2: 8, then 9", "two runs");
    start_usual();
    for (size_t i = 0; i < e.count; i++) {
        put(i, expected_at(i) + 255);
        set(zeros, i, expected_at(i));
    }
    says("added to what the output held: over zeros 280 of the 280 wrong values are right",
         "added");
    for (size_t i = 0; i < 20; i++)
        set(zeros, i, 5);
    says("other values over zeros: 280 depend on what the output or scratch held before",
         "too few are right");
    start_usual();
    for (size_t i = 40; i < 60; i++)
        put(i, NAN);
    says("NaN: 20 of 280 values, from x=0 y=2 on", "a row of NaN");
    for (size_t i = 0; i < 40; i++)
        put(i, NAN);
    says("NaN: the first 3 rows", "NaN in the first rows");
    start_usual();
    put(21, 3e33);
    put(22, 1e21);
    put(23, 1e19);
    says("huge: 2 of 280 values, the first at x=1 y=1: 3e+33", "guard zones");
    start_usual();
    for (long y = 0; y < ROWS; y++)
        put((size_t)(y * COLUMNS + COLUMNS - 1), expected_at((size_t)y) * (1.1 + 0.2 * (double)y));
    says("wrong in an area: the last 1 column (from 19 on)", "the last column");
}

int main(void)
{
    test_areas();
    test_places();
    test_values();
    test_whole_values();
    test_tiles();
    test_bits();
    test_runs();
    return done_testing();
}
