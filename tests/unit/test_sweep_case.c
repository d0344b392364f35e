/*
 * test_sweep_case.c - one case from birth to end: its plan is made for each list of pointers and
 * released, derived copies are filled once for each set, the workspace is poisoned, prepare() comes
 * before every check and sample, and a CUDA error ends the case and no other.
 */
#include "sweep_case.h"
#include "tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { IN, OUT, BYTES = 1000, COLD = 5 * BYTES };

static void layout(problem *p)
{
    problem_add_buffer(p, "in", BUFFER_INPUT, BYTES);
    problem_add_buffer(p, "out", BUFFER_OUTPUT, BYTES);
}

static void fill(const problem *p)
{
    memset(p->buffer[IN].host, 5, BYTES);
}

static checked value_at(const void *context, size_t i)
{
    const problem *p = context;
    return (checked){((unsigned char *)p->buffer[OUT].host)[i],
                     ((unsigned char *)p->buffer[IN].host)[i], 1};
}

static check_result check(const problem *p, const variant *v)
{
    (void)v;
    return check_all(0, BYTES, BYTES, value_at, p);
}

static void work(const problem *p, double *bytes, double *flops)
{
    (void)p;
    *bytes = 2 * BYTES;
    *flops = 10;
}

static const lab copy_lab = {
    .name = "copy", .layout = layout, .fill = fill, .check = check, .work = work};

/* ---- a variant that counts ------------------------------------------------------------------- */

typedef struct plan_record {
    const void *in, *derived;
} plan_record;

static struct {
    int planned, released, derived, prepared, runs;
    int stale_plans, unprepared, unpoisoned; /* runs where something was not as promised */
    int fail_at;                             /* this run meets a CUDA error; 0: none does */
} seen;

