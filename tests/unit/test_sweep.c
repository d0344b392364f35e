/*
 * test_sweep.c - whole sweeps, on a device that is thought to be a GPU and by a clock that runs
 * move: which rows there are, of cold data or hot, in which order samples are taken, over what a
 * speedup is, how long a run would take; what is said meanwhile, and of a process that was killed.
 */
#define _POSIX_C_SOURCE 200809L /* process.h */

#include "command_line/progress.h"
#include "fixture.h"
#include "machine/host.h"
#include "measure/variant.h"
#include "process.h"
#include "run/child.h"
#include "run/cpu_limit.h"
#include "run/sweep.h"

#include <math.h>
#include <signal.h>
#include <time.h>

/* ---- the computer: in place of host.c -------------------------------------------------------- */

static double now;
static int readings; /* no two steps take the same time */

double host_seconds(void)
{
    return now += 1e-9 * ++readings;
}

static double memory = 1e12;

double host_memory_bytes(void)
{
    return memory;
}

/* The linker's --wrap: the device has no room if `is_full`. */
static bool is_full;
bool __real_device_sets_create(device_sets *sets, const problem *p, size_t least);
bool __wrap_device_sets_create(device_sets *sets, const problem *p, size_t least);
bool __wrap_device_sets_create(device_sets *sets, const problem *p, size_t least)
{
    return !is_full && __real_device_sets_create(sets, p, least);
}

/* ---- a lab of bytes, each copied ------------------------------------------------------------- */

enum { SIZE = 2000, L2 = 2000, MEMORY = 18500 };

/* What ran at SIZE: c and d for the CPU's programs, kernels a for blocks of 8 x 4, b for 16 x 4. */
static char order[256];
static const void *inputs[64];
static int n_inputs; /* different ones that a had */
static uint64_t seed;

static void lay_out(problem *p)
{
    problem_add_buffer(p, "in", BUFFER_INPUT, (size_t)p->width);
    problem_add_buffer(p, "out", BUFFER_OUTPUT, (size_t)p->width);
}

static bool omp; /* is it that program that runs? */

static double awkward_seconds; /* of a run at the size that comes first */
static double hiccup;          /* of the next run */

static void run_cpu(const problem *p, const launch *l)
{
    now += (p->width == 1013 ? awkward_seconds : 1e-9 * p->width * p->width) + hiccup;
    hiccup = 0;
    seed = p->seed;
    if (p->width == SIZE)
        order[strlen(order)] = omp ? 'd' : 'c';
    memcpy(l->buffer[OUT], l->buffer[IN], (size_t)p->width);
}

static void run_omp(const problem *p, const launch *l)
{
    now += 1e-3;
    omp = true;
    run_cpu(p, l);
    omp = false;
}

static void run_kernel(const problem *p, const launch *l)
{
    const struct timespec pause = {0, 200 * 1000};
    int i = 0;
    fixture_copy(p, l);
    if (p->width != SIZE)
        return;
    order[strlen(order)] = l->block.x == 8 ? 'a' : 'b';
    if (l->block.x == 8)
        nanosleep(&pause, NULL); /* a is the slower one */
    while (i < n_inputs && inputs[i] != l->buffer[IN])
        i++;
    if (i == n_inputs && l->block.x == 8)
        inputs[n_inputs++] = l->buffer[IN];
}

#ifdef CUDA_ON_CPU
/* The device's clock is the test's as well: a busy machine makes no launch longer. */
cudaError_t __wrap_cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t stop);
cudaError_t __wrap_cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t stop)
{
    (void)start, (void)stop;
    *ms = *order && order[strlen(order) - 1] == 'a' ? 0.2F : 0.1F;
    return cudaSuccess;
}
#endif

static lab_work work(const problem *p)
{
    return (lab_work){.bytes = 1, .flops = 2.0 * p->width};
}

static void parameters(char *text, size_t bytes)
{
    snprintf(text, bytes, "type=u8");
}

/* With a plan that serves all bindings, of which so many are there. */
static int plans;
static bool planned;

