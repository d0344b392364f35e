/*
 * divided.cuh - lab 2 over several GPUs, one process each. Each has some rows of A and of B and
 * makes the same rows of C as of A, for which it needs all of B. The local product is warp_tile's.
 *
 * To be included by matprod.cu behind sgemm.cuh and launch_panel().
 *
 *   replicated_b   each GPU fetches the others' rows of B, and then multiplies
 *   ring           the rows of B, a panel of k each, go round a ring of GPUs, and a GPU multiplies
 *                  the panel that it has while the next one comes in
 *
 * With N x N matrices over G GPUs each multiplies 2 N^3 / G operations and receives 4 N^2 (G - 1) /
 * G bytes: at N = 32768 over two some 0.7 s of FP32 beside 2 GiB, which an NVLink of 380 GB/s
 * brings in 6 ms. replicated_b is to lose that 1 %, ring to hide it. The latter adds its panels in
 * an order that differs from rank to rank; each sum stays within the bound of any order.
 */
#ifndef LAB2_DIVIDED_CUH
#define LAB2_DIVIDED_CUH

/* Which rows of `rows` a rank has. */
static rank_part rows_of_rank(int rows, int rank, int count)
{
    return ranks_part((size_t)rows, 1, rank, count);
}

static rank_part part_of_product(const problem *p, int i, int rank, int count)
{
    shape s = shape_of(p);
    size_t row = (i == A ? s.depth : s.width) * sizeof(float);
    rank_part rows = rows_of_rank(i == B ? s.depth : s.height, rank, count);
    return {row * rows.first, row * rows.count};
}

/* Of the variants. */
#define PANEL_KERNEL                                                                               \
    .needs = "MPI and NCCL", .own_block = THREADS,                                                 \
    .cost = {.loads = 0.2, .fp32 = 1, .int32 = 0.03}, .kernel = (const void *)panel_tile

#ifdef HAVE_RANKS

#include "nccl_check.h"

/* Rows of B that rank `rank` has. */
static rank_part panel_of_rank(const problem *p, int rank)
{
    return rows_of_rank(shape_of(p).depth, rank, ranks_now().count);
}

/* This rank's rows of C: adds the product of A's columns that go with the panel, and the panel. */
static void multiply_by_panel(const problem *p, const launch *l, const float *b, rank_part k,
                              bool first)
{
    const shape s = shape_of(p);
    const int rows = (int)(p->buffer[C].bytes / sizeof(float) / (size_t)s.width);
    launch_panel((const float *)l->buffer[A] + k.first, b, (float *)l->buffer[C],
                 {rows, s.width, (int)k.count, s.depth, first}, l);
}

/* ---- replicated_b --------------------------------------------------------------------------- */

static size_t whole_b_bytes(const problem *p)
{
    return ranks_now().count > 1 ? sizeof(float) * shape_of(p).depth * shape_of(p).width : 0;
}

/* All ranks' rows of B, in their places. */
static void gather_b(const problem *p, const launch *l, float *whole)
{
    const ranks all = ranks_now();
    const size_t width = (size_t)shape_of(p).width;
    ncclComm_t others = ranks_communicator();
    const rank_part own = panel_of_rank(p, all.rank);
    CUDA_CHECK(cudaMemcpyAsync(whole + own.first * width, l->buffer[B], p->buffer[B].bytes,
                               cudaMemcpyDeviceToDevice, l->stream));
    if (l->no_exchange)
        return;
    NCCL_CHECK(ncclGroupStart());
    for (int rank = 0; rank < all.count; rank++) {
        const rank_part k = panel_of_rank(p, rank);
        if (rank == all.rank)
            continue;
        NCCL_CHECK(ncclSend(l->buffer[B], own.count * width, ncclFloat, rank, others, l->stream));
        NCCL_CHECK(
            ncclRecv(whole + k.first * width, k.count * width, ncclFloat, rank, others, l->stream));
    }
    NCCL_CHECK(ncclGroupEnd());
}

static void launch_replicated_b(const problem *p, const launch *l)
{
    const float *b = (const float *)l->buffer[B];
    const size_t depth = (size_t)shape_of(p).depth;
    if (ranks_now().count > 1) {
        gather_b(p, l, (float *)l->workspace);
        b = (const float *)l->workspace;
    }
    multiply_by_panel(p, l, b, {0, depth}, true);
}