static void *make_plan(const problem *p, const launch *l)
{
    (void)p;
    plan_record *plan = malloc(sizeof *plan);
    *plan = (plan_record){l->buffer[IN], l->derived};
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

static void derive(const problem *p, const launch *l)
{
    (void)p;
    seen.derived++;
    CUDA_CHECK(cudaMemcpyAsync(l->derived, l->buffer[IN], BYTES, cudaMemcpyDefault, l->stream));
}

static void prepare(const problem *p, const launch *l)
{
    unsigned char first;
    (void)p;
    CUDA_CHECK(cudaMemcpy(&first, l->workspace, 1, cudaMemcpyDeviceToHost));
    seen.unpoisoned += seen.runs == 0 && first != 0xFF;
    seen.prepared++;
}

static void run_copy(const problem *p, const launch *l)
{
    const plan_record *plan = l->plan;
    (void)p;
    seen.runs++;
    if (seen.runs == seen.fail_at)
        CUDA_CHECK(cudaMemcpy(l->buffer[OUT], NULL, BYTES, cudaMemcpyDefault));
    seen.stale_plans += !plan || plan->in != l->buffer[IN] || plan->derived != l->derived;
    CUDA_CHECK(cudaMemcpyAsync(l->workspace, l->derived, BYTES, cudaMemcpyDefault, l->stream));
    CUDA_CHECK(cudaMemcpyAsync(l->buffer[OUT], l->workspace, BYTES, cudaMemcpyDefault, l->stream));
}

static const variant counting = {.name = "counting",
                                 .kind = VARIANT_VENDOR,
                                 .run = run_copy,
                                 .prepare = prepare,
                                 .plan = make_plan,
                                 .release = release_plan,
                                 .derived_bytes = copy_bytes,
                                 .derive = derive,
                                 .workspace_bytes = copy_bytes};

/* ---- where it runs --------------------------------------------------------------------------- */

typedef struct stage {
    device device;
    problem problem;
    device_sets sets;
    workspace workspace;
    transfer transfer;
    cudaStream_t stream;
    case_room room;
} stage;

static void raise_curtain(stage *s)
{
    const size_t needs[] = {10, BYTES};
    s->device = device_open(0);
    s->problem = problem_create(&copy_lab, (extent){BYTES, 1, 0}, 1);
    CUDA_CHECK(cudaStreamCreateWithFlags(&s->stream, cudaStreamNonBlocking));
    device_sets_create(&s->sets, &s->problem, COLD);
    s->workspace = workspace_create(needs, 2);
    transfer_create(&s->transfer, TRANSFER_PINNED, &s->problem, &s->sets);
    s->room =
        (case_room){&copy_lab, &s->device, &s->problem, &s->sets, &s->workspace, &s->transfer};
    memset(&seen, 0, sizeof seen);
}

static void drop_curtain(stage *s)
{
    transfer_free(&s->transfer);
    workspace_free(&s->workspace);
    device_sets_free(&s->sets);
    problem_free(&s->problem);
    CUDA_CHECK(cudaStreamDestroy(s->stream));
}

static sweep_case case_of(const stage *s, const variant *v)
{
    return (sweep_case){
        .runner = {.variant = v, .launch = {.stream = s->stream}},
        .row = variant_row(&copy_lab, v, "vendor", "here", "", (extent){BYTES, 1, 0}, (dim3){0})};
}

/* The whole way of a case. */
static void perform(sweep_case *c, const stage *s)
{
    case_check(c, &s->room);
    if (c->state == CASE_RIGHT)
        case_start_timer(c, &s->room, false);
    for (int i = 0; i < 3 && c->state == CASE_TIMED; i++)
        case_sample(c, &s->room);
    if (c->state == CASE_TIMED)
        case_end_timer(c, &s->room);
    case_free(c);
}

static void test_whole_way(void)
{
    stage s;
    raise_curtain(&s);
    sweep_case c = case_of(&s, &counting);
    case_check(&c, &s.room);
    ok(c.state == CASE_RIGHT && seen.planned == 1 && seen.derived == 1 && seen.prepared == 1,
       "a check binds one set: one plan, one derivation, one preparation");
    ok(seen.unpoisoned == 0, "its workspace was poisoned");
    case_start_timer(&c, &s.room, false);
    ok(s.sets.count == 5 && seen.planned == 5 && seen.derived == 5,
       "timing: plans and derived copies for the other sets");
    for (int i = 0; i < 7; i++)
        case_sample(&c, &s.room);
    ok(seen.planned == 5 && seen.derived == 5, "and no more, however often it runs");
    int runs = seen.runs;
    case_end_timer(&c, &s.room);
    ok(c.row.end_to_end_s > 0 && seen.planned == 6 && seen.released == 1,
       "from end to end it has a plan of its own");
    ok(seen.derived - 5 == seen.runs - runs, "and derives from the inputs that came");
    ok(seen.stale_plans == 0, "each run has the plan of its pointers");
    case_free(&c);
    ok(seen.released == seen.planned, "all plans are released");

    const size_times times = {{1, 2}, {3, 4}, 10};
    case_complete(&c, &times);
    const result *row = &c.row;
    ok(c.state == CASE_DONE && strcmp(row->status, "ok") == 0 && row->trials == 7 &&
           row->time_s > 0,
       "its row is right and timed");
    ok(fabs(row->gb_per_s * row->time_s - 2e-9 * BYTES) < 1e-15 &&
           fabs(row->speedup * row->time_s - 10) < 1e-9 && row->read_s == 1 && row->write_s == 2 &&
           row->copy_in_s == 3 && row->copy_out_s == 4,
       "and complete: rates, speedup, the steps around the run");

    /* A second variant with the same derivation shares the copies. */
    int derived = seen.derived;
    sweep_case again = case_of(&s, &counting);
    case_check(&again, &s.room);
    ok(again.state == CASE_RIGHT && seen.derived == derived, "derived copies are shared");
    case_free(&again);
    drop_curtain(&s);
}

static void *make_one_plan(const problem *p, const launch *l)
{
    return l->plan ? l->plan : make_plan(p, l);
}

static void test_one_plan(void)
{
    stage s;
    variant sharing = counting;
    sharing.plan = make_one_plan;
    raise_curtain(&s);
    sweep_case c = case_of(&s, &sharing);
    perform(&c, &s);
    ok(c.row.end_to_end_s > 0 && seen.planned == 1 && seen.released == 1,
       "a plan that serves all sets is made once and released once");
    drop_curtain(&s);
}

static void test_derive_timed(void)
{
    stage s;
    variant timed = counting;
    timed.derive_timed = true;
    raise_curtain(&s);
    sweep_case c = case_of(&s, &timed);
    perform(&c, &s);
    ok(c.row.time_s > 0 && seen.derived >= seen.runs, "derive_timed: a part of each run");
    drop_curtain(&s);
}

static void test_yardstick(void)
{
    stage s;
    variant copy = counting;
    copy.yardstick = true;
    raise_curtain(&s);
    sweep_case c = case_of(&s, &copy);
    perform(&c, &s);
    case_complete(&c, &(size_times){{1, 2}, {3, 4}, 10});
    ok(c.row.gb_per_s > 0 && isnan(c.row.flops) && isnan(c.row.gflop_per_s) &&
           isnan(c.row.speedup) && strcmp(c.row.role, "yardstick") == 0,
       "a yardstick has a bandwidth, but no operations and no speedup");
    drop_curtain(&s);
}

/* An error in any run, from the check on, ends the case; plans are released all the same. */
static void test_failures(void)
{
    for (int at = 1; at <= 12; at++) {
        stage s;
        raise_curtain(&s);
        seen.fail_at = at;
        sweep_case c = case_of(&s, &counting), next = case_of(&s, &counting);
        perform(&c, &s);
        case_complete(&c, &(size_times){{1, 2}, {3, 4}, 10});
        if (!ok(seen.runs < at || (strcmp(c.row.status, "failed") == 0 && isnan(c.row.time_s) &&
                                   isnan(c.row.end_to_end_s) && isnan(c.row.read_s) &&
                                   strstr(c.row.note, "cudaErrorInvalidValue")),
                "an error in run %d: a failed row without times", at))
            printf("#   %s: %s\n", c.row.status, c.row.note);
        ok(seen.released == seen.planned, "its plans are released");
        ok(cuda_context_lost() == NULL, "the context survives");
        perform(&next, &s);
        ok(strcmp(next.row.status, "ok") == 0 && next.row.time_s > 0, "the next case is timed");
        drop_curtain(&s);
    }
}

static void test_no_workspace(void)
{
    stage s;
    const size_t needs[] = {10, SIZE_MAX / 2, 20};
    raise_curtain(&s);
    workspace_free(&s.workspace);
    s.workspace = workspace_create(needs, 3);
    ok(s.workspace.memory.bytes == 20, "a need that the device has no room for: the next largest");
    sweep_case c = case_of(&s, &counting);
    perform(&c, &s);
    ok(strcmp(c.row.status, "skipped") == 0 && strstr(c.row.note, "no room for the workspace"),
       "who needs more is skipped: %s", c.row.note);
    drop_curtain(&s);
}

int main(void)
{
    test_whole_way();
    test_one_plan();
    test_derive_timed();
    test_yardstick();
    test_failures();
    test_no_workspace();
    return done_testing();
}
