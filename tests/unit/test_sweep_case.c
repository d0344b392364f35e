/*
 * test_sweep_case.c - one case from birth to end: its plan is made for each list of pointers, or
 * once for all of them, and released, the workspace is poisoned, prepare() comes before every check
 * and sample, and a CUDA error ends the case and no other. The clock is the test's own, which each
 * run moves.
 */
#include "fixture.h"
#include "graphs.h"
#include "machine/host.h"
#include "run/cpu_limit.h"
#include "run/sweep_case.h"
#include "tap.h"

#include <math.h>
#include <omp.h>

enum { BYTES = 1000, SETS = 5 };

static lab_work work(const problem *p)
{
    (void)p;
    return (lab_work){.bytes = 2 * BYTES, .flops = 10, .int_ops = 40};
}

static const lab copy_lab = {FIXTURE, .check = fixture_check, .work = work};

/* ---- a variant that counts ------------------------------------------------------------------- */

typedef struct plan_record {
    const void *in;
} plan_record;

static struct {
    int planned, released, prepared, runs;
    int stale_plans, unpoisoned; /* runs where something was not as promised */
    int fail_at;                 /* this run meets a CUDA error; 0: none does */
    int wrong_from;              /* this run and those that follow are wrong; 0: none is */
} seen;

/* The squares of the runs' numbers, in tenths of a microsecond. */
static double ticks;

double host_seconds(void)
{
    return 1e-7 * ticks;
}

static void count_run(void)
{
    seen.runs++;
    ticks += seen.runs * seen.runs;
}

static void *make_plan(const problem *p, const launch *l)
{
    (void)p;
    plan_record *plan = malloc(sizeof *plan);
    *plan = (plan_record){l->buffer[IN]};
    seen.planned++;
    return plan;
}

static void release_plan(void *plan)
{
    seen.released++;
    free(plan);
}

static size_t copy_bytes(const problem *p)
{
    (void)p;
    return BYTES;
}

static void prepare(const problem *p, const launch *l)
{
    unsigned char first;
    (void)p;
    CUDA_CHECK(cudaMemcpyAsync(&first, l->workspace, 1, cudaMemcpyDeviceToHost, l->stream));
    CUDA_CHECK(cudaStreamSynchronize(l->stream));
    seen.unpoisoned += seen.runs == 0 && first != 0xFF;
    seen.prepared++;
}

static void run_copy(const problem *p, const launch *l)
{
    const plan_record *plan = l->plan;
    (void)p;
    count_run();
    if (seen.runs == seen.fail_at)
        CUDA_CHECK(cudaMemcpy(l->buffer[OUT], NULL, BYTES, cudaMemcpyDefault));
    seen.stale_plans += !plan || plan->in != l->buffer[IN];
    CUDA_CHECK(cudaMemcpyAsync(l->workspace, l->buffer[IN], BYTES, cudaMemcpyDefault, l->stream));
    CUDA_CHECK(cudaMemcpyAsync(l->buffer[OUT], l->workspace, BYTES, cudaMemcpyDefault, l->stream));
    if (seen.wrong_from && seen.runs >= seen.wrong_from)
        CUDA_CHECK(cudaMemsetAsync(l->buffer[OUT], 0xFF, 1, l->stream));
}

static void run_on_host(const problem *p, const launch *l)
{
    (void)p;
    count_run();
    memcpy(l->buffer[OUT], l->buffer[IN], BYTES);
}

static const variant counting = {.name = "counting",
                                 .kind = VARIANT_VENDOR,
                                 .run = run_copy,
                                 .workspace_bytes = copy_bytes,
                                 .prepare = prepare,
                                 .plan = make_plan,
                                 .release = release_plan};

/* ---- where it runs --------------------------------------------------------------------------- */

static device gpu;
static problem data;
static cudaStream_t stream;
static case_room room = {.lab = &copy_lab, .device = &gpu, .problem = &data, .on_gpu = true};

static void set_up(void)
{
    static const buffer_spec table[] = {{"in", BUFFER_INPUT, BYTES}, {"out", BUFFER_OUTPUT, BYTES}};
    const size_t needs[] = {10, BYTES};
    gpu = device_open(0);
    data = fixture_problem(table, COUNT(table));
    room.part = data;
    CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    device_sets_create(&room.sets, &data, SETS * BYTES);
    room.workspace = workspace_create(needs, COUNT(needs));
    transfer_create(&room.transfer, TRANSFER_PINNED, &data, &room.sets);
    memset(&seen, 0, sizeof seen);
}

