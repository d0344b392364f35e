/*
 * checks.cu - lab 0's data, what each measure should come to, and what an element of it takes.
 *
 * Data: an array of n floats in [1, 2), padded to what a measure reads of it; its bits where words
 * are summed up, a ring of indices for the latency, small whole numbers for the tensor cores.
 */
#include <math.h>
#include <stdlib.h>

#include "ceilings.h"
#include "process/die.h"
#include "random.h"
#include "steps.h"
#include "tensor.cuh"

/* An element of an array, of floats or of whole numbers. */
typedef union word {
    float number;
    uint32_t bits;
} word;

static word whole(uint32_t bits)
{
    word w;
    w.bits = bits;
    return w;
}

static word number(float value)
{
    word w;
    w.number = value;
    return w;
}

WIDEST_VECTORS static inline word expect_read(const word *x, int, int i)
{
    return whole(sum_of_words(&x[(size_t)i * READ_WORDS].bits));
}

WIDEST_VECTORS static inline word expect_fma(const word *x, int, int i)
{
    return number(multiply_adds(x[i].number));
}

WIDEST_VECTORS static inline word expect_l2(const word *x, int n, int i)
{
    int rows = rows_of_l2(n), row = i / 128 % rows;
    uint32_t sum = 0;
    for (int k = 0; k < L2_PASSES; k += L2_LINES, row = (row + leap_over(rows)) % rows)
        for (int line = 0; line < L2_LINES; line++)
            sum += x[(size_t)row * L2_ROW + 128 * line + i % 128].bits;
    return whole(sum);
}

WIDEST_VECTORS static inline word expect_tile(const word *x, int, int i)
{
    int line = i < LINE_4 ? LINE_4 : LINE_16;
    uint32_t sum = 0;
    for (int j = i < LINE_4 ? i : i - LINE_4; j < TILE; j += line)
        sum += x[j].bits;
    return whole(sum * (READS / (TILE / line)));
}

WIDEST_VECTORS static inline word expect_int32(const word *x, int, int i)
{
    uint32_t v = x[i].bits;
    for (int k = 0; k < INT_STEPS; k++)
        v = multiplier(x[i].bits) * v + INCREMENT;
    return whole(v);
}

/* A geometric series: 2^x (q^EXPS - 1) / (q - 1), with q^EXPS = 2. */
WIDEST_VECTORS static inline word expect_exp(const word *x, int, int i)
{
    double q = exp2(1.0 / EXPS);
    return number((float)(exp2((double)x[i].number) / (q - 1)));
}

template <int TYPE>
WIDEST_VECTORS static inline word expect_tensor(const word *x, int, int i)
{
    int k = TENSOR_DEPTH[TYPE], at = i % WARP_SUMS, tile = MMA_ROWS * MMA_COLUMNS;
    const word *row = x + at % tile / MMA_COLUMNS * k;
    const word *column = x + (MMA_ROWS + at / tile * MMA_COLUMNS + at % MMA_COLUMNS) * k;
    float sum = x[i].number;
    for (int j = 0; j < k; j++)
        sum += (float)TENSOR_STEPS * row[j].number * column[j].number;
    return TYPE == INT8 ? whole((uint32_t)(int)sum) : number(sum);
}

/* Lanes have every eighth word of a line. */
enum { TABLE_PLACES = 4 };

static inline word expect_constant(const word *x, int, int i)
{
    uint32_t sum = 0;
    for (int line = 0; line < TABLE / 32; line++)
        sum += x[32 * line + 8 * i].bits;
    return whole(sum * (READS / (TABLE / 32)));
}

/* First lane l's words of lines l, then those of lines 2 l. */
static inline word expect_tags(const word *x, int, int i)
{
    int apart = 1 + i / 32, lane = i % 32;
    uint32_t sum = 0;
    for (int line = lane * apart; line < TAG_ROWS * TAG_LINES * 32 * apart; line += 32 * apart)
        sum += x[32 * line + lane].bits;
    return whole(sum * (READS / (TAG_ROWS * TAG_LINES)));
}

static inline word expect_store(const word *x, int, int i)
{
    int part = i - WHOLE_LINE;
    return whole(part < 0 ? x[i].bits + L2_PASSES
                          : x[part / 8].bits + (uint32_t)(L2_PASSES - 7 + part % 8));
}

/* Sums of one thread, of a warp and of all, n words each. */
static inline word expect_atomics(const word *x, int n, int i)
{
    const int added[] = {1, 32, n};
    int way = i / n, first = i % n;
    uint32_t sum = 0;
    for (int j = first; first % added[way] == 0 && j < first + added[way] && j < n; j++)
        sum += x[j].bits;
    return whole(ADDS * sum);
}

