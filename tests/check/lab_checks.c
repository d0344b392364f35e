/*
 * lab_checks.c - does a lab's check() refuse what is wrong, and only that? Linked with each lab's
 * object in place of the harness's lab_main(), it sweeps with a check() that spoils each variant's
 * right output here and there and asks the lab's own; the exit status is 1 where that is mistaken.
 * What that cannot show, lines on stdout have for the lab's golden/work.txt: the parameters of the
 * row, and what stands for the inputs' bits; of each variant its kernel, bytes, operations and what
 * is expected in some places, with the bound: a reference may be wrong in the way of all variants.
 * Other lines are what it refuses, by blocks. Without arguments it lists settings of the lab's own
 * options; with --declared what its tables have beside functions and kernels. In the environment
 * STALE=1 gives the variants zeros, and check() the reference of other inputs; FEW=1 spoils fewer
 * places.
 */
#include "measure/buffers.h"
#include "measure/variant.h"
#include "run/sweep.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* heap.c's, where that is linked. */
__attribute__((weak)) int tap_unfreed(void);

static const lab *tested;
static bool is_stale;
static int failures;

typedef struct output {
    const problem *problem;
    const variant *variant;
    unsigned char *values, *right; /* what check() looks at, and a copy of what the variant gave */
    size_t bytes, element_bytes, count, row_length, middle;
    bool is_float, is_signed;
} output;

static double get(const output *o, size_t i)
{
    float value = 0;
    int64_t whole = 0;
    void *kept = o->is_float ? (void *)&value : &whole;
    memcpy(kept, o->values + i * o->element_bytes, o->element_bytes);
    return o->is_float ? value : o->is_signed ? (int16_t)whole : (double)whole;
}

/* An integer beyond its type's range wraps around. */
static void put(const output *o, size_t i, double value)
{
    float rounded = (float)value;
    int64_t whole = o->is_float ? 0 : (int64_t)value;
    const void *kept = o->is_float ? (void *)&rounded : &whole;
    memcpy(o->values + i * o->element_bytes, kept, o->element_bytes);
}

/* What check() says of what lies there now; then the right output lies there again. */
static check_result judge(const output *o)
{
    check_result r = tested->check(o->problem, o->variant);
    memcpy(o->values, o->right, o->bytes);
    return r;
}

static void demand(const output *o, bool passes, const char *what, size_t at)
{
    check_result r = judge(o);
    if (check_passed(&r) == passes)
        return;
    failures++;
    fprintf(stderr, "%s: check() %s %s, element %zu\n", o->variant->name,
            passes ? "refuses" : "accepts", what, at);
}

/* The output as it lies there, right. How check() reads nothing but ones tells its elements' type.
 */
static output take_output(const problem *p, const variant *v)
{
    const lab_buffer *b = p->buffer;
    while (b->role != BUFFER_OUTPUT)
        b++;
    output o = {.problem = p, .variant = v, .values = b->host, .bytes = b->bytes};
    o.right = allocate(o.bytes);
    memcpy(o.right, o.values, o.bytes);
    memset(o.values, 0xFF, o.bytes);
    check_result r = judge(&o);
    o.is_float = isnan(r.value);
    o.is_signed = r.value == -1; /* 16 bits, the others are 8 and 32 */
    o.element_bytes = r.value == UINT8_MAX ? 1 : o.is_signed ? 2 : 4;
    o.count = o.bytes / o.element_bytes;
    o.row_length = (size_t)r.row_length;
    o.middle = o.count / o.row_length / 2 * o.row_length + o.row_length / 2;
    return o;
}

/* How far from `middle` (NaN: not known) the element may lie: an error larger than any other tells.
 */
static double bound_at(const output *o, size_t i, double *middle)
{
    double right = get(o, i);
    double far = o->element_bytes == 1 ? 100 : o->element_bytes == 2 ? 1e4 : 1e9;
    if (o->is_float)
        far = fmax(far, 4 * fabs(right));
    put(o, i, right > far ? right - far : right + far);
    double wrong = get(o, i);
    check_result r = judge(o);
    bool itself = r.first_wrong == i && r.value == wrong; /* and not a sum that it is a part of */
    *middle = itself ? r.expected : NAN;
    return r.tolerance * fabs(wrong - (itself ? r.expected : right)) / r.max_error;
}