static void tear_down(void)
{
    free(room.right);
    room.right = NULL;
    room.n_right = room.right_room = 0;
    transfer_free(&room.transfer);
    device_memory_free(&room.workspace);
    device_sets_free(&room.sets);
    problem_free(&data);
    CUDA_CHECK(cudaStreamDestroy(stream));
}

static dim3 block;
static bool alone; /* without the copies */

static sweep_case case_of(const variant *v)
{
    return (sweep_case){
        .runner = {.variant = v, .launch = {.stream = stream, .block = block}},
        .from_end_to_end = room.on_gpu && !alone,
        .row = variant_row(&copy_lab, v, "vendor", "here", "", (extent){BYTES, 1, 0}, (dim3){0})};
}

/* What a GPU's runtime says of a kernel, here of figures in its place. */
cudaError_t __wrap_cudaFuncGetAttributes(struct cudaFuncAttributes *a, const void *kernel)
{
    const kernel_figures *f = kernel;
    *a = (struct cudaFuncAttributes){.numRegs = f->registers,
                                     .sharedSizeBytes = (size_t)f->shared_bytes,
                                     .localSizeBytes = (size_t)f->local_bytes,
                                     .constSizeBytes = (size_t)f->constant_bytes,
                                     .binaryVersion = 90,
                                     .maxThreadsPerBlock = 256};
    return cudaSuccess;
}