/* n blocks that start, n that end late. */
static inline word expect_blocks(const word *x, int n, int i)
{
    return whole((uint32_t)(i % n) + (i < n ? 0 : LATE_STEPS * x[0].bits));
}

static inline word expect_latency(const word *x, int, int i)
{
    uint32_t at = 0;
    for (int hop = 0; hop < HOPS / STOPS * (i + 1); hop++)
        at = x[at].bits;
    return whole(at);
}

template <word ELEMENT(const word *x, int n, int i)>
WIDEST_VECTORS static void expect(const problem *p, word *expected, int count)
{
    const word *x = (const word *)p->buffer[X].host;
#pragma omp parallel for simd
    for (int i = 0; i < count; i++)
        expected[i] = ELEMENT(x, p->width, i);
}

/* ---- what is measured ----------------------------------------------------------------------- */

/*
 * The bytes, operations and steps that each element of y takes. y has as many elements as x,
 * or `outputs`. What check() compares with is `expect`ed: nothing of copy and launch, who know.
 */
typedef struct quantity {
    void (*expect)(const problem *p, word *expected, int count);
    lab_work element;
    int inputs, outputs; /* of x and y, 0: as many as elements */
    int values, ways;    /* of what is expected; 0: as many as y has, in so many ways (0: in one) */
    bool is_whole;       /* y holds whole numbers */
    double tolerance;    /* in units of 2^-24 of the expected value; 0: they must be equal */
} quantity;

/*
 * Rounding of an exponential's argument (below 4, to 2^-22) and of the function (2 units in the
 * last place by the Programming Guide) come to 6 units, the sum's to EXPS - 1.
 */
static const quantity quantities[] = {
    /* copy */ {.element = {.bytes = 8}},
    /* read */
    {.expect = expect<expect_read>, .element = {.bytes = 4 * READ_WORDS + 4}, .is_whole = true},
    /* fma */
    {.expect = expect<expect_fma>, .element = {.bytes = 8, .flops = 2 * FMAS}},
    /* l2 */
    {.expect = expect<expect_l2>, .element = {.bytes = 4 * L2_PASSES}, .is_whole = true},
    /* shared, loads */
    {.expect = expect<expect_tile>,
     .element = {.bytes = 4 * READS},
     .inputs = TILE,
     .values = TILE_SUMS,
     .is_whole = true},
    {.expect = expect<expect_tile>,
     .element = {.bytes = 4 * READS},
     .inputs = TILE,
     .values = TILE_SUMS,
     .is_whole = true},
    /* int32 */
    {.expect = expect<expect_int32>,
     .element = {.bytes = 8, .int_ops = 2 * INT_STEPS},
     .is_whole = true},
    /* exp */
    {.expect = expect<expect_exp>, .element = {.bytes = 8, .flops = EXPS}, .tolerance = EXPS + 8},
    /* tensor_fp16, tensor_tf32, tensor_int8, tensor_fp64 */
    {.expect = expect<expect_tensor<FP16>>,
     .element = {.bytes = 8, .flops = 2 * 16 * TENSOR_STEPS}},
    {.expect = expect<expect_tensor<TF32>>, .element = {.bytes = 8, .flops = 2 * 8 * TENSOR_STEPS}},
    {.expect = expect<expect_tensor<INT8>>,
     .element = {.bytes = 8, .int_ops = 2 * 32 * TENSOR_STEPS},
     .is_whole = true},
    {.expect = expect<expect_tensor<FP64>>,
     .element = {.bytes = 8, .flops = 2 * 16 * TENSOR_STEPS}},
    /* constant */
    {.expect = expect<expect_constant>,
     .element = {.bytes = 4 * READS},
     .inputs = TABLE,
     .values = TABLE_PLACES,
     .is_whole = true},
    /* l2_store */
    {.expect = expect<expect_store>,
     .element = {.bytes = 4 * L2_PASSES},
     .inputs = WHOLE_LINE,
     .values = WHOLE_LINE + PART_LINE,
     .is_whole = true},
    /* tags */
    {.expect = expect<expect_tags>,
     .element = {.bytes = 4 * READS},
     .inputs = TAG_WORDS,
     .values = 64,
     .is_whole = true},
    /* atomics */
    {.expect = expect<expect_atomics>,
     .element = {.bytes = 8, .int_ops = ADDS},
     .ways = 3,
     .is_whole = true},
    /* blocks */
    {.expect = expect<expect_blocks>,
     .element = {.bytes = 4, .int_ops = 1},
     .inputs = 1,
     .ways = 2,
     .is_whole = true},
    /* launch */ {.element = {.bytes = 4}, .inputs = TILE, .outputs = 2, .is_whole = true},
    /* latency */
    {.expect = expect<expect_latency>,
     .element = {.bytes = 4.0 * HOPS / STOPS, .int_ops = (double)HOPS / STOPS},
     .outputs = STOPS,
     .is_whole = true},
    /* link */ {.element = {.bytes = 4}},
};
static_assert(sizeof quantities / sizeof quantities[0] == LINK + 1, "one for each measure");