static void *make_plan(const problem *p, const launch *l)
{
    (void)p, (void)l;
    plans++;
    return &plans;
}

static void drop_plan(void *plan)
{
    plans -= plan == &plans;
}

static void run_planned(const problem *p, const launch *l)
{
    planned = l->plan == &plans && plans == 1;
    run_cpu(p, l);
}

static bool with_library;

static bool is_with_library(void)
{
    return with_library;
}

/* The linker's --wrap, too: somebody may watch. */
static bool is_watched;
int __wrap_isatty(int file);
int __wrap_isatty(int file)
{
    return is_watched && file == STDERR_FILENO;
}

static const variant variants[] = {
    SERIAL_VARIANT("", run_cpu),
    OPENMP_VARIANT("", run_omp),
    GPU_VARIANT("kernel", "", run_kernel),
    GPU_VARIANT("slow", "", fixture_copy, .slow = true, .note = "slow"),
    VENDOR_VARIANT("library", "", fixture_copy, .applies = is_with_library),
};
static const lab bytes_lab = {
    .name = "bytes",
    .sweep = {.sizes = "2000 500",
              .sizes_large = "4000 9000",
              .blocks = "8x4 16x4",
              .emulated_max = 1000},
    .size_max = 1 << 20,
    .block_dimensions = 2,
    LAB_VARIANTS(variants),
    .parameters = parameters,
    .layout = lay_out,
    .fill = fixture_fill,
    .check = fixture_check,
    .work = work,
};

/* ---- sweeps ---------------------------------------------------------------------------------- */

static result serial_row(const char *machine, const char *parameters, int width, double seconds)
{
    result row = variant_row(&bytes_lab, &variants[0], "cpu", machine, parameters,
                             (extent){width, 1, 0}, (dim3){0});
    row.time_s = seconds;
    return row;
}

/* A sweep with these words; its rows as text. */
static const char *sweep(store *rows, bool emulated, const char *option, const char *value)
{
    static char text[2048];
    char *argv[] = {"bytes", "--time-cap", "0", (char *)option, (char *)value};
    options o = options_parse(&bytes_lab, 5, argv);
    device d = device_open(0);
    d.emulated = emulated;
    d.properties.l2CacheSize = L2;
    d.properties.totalGlobalMem = MEMORY;
    memset(order, 0, sizeof order);
    n_inputs = text[0] = 0;
    sweep_run(&bytes_lab, &o, &d, "here", rows);
    options_free(&o);
    for (const result *r = rows->rows.rows; r < rows->rows.rows + rows->rows.count; r++)
        if (store_is_own(rows, r))
            sprintf(text + strlen(text), "%s %d %d %s %s %s;", r->variant, r->width,
                    r->threads_per_block, r->parameters, r->cache, r->status);
    return text;
}

static bool is_near(double value, double expected)
{
    return fabs(value - expected) < 1e-3 * expected;
}

#define AT(size)                                                                                   \
    "cpu " #size " -1 type=u8 hot ok;cpu_omp " #size " -1 type=u8 hot ok;"                         \
    "kernel " #size " 32 type=u8 cold ok;kernel " #size " 64 type=u8 cold ok;"                     \
    "slow " #size " 32 type=u8 cold ok;slow " #size " 64 type=u8 cold ok;"