/* Twice the bound is too much, half of it is not; of whole numbers the nearest. */
static void spoil_element(const output *o, size_t i)
{
    if (!isfinite(get(o, i)))
        return; /* it has no neighbours, and must be what it is */
    double middle, bound = bound_at(o, i, &middle);
    middle = isnan(middle) ? get(o, i) : middle;
    double wrong = o->is_float ? 2 * bound : fmax(ceil(2 * bound), 1);
    double right = o->is_float ? bound / 2 : floor(bound);
    for (int sign = -1; sign <= 1; sign += 2) {
        put(o, i, wrong == 0 ? nextafterf((float)middle, sign * INFINITY) : middle + sign * wrong);
        demand(o, false, sign < 0 ? "too small a value" : "too large a value", i);
        put(o, i, middle + sign * right);
        bool within = fabs(get(o, i) - middle) <= bound; /* it did not wrap around */
        demand(o, within, within ? "a value within the bound" : "a value far off", i);
    }
    if (!o->is_float)
        return;
    put(o, i, NAN);
    demand(o, false, "NaN", i);
    put(o, i, INFINITY);
    demand(o, false, "infinity", i);
}

/* Are all elements of a row so alike that each may stand for its neighbour? */
static bool is_flat(const output *o, size_t row)
{
    size_t first = row * o->row_length;
    double right = get(o, first), middle, bound = o->is_float ? bound_at(o, first, &middle) : 0;
    put(o, first, right);
    for (size_t i = 1; i < o->row_length; i++)
        if (!(fabs(get(o, first + i) - right) <= bound))
            return false;
    return true;
}

static void spoil_row(const output *o, size_t row)
{
    bool flat = is_flat(o, row);
    size_t bytes = o->row_length * o->element_bytes;
    unsigned char *start = o->values + row * bytes;
    memset(start, 0xFF, bytes);
    demand(o, false, "a row that was not written", row * o->row_length);
    memmove(start + o->element_bytes, start, bytes - o->element_bytes);
    memcpy(start, o->right + (row + 1) * bytes - o->element_bytes, o->element_bytes); /* same sum */
    if (!flat)
        demand(o, false, "a row that is off by an element", row * o->row_length);
}

/* Corners, middles of the edges and of the whole, and others in even steps: of all channels. */
static void spoil(const output *o)
{
    const size_t steps = getenv("FEW") ? 5 : 17;
    const size_t length = o->row_length, height = o->count / length;
    const size_t rows[] = {0, height / 2, height - 1};
    memset(o->values, 0xFF, o->bytes);
    demand(o, false, "an output that was not written", 0);
    for (int k = 0; k < 3; k++) {
        spoil_element(o, rows[k] * length);
        spoil_element(o, rows[k] * length + length / 2);
        spoil_element(o, rows[k] * length + length - 1);
        spoil_row(o, rows[k]);
    }
    for (size_t k = 1; k < steps; k++)
        spoil_element(o, k * (o->count - 1) / steps);
}

/* Also of a variant that this build cannot run. Whole numbers that must be equal are added up. */
static void tell_work(const problem *p, const variant *v)
{
    double expected, sum = 0;
    const lab_work work = tested->work(p);
    output o = take_output(p, v);
    check_result r = judge(&o);
    const size_t m = o.middle, at[] = {0, m, m + 1, m + 2, m + 3, o.count - 1};
    for (size_t i = 0; i < o.count && !o.is_float && r.tolerance == 0; i++)
        sum += get(&o, i) * (double)(i % 97); /* of values that change places, too */
    printf("work bytes %.0f flops %.0f int_ops %.0f tolerance %.4g sum %.0f", work.bytes,
           work.flops, work.int_ops, r.tolerance, sum);
    for (int k = 0; k < 6; k++) {
        double bound = bound_at(&o, at[k] < o.count ? at[k] : o.count - 1, &expected);
        printf(" %.8g+-%.3g", expected, bound);
    }
    const void *kernel = variant_kernel(v, (dim3){8, 8, 1}, 0);
    printf(" %s%s%s\n", v->name, kernel ? "=" : "", kernel ? device_kernel_symbol(kernel) : "");
    free(o.right);
}

/* Which blocks it refuses, and why; what a build may lack has reasons of its own. */
static void tell_refusals(const problem *p, const variant *v)
{
    static const unsigned sides[] = {1,  2,  3,  4,  5,   6,   7,   8,   16,  24,  31,
                                     32, 33, 64, 96, 128, 256, 257, 288, 512, 1024};
    enum { COUNT = sizeof sides / sizeof *sides };
    for (int i = 0; v->refuse && !v->needs && i < COUNT * COUNT; i++) {
        dim3 block = {sides[i % COUNT], sides[i / COUNT], 1};
        const char *reason = block.x * block.y > 1024 ? "too large" : v->refuse(p, block);
        printf("refusal %s %ux%u %s\n", v->name, block.x, block.y, reason ? reason : "none");
    }
}

