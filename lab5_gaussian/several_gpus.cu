/*
 * several_gpus.cu - lab 5 over several GPUs, one process each. A picture's rows lie in bands, one a
 * GPU, each with a halo, which are rows of its neighbours': a pass needs two of each from the pass
 * before.
 *
 *   bands       two rows are exchanged behind each pass, which hides it
 *   deep_bands  more rows are exchanged, for several passes: the halo's rows are filtered, too, two
 *               less with each pass
 *
 * The first pass reads the input, whose parts overlap by the halos; the last one writes the output.
 * In between two bands of the workspace are read and written in turn. A band is filtered by
 * async_rows.
 *
 *      rank 0  | its rows                    |
 *              | halo: rows of rank 1        |
 *      rank 1  | halo: rows of rank 0        |
 *              | edge: a strip beside rank 0 |  <- its first rows go to rank 0
 *              | interior                    |
 *              | edge: a strip beside rank 2 |  <- its last rows go to rank 2
 *              | halo: rows of rank 2        |
 */
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdlib.h>

#include "async_rows.h"
#include "gaussian.h"
#include "lab.h"
#include "process/ranks.h"

enum {
    RADIUS = 2,   /* of the filter: rows that a pass needs of each neighbour */
    DEEPEST = 16, /* passes that a halo is for */
};

/* ---- bands and halos ------------------------------------------------------------------------ */

/* Returns how many rows a halo has. */
typedef int halo_rows(const problem *p, int ranks);

static int halo_of_a_pass(const problem *, int)
{
    return RADIUS;
}

/* Returns the rows for as many passes as the lowest band has rows to give to its neighbours. */
static int halo_of_passes(const problem *p, int ranks)
{
    int fit = p->height / ranks / RADIUS, most = passes < DEEPEST ? passes : DEEPEST;
    return RADIUS * (fit < 1 ? 1 : fit < most ? fit : most);
}

/* Rows of the whole picture that a rank has, and what it has of its neighbours'. */
typedef struct band {
    int first, rows, above, below;
} band;

template <halo_rows *HALO>
static band band_of_rank(const problem *p, int rank, int count)
{
    const rank_part own = ranks_part((size_t)p->height, 1, rank, count);
    const int halo = HALO(p, count);
    return {(int)own.first, (int)own.count, rank > 0 ? halo : 0, rank < count - 1 ? halo : 0};
}

template <halo_rows *HALO>
static band own_band(const problem *p)
{
    return band_of_rank<HALO>(p, ranks_now().rank, ranks_now().count);
}

/* Returns a rank's bytes of the output, or of the input with the halos. A band that is lower than
 * another's halo has no such rows: refuse_thin_bands(). */
template <halo_rows *HALO>
static rank_part part_of_picture(const problem *p, int i, int rank, int count)
{
    const band b = band_of_rank<HALO>(p, rank, count);
    const int top = b.first < b.above ? 0 : b.first - b.above;
    const int end = b.first + b.rows + b.below;
    if (i == OUTPUT)
        return {b.first * row_bytes(p), b.rows * row_bytes(p)};
    return {top * row_bytes(p), ((end < p->height ? end : p->height) - top) * row_bytes(p)};
}

static const char *refuse_thin_bands(const problem *p, dim3 block)
{
    const bool thin = p->is_part && own_band<halo_of_a_pass>(p).rows < RADIUS;
    return thin ? "a band has fewer rows than its neighbour's halo"
                : refuse_parts_of_warps(p, block);
}

/* Returns a band's shape with its halos. */
static shape shape_of_band(const problem *p, const band *b)
{
    return {p->width, b->above + b->rows + b->below, RADIUS};
}

/* Returns the room for a band with its halos. */
template <halo_rows *HALO>
static size_t room_of_band(const problem *p)
{
    const band b = own_band<HALO>(p);
    return workspace_part(shape_of_band(p, &b).height * row_bytes(p));
}

template <halo_rows *HALO>
static size_t bands_bytes(const problem *p)
{
    return (passes > 2 ? 2 : passes - 1) * room_of_band<HALO>(p);
}

#ifdef HAVE_RANKS

#include "process/nccl_check.h"

/* Returns where a pass writes its band; of the output the halo above is not there. */
template <halo_rows *HALO>
static uint8_t *output_of_pass(const problem *p, const launch *l, int pass)
{
    const band b = own_band<HALO>(p);
    bool last = pass == passes - 1;
    return last ? (uint8_t *)l->buffer[OUTPUT] - b.above * row_bytes(p)
                : (uint8_t *)l->workspace + pass % 2 * room_of_band<HALO>(p);
}