/* ---- ring ----------------------------------------------------------------------------------- */

/* Exchanges run on a stream of their own. */
typedef struct ring_plan {
    cudaStream_t stream;
    cudaEvent_t multiplied, arrived;
} ring_plan;

static void *plan_ring(const problem *, const launch *l)
{
    int least, greatest;
    if (l->plan)
        return l->plan;
    ring_plan *r = (ring_plan *)allocate(sizeof *r);
    CUDA_CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    CUDA_CHECK(cudaStreamCreateWithPriority(&r->stream, cudaStreamNonBlocking, greatest));
    CUDA_CHECK(cudaEventCreateWithFlags(&r->multiplied, cudaEventDisableTiming));
    CUDA_CHECK(cudaEventCreateWithFlags(&r->arrived, cudaEventDisableTiming));
    return r;
}

static void release_ring(void *plan)
{
    ring_plan *r = (ring_plan *)plan;
    CUDA_RELEASE(cudaStreamDestroy(r->stream));
    CUDA_RELEASE(cudaEventDestroy(r->multiplied));
    CUDA_RELEASE(cudaEventDestroy(r->arrived));
    free(r);
}

/* Rank 0 has the largest panel. */
static size_t panel_floats(const problem *p)
{
    return panel_of_rank(p, 0).count * (size_t)shape_of(p).width;
}

static size_t two_panels_bytes(const problem *p)
{
    return ranks_now().count > 1 ? 2 * panel_floats(p) * sizeof(float) : 0;
}

/* Hands `now`, the panel of rank `of`, to the rank before this one; `next` comes from that behind.
 */
static void pass_on(const problem *p, const launch *l, const float *now, float *next, int of)
{
    const ranks all = ranks_now();
    const ring_plan *r = (const ring_plan *)l->plan;
    const size_t width = (size_t)shape_of(p).width;
    ncclComm_t ring = ranks_communicator();
    CUDA_CHECK(cudaEventRecord(r->multiplied, l->stream)); /* `next` was multiplied a step ago */
    CUDA_CHECK(cudaStreamWaitEvent(r->stream, r->multiplied, 0));
    if (!l->no_exchange) {
        NCCL_CHECK(ncclGroupStart());
        NCCL_CHECK(ncclSend(now, panel_of_rank(p, of).count * width, ncclFloat,
                            (all.rank + all.count - 1) % all.count, ring, r->stream));
        NCCL_CHECK(ncclRecv(next, panel_of_rank(p, (of + 1) % all.count).count * width, ncclFloat,
                            (all.rank + 1) % all.count, ring, r->stream));
        NCCL_CHECK(ncclGroupEnd());
    }
    CUDA_CHECK(cudaEventRecord(r->arrived, r->stream));
}

/* The exchange is launched first: behind the product's blocks it would find no room before these
 * end. */
static void launch_ring(const problem *p, const launch *l)
{
    const ranks all = ranks_now();
    const ring_plan *r = (const ring_plan *)l->plan;
    const float *now = (const float *)l->buffer[B];
    float *room = (float *)l->workspace;
    for (int step = 0; step < all.count; step++) {
        int of = (all.rank + step) % all.count;
        float *next = room + (size_t)(step % 2) * panel_floats(p);
        bool more = step < all.count - 1;
        if (more)
            pass_on(p, l, now, next, of);
        multiply_by_panel(p, l, now, panel_of_rank(p, of), step == 0);
        if (more)
            CUDA_CHECK(cudaStreamWaitEvent(l->stream, r->arrived, 0));
        now = next;
    }
}

#define DIVIDED_VARIANT(id, idea, launcher, ...)                                                   \
    GPU_VARIANT(id, idea, launcher, PANEL_KERNEL, .shared_bytes = slabs_bytes<large>, __VA_ARGS__, \
                .part = part_of_product, .exchanges = true)
#else
#define DIVIDED_VARIANT(id, idea, launcher, ...)                                                   \
    GPU_VARIANT(id, idea, NULL, PANEL_KERNEL, .part = part_of_product)
#endif

#endif