static void test_default(void)
{
    /* What says nothing of this sweep: other machines, parameters, sizes, variants. */
    result others[] = {serial_row("there", "type=u8", SIZE, 1e9), serial_row("here", "", SIZE, 1e9),
                       serial_row("here", "type=u8", 8000, 1e9),
                       serial_row("here", "type=u8", 500, 1e9)};
    store rows = store_open(NULL, false);
    strcpy(others[3].variant, "slow"), others[3].role[0] = '\0';
    others[3].read_s = 1e9; /* of this size, but of a run before */
    for (size_t i = 0; i < COUNT(others); i++)
        result_table_put(&rows.rows, &others[i]);
    is(sweep(&rows, false, "--seed", "5"),
       AT(2000) AT(500) "kernel 4000 64 type=u8 cold ok;kernel 9000 64 type=u8 cold skipped;",
       "every variant, size and block; of large sizes what is fast, skipped beyond the memory");
    ok(n_inputs == 3, "cold data are three times the L2 cache: %d sets", n_inputs);
#ifdef CUDA_ON_CPU /* a GPU's samples are batches, of which these functions know nothing */
    is(order,
       "cdcccddd"
       "aaaabbbb"
       "abbaabbaab"
       "abbb"
       "ccddcd",
       "samples are taken forward and backward, in turns; half of the CPU's before them");
#endif
    const result *row = rows.rows.rows + COUNT(others);
    const result *kernel = row + 2, *smaller = row + 8;
    ok((kernel[0].end_to_end_s > 0) == (kernel[0].time_s <= kernel[1].time_s) &&
           (kernel[1].end_to_end_s > 0) == (kernel[1].time_s <= kernel[0].time_s),
       "the fastest block is timed from end to end");
    ok(is_near(row->time_s, 4e-3) && row->speedup == 1 && is_near(row[1].speedup, 0.8) &&
           is_near(kernel->speedup * kernel->time_s, 4e-3),
       "a speedup is over the serial program of the sweep");
    ok(row->read_s > 0 && row->read_s == kernel->read_s && kernel->read_s != smaller->read_s &&
           smaller->read_s < 1 && kernel->copy_in_s > 0 && isnan(row->copy_in_s),
       "each size has its own steps, only kernels have copies");
    ok(seed == 5 && strcmp(kernel[2].note, "slow") == 0 && row->depth == -1,
       "the user's seed, the variant's note, no third side");
    result wanted = serial_row("here", "type=u8", 2 * SIZE, NAN);
    ok(is_near(cpu_limit_predict(&bytes_lab, variants, &wanted, 1, &rows.rows, 20), 8e-3),
       "the largest smaller size tells how long a run would take");
    result told = serial_row("here", "type=u8", SIZE, 3);
    const result_table one = {&told, 1, 1}, none = {NULL};
    ok(is_near(cpu_limit_predict(&bytes_lab, variants, &wanted, 1, &one, 20), 6), "by its work");
    hiccup = 1;
    ok(cpu_limit_predict(&bytes_lab, variants, &wanted, 1, &none, 20) < 1,
       "or a short piece of it, which is run once more before it is called long");
    variant planning = variants[0];
    planning.run = run_planned;
    planning.plan_once = make_plan;
    planning.release = drop_plan;
    ok(cpu_limit_predict(&bytes_lab, &planning, &wanted, 1, &none, 20) < 1 && planned && plans == 0,
       "which has its plan, and gives it back");
    sweep(&rows, false, "--variants", "kernel");
    ok(is_near(kernel->speedup * kernel->time_s, 4e-3), "or of one before, of this size");
    store_free(&rows);
}

/* Its rows begin so, and so many sets of data were seen. */
static void begins(bool emulated, const char *option, const char *value, const char *start, int n)
{
    store rows = store_open(NULL, false);
    const char *text = sweep(&rows, emulated, option, value);
    ok(strncmp(text, start, strlen(start)) == 0 && n_inputs == n, "%s: %s", option, text);
    store_free(&rows);
}

/* A user's own choice of blocks, and --full, want to know of every block. */
static void test_every_block(void)
{
    static const char *const words[][2] = {{"--full", "--seed=7"},
                                           {"--blocks", "8x4 16x4"},
                                           {"--sizes", "2000"},
                                           {"--variants", "kernel"}};
    for (size_t i = 0; i < COUNT(words); i++) {
        store rows = store_open(NULL, false);
        int kernels = 0, both_ways = 0;
        sweep(&rows, false, words[i][0], words[i][1]);
        for (const result *r = rows.rows.rows; r < rows.rows.rows + rows.rows.count; r++) {
            kernels += strcmp(r->kind, "cpu") != 0 && strcmp(r->status, "ok") == 0;
            both_ways += r->end_to_end_s > 0;
        }
        ok(kernels > 1 && both_ways == kernels, "%s: %d kernels, %d from end to end", words[i][0],
           kernels, both_ways);
        store_free(&rows);
    }
}