/* Receives the halos of a band from its neighbours, to which it sends as many rows. */
template <halo_rows *HALO>
static void exchange_halos(const problem *p, uint8_t *rows, cudaStream_t stream)
{
    const band b = own_band<HALO>(p);
    const ranks now = ranks_now();
    const size_t row = row_bytes(p), bytes = HALO(p, now.count) * row;
    uint8_t *first = rows + b.above * row, *behind = first + b.rows * row;
    ncclComm_t all = ranks_communicator();
    NCCL_CHECK(ncclGroupStart());
    if (b.above) {
        NCCL_CHECK(ncclSend(first, bytes, ncclUint8, now.rank - 1, all, stream));
        NCCL_CHECK(ncclRecv(rows, bytes, ncclUint8, now.rank - 1, all, stream));
    }
    if (b.below) {
        NCCL_CHECK(ncclSend(behind - bytes, bytes, ncclUint8, now.rank + 1, all, stream));
        NCCL_CHECK(ncclRecv(behind, bytes, ncclUint8, now.rank + 1, all, stream));
    }
    NCCL_CHECK(ncclGroupEnd());
}

/* ---- bands ---------------------------------------------------------------------------------- */

/*
 * bands: edges first. A pass makes the rows beside the neighbours, sends two of each, and makes
 * those between meanwhile, each on a stream of its own:
 *
 *   edges     edges 0 |             edges 1 |             ...
 *   exchange           exchange 0 |          exchange 1 | ...
 *   launch    interior 0          | interior 1          | ...
 *
 * The interior never reads a halo, so it waits for the edges of the pass before alone; the edges
 * wait for its interior and for its exchange.
 *
 * The edges have priority: their blocks are few, and must not queue behind the interior's. The
 * exchange has none: it waits for the end of the interior's blocks, and has the next pass to hide
 * behind.
 */
typedef struct band_plan {
    cudaStream_t edges, exchange;
    cudaEvent_t edges_made, interior_made, halos_there; /* of the latest pass */
} band_plan;

static void *plan_bands(const problem *, const launch *)
{
    int least, greatest;
    band_plan *plan = (band_plan *)allocate(sizeof *plan);
    CUDA_CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    CUDA_CHECK(cudaStreamCreateWithPriority(&plan->edges, cudaStreamNonBlocking, greatest));
    CUDA_CHECK(cudaStreamCreateWithPriority(&plan->exchange, cudaStreamNonBlocking, least));
    CUDA_CHECK(cudaEventCreateWithFlags(&plan->edges_made, cudaEventDisableTiming));
    CUDA_CHECK(cudaEventCreateWithFlags(&plan->interior_made, cudaEventDisableTiming));
    CUDA_CHECK(cudaEventCreateWithFlags(&plan->halos_there, cudaEventDisableTiming));
    return plan;
}

static void release_bands(void *of)
{
    band_plan *plan = (band_plan *)of;
    CUDA_RELEASE(cudaStreamDestroy(plan->edges));
    CUDA_RELEASE(cudaStreamDestroy(plan->exchange));
    CUDA_RELEASE(cudaEventDestroy(plan->edges_made));
    CUDA_RELEASE(cudaEventDestroy(plan->interior_made));
    CUDA_RELEASE(cudaEventDestroy(plan->halos_there));
    free(plan);
}

/* Returns how many rows an edge has: a strip's, of a low band all. */
static int edge_rows(const band *b)
{
    return b->rows < 2 * STRIP ? b->rows : STRIP;
}

static void filter_edges(const problem *p, const launch *l, const uint8_t *in, uint8_t *out)
{
    const band_plan *plan = (const band_plan *)l->plan;
    const band b = own_band<halo_of_a_pass>(p);
    const int rows = edge_rows(&b), first = b.above, end = first + b.rows;
    CUDA_CHECK(cudaStreamWaitEvent(plan->edges, plan->interior_made, 0));
    CUDA_CHECK(cudaStreamWaitEvent(plan->edges, plan->halos_there, 0));
    if (b.above)
        filter_strips(l, plan->edges, in, out, shape_of_band(p, &b), {first, first + rows});
    if (b.below && !(b.above && rows == b.rows))
        filter_strips(l, plan->edges, in, out, shape_of_band(p, &b), {end - rows, end});
    CUDA_CHECK(cudaEventRecord(plan->edges_made, plan->edges));
}

/* Sends the edges of `rows`, which are the band's, and receives the halos. */
static void send_edges(const problem *p, const launch *l, uint8_t *rows)
{
    const band_plan *plan = (const band_plan *)l->plan;
    CUDA_CHECK(cudaStreamWaitEvent(plan->exchange, plan->edges_made, 0));
    if (!l->no_exchange)
        exchange_halos<halo_of_a_pass>(p, rows, plan->exchange);
    CUDA_CHECK(cudaEventRecord(plan->halos_there, plan->exchange));
}

