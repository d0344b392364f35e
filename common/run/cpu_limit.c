#include "cpu_limit.h"
#include "command_line/options.h"
#include "machine/host.h"
#include "measure/buffers.h"
#include "measure/variant.h"

#include <math.h>
#include <string.h>

#define TELLS_MORE_S 0.05 /* a shorter run may be all overhead */
#define TELLS_ALL_S  0.5
#define IN_DOUBT     20.0 /* caches may make a long run slower than short ones by this factor */

double work_of(const lab *definition, extent size)
{
    problem p = {.width = size.width, .height = size.height, .depth = size.depth};
    lab_work work = definition->work(&p);
    double operations = work.flops + work.int_ops;
    return operations > 0 ? operations : work.bytes;
}

/* ---- rows of smaller sizes ------------------------------------------------------------------- */

static bool tells_of(const result *row, const result *other)
{
    return !isnan(other->time_s) && strcmp(row->variant, other->variant) == 0 &&
           strcmp(row->lab, other->lab) == 0 && strcmp(row->machine, other->machine) == 0 &&
           strcmp(row->parameters, other->parameters) == 0;
}

static double predict_from_rows(const lab *definition, const result *row, const result_table *rows)
{
    double work = work_of(definition, result_extent(row)), most = 0, seconds = NAN;
    for (int i = 0; i < rows->count; i++) {
        const result *r = &rows->rows[i];
        double known = work_of(definition, result_extent(r));
        if (tells_of(row, r) && known <= work && known > most) {
            most = known;
            seconds = r->time_s * work / known;
        }
    }
    return seconds;
}

/* ---- short pieces ---------------------------------------------------------------------------- */

typedef struct piece {
    runner runner;
    binding host;
    double seconds;
} piece;

static void run_piece(void *context)
{
    piece *p = context;
    runner_prepare(&p->runner, &p->host);
    double start = host_seconds();
    run_variant(&p->runner, &p->host);
    p->seconds = host_seconds() - start;
}

/* One run at this size; NaN if it is refused or fails, which the case itself will tell. */
static double time_piece(const lab *definition, const variant *v, extent size, uint64_t seed)
{
    char failure[CUDA_FAILURE_SIZE];
    void *buffers[LAB_MAX_BUFFERS] = {NULL};
    lab unchecked = *definition;
    unchecked.reference = NULL;
    problem p = problem_create(&unchecked, size, seed);
    bool refused = v->refuse && v->refuse(&p, (dim3){0, 0, 0});
    piece run = {.runner = {.variant = v, .problem = &p}};
    problem_host_buffers(&p, buffers);
    runner_bind(&run.runner, &run.host, buffers);
    bool done = !refused && cuda_check_guarded(run_piece, &run, 0, failure);
    runner_release(&run.runner, &run.host);
    runner_release_plan(&run.runner);
    problem_free(&p);
    return done ? run.seconds : NAN;
}

static int halved(int side, int times)
{
    return side > 1 ? side >> times : side;
}

/* Are the sides that there are long enough to be a problem of their own? */
static bool is_piece(const lab *definition, extent size, extent wanted)
{
    enum { LEAST = 16 };
    return (size.width >= LEAST || wanted.width == 1) &&
           (size.height >= LEAST || wanted.height == 1) &&
           (size.depth >= LEAST || wanted.depth <= 1) && options_size_is_legal(definition, size);
}

static double predict_from_pieces(const lab *definition, const variant *v, extent wanted,
                                  uint64_t seed, double limit)
{
    double work = work_of(definition, wanted), predicted = NAN, seconds = 0;
    for (int times = 20; times > 0 && seconds < TELLS_ALL_S; times--) {
        extent size = {halved(wanted.width, times), halved(wanted.height, times),
                       halved(wanted.depth, times)};
        if (!is_piece(definition, size, wanted))
            continue;
        double scale = work / work_of(definition, size);
        seconds = time_piece(definition, v, size, seed);
        if (seconds * scale > limit) /* once more: a hiccup of the machine skips nobody */
            seconds = fmin(seconds, time_piece(definition, v, size, seed));
        predicted = seconds * scale;
        if (!(predicted > limit / IN_DOUBT) || (predicted > limit && seconds > TELLS_MORE_S))
            break;
    }
    return predicted;
}

double cpu_limit_predict(const lab *definition, const variant *v, const result *row, uint64_t seed,
                         const result_table *rows, double limit)
{
    double seconds = predict_from_rows(definition, row, rows);
    if (!isnan(seconds) || !v->run)
        return seconds;
    return predict_from_pieces(definition, v, result_extent(row), seed, limit);
}