int outputs(const problem *p)
{
    if (measure == LINK)
        return (int)message_words(p);
    if (measure == READ)
        return read_sums(p->width);
    if (measure == L2_STORE)
        return rows_of_l2(p->width) * L2_ROW;
    return quantities[measure].outputs ? quantities[measure].outputs : p->width;
}

static bool is_tensor(void)
{
    return measure >= TENSOR_FP16 && measure <= TENSOR_FP64;
}

/* ---- data ----------------------------------------------------------------------------------- */

/* The words of x: as many as elements, or what a kernel reads whatever their number. */
static size_t input_words(const problem *p)
{
    size_t n = (size_t)p->width;
    if (quantities[measure].inputs)
        return (size_t)quantities[measure].inputs;
    if (is_tensor() && n < TENSOR_VALUES)
        return TENSOR_VALUES;
    if (measure == READ)
        return (size_t)read_sums(p->width) * READ_WORDS;
    if (measure == L2)
        return (size_t)rows_of_l2(p->width) * L2_ROW;
    if (measure == LINK)
        return all_messages(p);
    if (measure == LATENCY)
        return (size_t)ring_words(p->width) + (p->width > NEAR ? SPILL : 0);
    return n;
}

void layout(problem *p)
{
    problem_add_buffer(p, "x", BUFFER_INPUT, input_words(p) * sizeof(word));
    problem_add_buffer(p, "y", BUFFER_OUTPUT,
                       (measure == LINK ? all_messages(p) : (size_t)outputs(p)) * sizeof(word));
}

/*
 * A ring of a power of two of words: a linear congruential generator of full period (Hull and
 * Dobell, Random number generators, SIAM Review 4, 1962). Words behind it hold indices, too.
 */
static void fill_ring(word *x, uint32_t words, uint32_t ring, uint64_t seed)
{
    uint32_t increment = (uint32_t)random_bits(seed, 0) | 1;
#pragma omp parallel for simd
    for (uint32_t i = 0; i < words; i++)
        x[i].bits = (1664525 * i + increment) % ring;
}

void fill(const problem *p)
{
    float *x = (float *)p->buffer[X].host;
    size_t words = input_words(p);
    if (measure == LATENCY)
        fill_ring((word *)x, (uint32_t)words, (uint32_t)ring_words(p->width), p->seed);
    else
        random_fill_float(x, words, is_tensor() ? -3 : 1, is_tensor() ? 4 : 2, p->seed);
    for (size_t i = 0; i < words && is_tensor(); i++)
        x[i] = floorf(x[i]);
}

void *reference(const problem *p)
{
    const quantity *q = &quantities[measure];
    int count = q->values ? q->values : outputs(p) * (q->ways ? q->ways : 1);
    if (!q->expect)
        return NULL;
    word *expected = (word *)allocate((size_t)count * sizeof *expected);
    q->expect(p, expected, count);
    return expected;
}

/* What y[i] should be: expected[i % period]. */
typedef struct comparison {
    const word *y, *expected;
    size_t period;
} comparison;

template <bool WHOLE>
static checked value_at(const void *context, size_t i)
{
    const comparison *c = (const comparison *)context;
    word value = c->y[i], expected = c->expected[i % c->period];
    if (WHOLE)
        return {(double)value.bits, (double)expected.bits, 0};
    return {value.number, expected.number, 0x1p-24 * expected.number};
}

/* Additions and multiply-adds of a kind are rounded alike everywhere, or not at all. */
check_result check(const problem *p, const variant *v)
{
    const quantity *q = &quantities[measure];
    const own_check *own = (const own_check *)v->own;
    const word ran[] = {whole((uint32_t)p->width), whole(~(uint32_t)p->width)};
    comparison c = {(const word *)p->buffer[Y].host, (const word *)p->reference,
                    (size_t)outputs(p)};
    if (own && own->check)
        return own->check(p, v);
    if (measure == COPY)
        c.expected = (const word *)p->buffer[X].host;
    if (measure == LAUNCH)
        c.expected = ran;
    if (own) {
        c.expected += own->first + (size_t)own->way * c.period;
        c.period = own->period ? (size_t)own->period : c.period;
    }
    return check_all(q->tolerance, outputs(p), (size_t)outputs(p),
                     q->is_whole ? value_at<true> : value_at<false>, &c);
}

lab_work work(const problem *p)
{
    lab_work one = quantities[measure].element;
    double n = outputs(p);
    return {.bytes = n * one.bytes, .flops = n * one.flops, .int_ops = n * one.int_ops};
}