/* Makes what is left, which may be nothing. By itself a rank has no edges. */
static void filter_interior(const problem *p, const launch *l, const uint8_t *in, uint8_t *out)
{
    const band_plan *plan = (const band_plan *)l->plan;
    const band b = own_band<halo_of_a_pass>(p);
    const int rows = edge_rows(&b), first = b.above + (b.above ? rows : 0);
    const int end = b.above + b.rows - (b.below ? rows : 0);
    if (first < end)
        filter_strips(l, l->stream, in, out, shape_of_band(p, &b), {first, end});
    CUDA_CHECK(cudaEventRecord(plan->interior_made, l->stream));
}

static void launch_bands(const problem *p, const launch *l)
{
    const band_plan *plan = (const band_plan *)l->plan;
    const uint8_t *in = (const uint8_t *)l->buffer[INPUT];
    CUDA_CHECK(cudaEventRecord(plan->interior_made, l->stream)); /* what the first edges read */
    CUDA_CHECK(cudaEventRecord(plan->halos_there, l->stream));
    for (int pass = 0; pass < passes; pass++) {
        uint8_t *out = output_of_pass<halo_of_a_pass>(p, l, pass);
        if (p->is_part && pass > 0)
            CUDA_CHECK(cudaStreamWaitEvent(l->stream, plan->edges_made, 0));
        if (p->is_part)
            filter_edges(p, l, in, out);
        if (p->is_part && pass < passes - 1)
            send_edges(p, l, out);
        filter_interior(p, l, in, out);
        in = out;
    }
    if (p->is_part)
        CUDA_CHECK(cudaStreamWaitEvent(l->stream, plan->edges_made, 0));
}

/* ---- deep_bands ----------------------------------------------------------------------------- */

/* Returns a band and, beside neighbours, rows of the halos that the passes up to the next exchange
 * need. */
static row_range rows_for(const band *b, int passes_to_come)
{
    const int more = RADIUS * passes_to_come, end = b->above + b->rows;
    return {b->above ? b->above - more : 0, b->below ? end + more : end};
}

static void launch_deep_bands(const problem *p, const launch *l)
{
    const band b = own_band<halo_of_passes>(p);
    const int together = halo_of_passes(p, ranks_now().count) / RADIUS;
    uint8_t *in = (uint8_t *)l->buffer[INPUT];
    for (int pass = 0; pass < passes; pass++) {
        const int behind = pass - pass % together + together - 1; /* the next exchange comes */
        const int last = behind < passes - 1 ? behind : passes - 1;
        uint8_t *out = output_of_pass<halo_of_passes>(p, l, pass);
        if (pass > 0 && pass % together == 0 && p->is_part && !l->no_exchange)
            exchange_halos<halo_of_passes>(p, in, l->stream);
        filter_strips(l, l->stream, in, out, shape_of_band(p, &b), rows_for(&b, last - pass));
        in = out;
    }
}

#endif

/* ---- variants ------------------------------------------------------------------------------- */

#define BANDS_KERNEL                                                                               \
    .needs = "MPI and NCCL", .kernel_for = async_rows_kernel, .shared_bytes = rings_bytes

extern const variant bands_variant = GPU_VARIANT(
    "bands", "async_rows over several GPUs, rows exchanged behind each pass",
    BUILT(HAVE_RANKS, launch_bands), BANDS_KERNEL, .workspace_bytes = bands_bytes<halo_of_a_pass>,
    .refuse = refuse_thin_bands, .plan_once = BUILT(HAVE_RANKS, plan_bands),
    .release = BUILT(HAVE_RANKS, release_bands), .part = part_of_picture<halo_of_a_pass>,
    .exchanges = true);

extern const variant deep_bands_variant =
    GPU_VARIANT("deep_bands", "the same, rows exchanged for several passes",
                BUILT(HAVE_RANKS, launch_deep_bands), BANDS_KERNEL,
                .workspace_bytes = bands_bytes<halo_of_passes>, .refuse = refuse_thin_bands,
                .part = part_of_picture<halo_of_passes>, .exchanges = true);

/* One picture over more and more GPUs, and one a GPU: a small one for the CPU, and a large one. */
extern const lab_settings several_gpus[] = {
    {"--type gray --passes 5 --variants bands,deep_bands --sizes 640x480 --blocks 32x4"},
    {"--type gray --passes 20 --variants bands,deep_bands --sizes 32768x16384 --blocks 32x4"},
    {"--type gray --passes 5 --weak --variants bands,deep_bands --sizes 640x480 --blocks 32x4"},
    {"--type gray --passes 20 --weak --variants bands,deep_bands --sizes 16384x16384 --blocks "
     "32x4"},
    {NULL},
};