static void test_others(void)
{
    begins(false, "--hot", "--variants=cpu,kernel",
           "cpu 2000 -1 type=u8 hot ok;kernel 2000 32 type=u8 hot ok;", 1);
    begins(false, "--transfer=pinned", "--variants=cpu,kernel",
           "kernel 2000 32 type=u8;transfer=pinned cold ok;", 3);
    is_full = true;
    begins(false, "--hot", "--variants=cpu,kernel",
           "cpu 2000 -1 type=u8 hot ok;kernel 2000 32 type=u8 hot skipped;", 0);
    is_full = false;
    if (!device_open(0).emulated)
        return;    /* emulated kernels have a child, in which a GPU cannot be used */
    memory = 7000; /* of an emulated device it is the host's, too */
    begins(true, "--seed=2", "--variants=cpu,kernel",
           "cpu 2000 -1 type=u8 hot skipped;cpu 500 -1 type=u8 hot ok;kernel 500 32 ", 0);
    with_library = true;
    begins(true, "--seed=2", "--variants=cpu,library",
           "cpu 2000 -1 type=u8 hot skipped;cpu 500 -1 type=u8 hot ok;library 500 -1 ", 0);
}

/* ---- what is said meanwhile ------------------------------------------------------------------ */

static void go_on(const void *unused)
{
    (void)unused;
    progress p = progress_start("lab 3 of 8", "bytes", 200);
    now += 10;
    progress_show(&p, 50, "one");
    now += 3;
    progress_show(&p, 50, "two"); /* too soon */
    now += 387;
    progress_show(&p, 50, "three");
}

static void go_on_from_the_awkward_size(const void *rows)
{
    awkward_seconds = 6;
    sweep((store *)rows, false, "--variants", "cpu");
}

/* As on a terminal, which shows both outputs. */
static void go_on_watched(const void *rows)
{
    is_watched = true;
    dup2(STDOUT_FILENO, STDERR_FILENO);
    setvbuf(stdout, NULL, _IONBF, 0);
    go_on_from_the_awkward_size(rows);
}

static void test_progress(void)
{
    is(in_process(go_on, NULL).error,
       "lab 3 of 8, bytes:  25% one, about 30 s left\n"
       "lab 3 of 8, bytes:  75% three, about 2 min 13 s left\n",
       "progress is told every few seconds");
    store rows = {0};
    is(in_process(go_on_from_the_awkward_size, &rows).error, "bytes:   0% cpu 1013x1\n",
       "and from the awkward size on as from any other");
    ok(strstr(in_process(go_on_watched, &rows).out, "1013x1\r\033[Kbytes on "),
       "a terminal has rows in its place");
}

/* ---- a child's end -------------------------------------------------------------------------- */

typedef struct end {
    const char *place, *what;
} end;

static void tell_and_end(void *context)
{
    const end *e = context;
    fprintf(stderr, "  at %s\nCUDA on the CPU: %s\n", e->place, e->what);
    raise(SIGKILL);
}

/* What a row says of it: as much as it has room for. */
static void test_reason(void)
{
    char place[151] = "", what[201] = "", reason[RESULT_TEXT], expected[400];
    memset(what, 'w', sizeof what - 1);
    end e = {"mine.cu:12", what};
    ok(!child_run(tell_and_end, &e, stdout, reason), "who is killed has not ended by itself");
    snprintf(expected, sizeof expected, "mine.cu:12: %s", what);
    is(reason, expected, "behind a short place a long reason is whole");
    memset(place, 'p', sizeof place - 1);
    e.place = place;
    child_run(tell_and_end, &e, stdout, reason);
    snprintf(expected, sizeof expected, "%.100s: %.153s", place, what);
    is(reason, expected, "a long place leaves it 153 letters");
}

int main(void)
{
    test_reason();
    test_progress();
    test_default();
    test_others();
    test_every_block();
    return done_testing();
}