/* The whole way of a case; its row. */
static result perform(const variant *v)
{
    sweep_case c = case_of(v);
    case_do(case_check, &c, &room);
    if (c.state == CASE_RIGHT)
        case_do(case_start_timer, &c, &room);
    for (int i = 0; i < 3 && c.state == CASE_TIMED; i++)
        case_do(case_sample, &c, &room);
    if (c.state == CASE_TIMED)
        case_do(case_end_timer, &c, &room);
    case_free(&c);
    case_complete(&c, &(size_times){{1, 2}, {3, 4, 6, 5}, 10});
    return c.row;
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void test_whole_way(void)
{
    set_up();
    sweep_case c = case_of(&counting);
    case_do(case_check, &c, &room);
    ok(c.state == CASE_RIGHT && seen.planned == 1 && seen.prepared == 1,
       "a check binds one set: one plan, one preparation");
    ok(seen.unpoisoned == 0, "its workspace was poisoned");
    case_do(case_start_timer, &c, &room);
    ok(room.sets.count == SETS && seen.planned == SETS, "timing: plans for the other sets");
    for (int i = 0; i < 7; i++)
        case_do(case_sample, &c, &room);
    ok(seen.planned == SETS, "and no more, however often it runs");
    case_do(case_end_timer, &c, &room);
    ok(c.row.end_to_end_s > 0 && seen.planned == SETS + 1 && seen.released == 1,
       "from end to end it has a plan of its own");
    ok(seen.stale_plans == 0, "each run has the plan of its pointers");
    case_free(&c);
    ok(seen.released == seen.planned, "all plans are released");
    tear_down();
}

/* A plan that knows no pointers. */
static void *make_one_plan(const problem *p, const launch *l)
{
    (void)p;
    (void)l;
    seen.planned++;
    return calloc(1, sizeof(plan_record));
}

static void test_one_plan(void)
{
    variant sharing = counting;
    sharing.plan = NULL;
    sharing.plan_once = make_one_plan;
    set_up();
    result row = perform(&sharing);
    ok(row.end_to_end_s > 0 && seen.planned == 1 && seen.released == 1,
       "a plan that serves all sets is made once and released once");
    tear_down();
}

/* Is it the time of a run of this number, or the mean of two? */
static bool is_run(double seconds, int a, int b)
{
    return fabs(seconds - 1e-7 * (a * a + b * b) / 2) < 1e-9;
}

/* Runs 101 to 105: the check, three samples, the check afterwards. */
static void test_cpu_row(void)
{
    const variant cpu = {.name = "host", .kind = VARIANT_CPU, .run = run_on_host};
    int threads = omp_get_max_threads();
    set_up();
    room.on_gpu = false;
    seen.runs = 100;
    result row = perform(&cpu);
    ok(row.trials == 3 && is_run(row.time_min_s, 102, 102) && is_run(row.time_q1_s, 102, 103) &&
           is_run(row.time_s, 103, 103) && is_run(row.time_q3_s, 103, 104) &&
           fabs(row.noise * row.time_s - (row.time_q3_s - row.time_q1_s)) < 1e-15 &&
           is_run(row.time_max_s, 104, 104) && isnan(row.copy_in_s),
       "a CPU row has its quartiles, and no copies");
    sweep_case c = case_of(&cpu);
    c.cpu_threads = threads + 1;
    case_do(case_check, &c, &room);
    ok(omp_get_max_threads() == threads, "its number of threads is its own");
    case_free(&c);
    room.on_gpu = true;
    tear_down();
}

/* A row of several kernels has the largest needs, and the residency of the one with the least. */
static void test_kernels(void)
{
    const kernel_figures many = {.registers = 40, .shared_bytes = 100, .local_bytes = 8},
                         few = {.registers = 20, .shared_bytes = 300};
    const occupancy half = {4, 32, 1024, 0.5, "registers"}, quarter = {2, 16, 512, 0.25, "blocks"};
    const void *const more[] = {&few, NULL};
    const variant v = {.kernel = &many, .more_kernels = more};
    result row = result_empty();
    variant_add_kernel(&row, &many, 64, &half);
    variant_add_kernel(&row, &few, 0, &quarter);
    variant_add_kernel(&row, &many, 64, &half);
    variant_add_kernel(&row, &few, 65, &half);
    ok(row.registers == 40 && row.shared_bytes == 365 && row.local_bytes == 8, "largest needs");
    ok(row.blocks_per_sm == 2 && row.occupancy == 0.25 && !strcmp(row.limiter, "blocks"), "least");
    ok(variant_kernel(&v, (dim3){8, 8, 1}, 0) == &many &&
           variant_kernel(&v, (dim3){8, 8, 1}, 1) == &few &&
           !variant_kernel(&v, (dim3){8, 8, 1}, 2),
       "a variant's kernels, in order");
    char reason[RESULT_TEXT];
    size_t most = gpu.properties.sharedMemPerBlockOptin;
    ok(!gpu.emulated || (device_can_launch(&gpu, &many, (dim3){8, 8, 1}, most, reason) &&
                         !device_can_launch(&gpu, &many, (dim3){8, 8, 1}, most + 1, reason)),
       "all the shared memory that there is, and a byte more");
}

static size_t ask_for_65(const problem *p, dim3 threads)
{
    (void)p;
    return threads.x == 16 ? 65 : 0;
}

/* The row of a variant of two kernels on a GPU whose blocks have so much shared memory at most; the
 * first one asks for 65 bytes if it is to. */
static result launch_two(size_t most, bool asks)
{
    const kernel_figures first = {.registers = 40, .shared_bytes = 300, .constant_bytes = 16},
                         second = {.registers = 20, .shared_bytes = 310, .local_bytes = 8};
    const void *const more[] = {&second, NULL};
    variant two = counting;
    two.kind = VARIANT_GPU;
    two.kernel = &first;
    two.more_kernels = more;
    two.shared_bytes = asks ? ask_for_65 : NULL;
    gpu.properties.sharedMemPerBlockOptin = most;
    return perform(&two);
}

/* As on a GPU; the engine holds one block at a time. */
static void test_launches(void)
{
    set_up();
    if (gpu.emulated) {
        gpu.emulated = false;
        block = (dim3){16, 16, 1};
        result row = launch_two(365, true);
        ok(row.registers == 40 && row.shared_bytes == 365 && row.local_bytes == 8 &&
               row.constant_bytes == 16 && row.blocks_per_sm == 1 && row.threads_per_sm == 256,
           "what two kernels need, with the dynamic memory of the first");
        row = launch_two(364, true);
        is(row.note, "365 bytes of shared memory are more than the device's 364", "a byte short");
        row = launch_two(310, false);
        ok(row.shared_bytes == 310 && !row.note[0], "the second has none");
        row = launch_two(309, false);
        ok(strcmp(row.status, "skipped") == 0, "and is looked at, too: %s", row.note);
        block.x = 17;
        row = launch_two(365, true);
        is(row.note, "272 threads are more than the 256 its registers leave room for", "a block");
        block = (dim3){0};
    }
    tear_down();
}

/* The status of a variant for the architecture sm_<capability><suffix>. */
static const char *status_on(int capability, const char *suffix)
{
    static result row;
    char architecture[16];
    variant v = counting;
    snprintf(architecture, sizeof architecture, "sm_%d%s", capability, suffix);
    v.architecture = architecture;
    row = perform(&v);
    return row.status;
}

static void test_rows(void)
{
    set_up();
    result row = perform(&counting);
    ok(strcmp(row.status, "ok") == 0 && row.trials == 3 && row.time_s > 0 &&
           fabs(row.gb_per_s * row.time_s - 2e-9 * BYTES) < 1e-15 &&
           fabs(row.gflop_per_s * row.time_s - 1e-9 * 10) < 1e-15 &&
           fabs(row.gop_per_s * row.time_s - 1e-9 * 40) < 1e-15 &&
           fabs(row.speedup * row.time_s - 10) < 1e-9,
       "a row is right and timed, with rates and a speedup");
    ok(row.read_s == 1 && row.write_s == 2 && row.copy_in_s == 3 && row.copy_out_s == 4 &&
           row.copy_noise == 5 && row.max_error == 0 && row.tolerance == 0.5,
       "and the steps around the run, its error and what is allowed");
    ok(is_run(row.end_to_end_s, seen.runs - 1, seen.runs - 1),
       "from end to end it takes the median of three runs");

    variant other = counting;
    other.role = ROLE_YARDSTICK;
    row = perform(&other);
    ok(row.gb_per_s > 0 && isnan(row.flops) && isnan(row.int_ops) && isnan(row.gflop_per_s) &&
           isnan(row.gop_per_s) && isnan(row.speedup),
       "a yardstick has a bandwidth, but no operations and no speedup");
    is(row.role, "yardstick", "and says that it is one");

    int capability = 10 * gpu.properties.major + gpu.properties.minor;
    is(status_on(capability, ""), "ok", "an architecture that is just enough");
    is(status_on(capability, "a"), "ok", "and the very one");
    is(status_on(capability + 1, ""), "skipped", "one that is not");
    is(status_on(capability - 1, ""), "ok", "one that is more than enough");
    is(status_on(capability - 1, "a"), "skipped", "but for what no later card has");

    const size_t needs[] = {10, SIZE_MAX / 2, 20};
    device_memory_free(&room.workspace);
    room.workspace = workspace_create(needs, COUNT(needs));
    ok(room.workspace.bytes == 20, "a need that the device has no room for: the next largest");
    row = perform(&counting);
    ok(strcmp(row.status, "skipped") == 0 && strstr(row.note, "no room for the workspace"),
       "who needs more is skipped: %s", row.note);
    tear_down();
}

/* What of the exchange with other GPUs is not hidden behind the work. */
static void test_exposed(void)
{
    const variant v = {.name = "exchanging", .exchanges = true};
    const size_times none = {.serial_s = NAN};
    sweep_case c = case_of(&v);
    c.row.time_min_s = c.row.time_q1_s = 3;
    c.row.time_s = 4;
    c.row.time_q3_s = c.row.time_max_s = c.row.end_to_end_s = 5;
    case_finish(&c, "ok", NULL);
    c.alone_s = 1;
    case_complete(&c, &none);
    ok(c.row.exposed == 0.75, "the share of a run that is no more without the exchange");
    c.alone_s = 5;
    case_complete(&c, &none);
    ok(c.row.exposed == 0, "or nothing");
}

/* The linker's --wrap: why nothing can run on the device any more. */
static const char *lost;
const char *__real_cuda_context_lost(void);
const char *__wrap_cuda_context_lost(void)
{
    return lost ? lost : __real_cuda_context_lost();
}

static void test_lost(void)
{
    variant other = {.name = "other", .kind = VARIANT_VENDOR, .needs = "something else"};
    set_up();
    lost = "asleep";
    result row = perform(&other);
    ok(strcmp(row.status, "failed") == 0 && strcmp(row.note, lost) == 0,
       "a device that is lost is asked nothing: %s, %s", row.status, row.note);
    lost = NULL;
    tear_down();
}

/* An error in any run, from the check on, ends the case; plans are released all the same. */
static void test_failures(void)
{
    for (int at = 1; at <= 12; at++) {
        set_up();
        seen.fail_at = at;
        result row = perform(&counting);
        ok(seen.runs < at || (strstr(row.note, "cudaErrorInvalidValue") && isnan(row.time_s) &&
                              isnan(row.end_to_end_s) && isnan(row.read_s)),
           "an error in run %d: a row without times, %s: %s", at, row.status, row.note);
        is(row.status, seen.runs < at ? "ok" : "failed", "its status");
        ok(seen.released == seen.planned, "its plans are released");
        ok(cuda_context_lost() == NULL, "the context survives");
        seen.fail_at = 0;
        row = perform(&counting);
        ok(strcmp(row.status, "ok") == 0 && row.time_s > 0, "the next case is timed");
        tear_down();
    }
}

/* Runs that are wrong from one on; with frames that one may be a stream's. A sweep that times tells
 * outputs by their checksum. */
static void test_wrong(int frames, bool timed, bool without_copies)
{
    room.timed = timed;
    alone = without_copies;
    int rows = 0, wrong = 0, right = 0;
    char odd[RESULT_TEXT] = ""; /* the first row that is neither */
    for (int from = 1; right < 2 && rows < 50; from += frames ? 4 : 2, rows++) {
        set_up();
        bool sent = !frames || !stream_create(&room.stream, &copy_lab, &data, frames, &room.sets);
        seen.wrong_from = from;
        result row = perform(&counting);
        bool is_ok = strcmp(row.status, "ok") == 0;
        bool is_right = seen.runs < from && sent && is_ok && row.time_s > 0 &&
                        (row.end_to_end_s > 0) == !without_copies;
        bool is_wrong = seen.runs >= from && strcmp(row.status, "wrong") == 0 && row.note[0] &&
                        isnan(row.time_s) && isnan(row.end_to_end_s);
        right += is_right;
        wrong += is_wrong;
        if (!is_right && !is_wrong && !odd[0])
            snprintf(odd, sizeof odd, "; wrong from run %d of %d: %.20s %g %.150s", from, seen.runs,
                     row.status, row.time_s, row.note);
        stream_free(&room.stream);
        tear_down();
    }
    ok(right == 2 && wrong > 3 && right + wrong == rows,
       "%d frames: %d rows of %d where a run is wrong, %d where none is%s", frames, wrong, rows,
       right, odd);
    room.timed = alone = false;
}

#ifdef CUDA_ON_CPU
static int spoilt; /* the set where the batch is wrong; -1: none */

/* What the batch of all sets does, or ought to. */
static void replay(void)
{
    for (int set = 0; set < room.sets.count; set++)
        CUDA_CHECK(cudaMemcpyAsync(set_buffer(&room.sets, set, OUT), data.buffer[IN].host, BYTES,
                                   cudaMemcpyDefault, stream));
    if (spoilt >= 0)
        CUDA_CHECK(cudaMemsetAsync(set_buffer(&room.sets, spoilt, OUT), 1, 2, stream));
}

static void test_batch(bool timed)
{
    set_up();
    room.timed = timed;
    has_graphs = true;
    on_replay = replay;
    spoilt = -1;
    result row = perform(&counting);
    ok(strcmp(row.status, "ok") == 0 && row.trials == 3 && replays > 3, "a batch that is right");
    for (spoilt = 0; spoilt < SETS; spoilt += SETS - 1) {
        row = perform(&counting);
        is(row.status, "wrong", "one that is not");
        ok(strstr(row.note, spoilt ? " (in a later run of the batch that was timed)"
                                   : " (in the batch that was timed; it was right alone)") &&
               isnan(row.time_s),
           "it says so: %s", row.note);
    }
    ok(graphs == 0, "all graphs are freed");
    has_graphs = room.timed = false;
    tear_down();
}
#endif

static lab_work bytes_alone(const problem *p)
{
    return (lab_work){.bytes = p->width};
}

static void test_work(void)
{
    lab of_bytes = copy_lab;
    of_bytes.work = bytes_alone;
    ok(work_of(&copy_lab, (extent){7, 1, -1}) == 50 && work_of(&of_bytes, (extent){7, 1, -1}) == 7,
       "a case's work is its operations of both kinds, or its bytes where it has none");
}

int main(void)
{
    test_whole_way();
    test_work();
    test_one_plan();
    test_cpu_row();
    test_kernels();
    test_launches();
    test_rows();
    test_exposed();
    test_failures();
    test_lost();
    test_wrong(0, false, false);
    test_wrong(0, true, false);
    test_wrong(0, true, true);
    test_wrong(5, false, false);
    test_wrong(5, true, false);
#ifdef CUDA_ON_CPU
    test_batch(false);
    test_batch(true);
#endif
    return done_testing();
}
