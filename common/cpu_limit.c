#include "cpu_limit.h"
#include "awkward.h"
#include "buffers.h"
#include "host.h"
#include "variant.h"

#include <math.h>
#include <string.h>

#define LONG_ENOUGH_S 0.05 /* a run from which a longer one can be told */
#define IN_DOUBT      20.0 /* predictions from shorter ones may be off by this factor */

/* What time is proportional to. */
static double work_of(const lab *definition, extent size)
{
    problem p = {.width = size.width, .height = size.height, .depth = size.depth};
    double bytes = 0, flops = 0;
    definition->work(&p, &bytes, &flops);
    return flops > 0 ? flops : bytes;
}

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
        double known = work_of(definition, result_extent(&rows->rows[i]));
        if (tells_of(row, &rows->rows[i]) && known <= work && known > most) {
            most = known;
            seconds = rows->rows[i].time_s * work / known;
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
    problem p = problem_create_unchecked(definition, size, seed);
    bool refused = v->refuse && v->refuse(&p, (dim3){0, 0, 0});
    piece run = {.runner = {.variant = v, .problem = &p}};
    problem_host_buffers(&p, buffers);
    runner_bind(&run.runner, &run.host, buffers, NULL);
    bool done = !refused && cuda_check_guarded(run_piece, &run, 0, failure);
    runner_release(&run.runner, &run.host);
    problem_free(&p);
    return done ? run.seconds : NAN;
}

/* From the lab's awkward size on, larger and larger, until a run is long enough to tell. */
static double predict_from_pieces(const lab *definition, const variant *v, extent wanted,
                                  uint64_t seed, double limit)
{
    extent size;
    double work = work_of(definition, wanted), predicted = NAN, seconds = 0;
    bool legal = awkward_size(definition, &size);
    while (legal && work_of(definition, size) < work && seconds < LONG_ENOUGH_S) {
        seconds = time_piece(definition, v, size, seed);
        predicted = seconds * work / work_of(definition, size);
        if (!(predicted > limit / IN_DOUBT))
            break;
        size = awkward_larger(size);
        legal = awkward_is_legal(definition, size);
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