static void tell(const problem *p)
{
    char text[256];
    tested->parameters(text, sizeof text);
    printf("parameters %s inputs %016" PRIx64 "\n", text, problem_bits(p, true));
    for (const variant *v = tested->variants; v < tested->variants + tested->n_variants; v++)
        if (!v->applies || v->applies()) {
            tell_work(p, v);
            tell_refusals(p, v);
        }
}

/* A yardstick is compared with its input, as is all in a lab that has no reference. */
static check_result check_and_spoil(const problem *p, const variant *v)
{
    static bool told;
    if (!told)
        tell(p);
    told = true;
    if (!v->unordered)
        printf("bits %016" PRIx64 " %s\n", problem_bits(p, false), v->name);
    output o = take_output(p, v);
    demand(&o, !is_stale || !p->reference || v->role == ROLE_YARDSTICK, "what the variant gave", 0);
    if (!is_stale)
        spoil(&o);
    free(o.right);
    return tested->check(p, v);
}

/* The problem keeps the reference of the inputs that were there before the zeros. */
static void fill_stale(const problem *p)
{
    tested->fill(p);
    ((problem *)p)->reference = tested->reference ? tested->reference(p) : NULL;
    for (int i = 0; i < p->buffers; i++)
        if (p->buffer[i].role == BUFFER_INPUT || p->buffer[i].role == BUFFER_RESIDENT)
            memset(p->buffer[i].host, 0, p->buffer[i].bytes);
}

static int list_settings(void)
{
    static const char *const numbers[] = {"0", "1", "2", NULL};
    puts("--seed 2");
    for (const lab_option *o = tested->options; o < tested->options + tested->n_options; o++) {
        const char *const *words = o->choices ? o->choices : numbers;
        for (int k = 0; words[k]; k++) /* a text has no range */
            if (o->choices || (o->min < o->max && k >= o->min && k <= o->max) ||
                (o->type == OPTION_FLAG && k == 0))
                printf("%s %s\n", o->name, o->type == OPTION_FLAG ? "" : words[k]);
    }
    return 0;
}

static const char *known(const char *text)
{
    return text ? text : "-";
}

static void list_runs(const char *name, const lab_settings *runs)
{
    for (; runs && runs->options; runs++)
        printf("%s %s %d\n", name, runs->options, runs->full);
}

/* Lists what the tables declare; nothing else may depend on a figure or a word of it. */
static int list_declared(void)
{
    const lab_sweep *s = &tested->sweep;
    const lab_single *single = &tested->single;
    for (const variant *v = tested->variants; v < tested->variants + tested->n_variants; v++)
        printf("%s %d %d: %s; %s; %s; %s; %d %d%d%d%d%d%d\n", v->name, (int)v->kind, (int)v->role,
               v->summary, known(v->needs), known(v->architecture), known(v->note), v->own_block,
               v->on_host, v->unpinned, v->unordered, v->slow, v->singly, v->exchanges);
    for (const lab_option *o = tested->options; o < tested->options + tested->n_options; o++)
        printf("%s %d %g %g %s; %s\n", o->name, (int)o->type, o->min, o->max, known(o->argument),
               o->help);
    printf("%s; %s; %s; %g; %s; %d; %s\n", s->sizes, known(s->sizes_large), known(s->scaling_size),
           s->emulated_max, s->blocks, s->any_shape, known(s->stream));
    list_runs("run", s->configurations);
    list_runs("scaling", s->scaling);
    list_runs("divided", s->divided);
    for (int i = 0; single->positional[i]; i++)
        printf("%s %d\n", single->positional[i], i < single->required);
    printf("%s %s %s; %d\n", single->size, single->block, single->trials, tested->elementwise);
    return 0;
}

int lab_main(const lab *definition, int argc, char **argv)
{
    lab spy = *definition;
    tested = definition;
    is_stale = getenv("STALE") != NULL;
    spy.check = check_and_spoil;
    if (is_stale)
        spy.fill = fill_stale, spy.reference = NULL;
    die_set_program(argv[0]);
    if (argc == 1)
        return list_settings();
    if (strcmp(argv[1], "--declared") == 0)
        return list_declared();
    options o = options_parse(&spy, argc, argv);
    device d = device_open(o.device);
    store rows = store_open(NULL, false);
    if (spy.configure)
        spy.configure();
    sweep_run(&spy, &o, &d, "", &rows); /* one GPU has no link to run */
    failures += rows.counts.wrong && !is_stale;
    store_free(&rows);
    options_free(&o);
    if (tap_unfreed && tap_unfreed() > 0)
        failures += fprintf(stderr, "%d pieces of memory are not freed\n", tap_unfreed()) > 0;
    return failures ? 1 : 0;
}
