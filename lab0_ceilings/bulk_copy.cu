/*
 * bulk_copy.cu - a copy by the copy engine of compute capability 9.0 (TMA; common/ptx/tma.cuh): no
 * register holds the data, no thread but one of a block does anything.
 *
 *     x ---> slot 0 | slot 1 | slot 2 | slot 3 ---> y     a block's ring in shared memory
 *
 * A block copies PIECES pieces of PIECE_BYTES. Its first thread keeps SLOTS - 1 of them on their
 * way in: it waits for the oldest, sends it on to y, and once the piece before that has been read
 * out of its slot asks for the next one there. Six blocks a multiprocessor have 144 KiB under way,
 * five times what 4.8 TB/s times a load's 0.8 us come to. Expected: what the float4 copies do,
 * since memory is the limit of either. The 0 to 3 floats behind the last 16 bytes are the last
 * block's other work. Any block.
 */
#include "ceilings.h"
#include "ptx/mbarrier.cuh"
#include "ptx/tma.cuh"

#ifdef HAVE_HOPPER

enum { SLOTS = 4, PIECE_BYTES = 8192, PIECES = 16, BLOCK_BYTES = PIECES * PIECE_BYTES };

#ifdef HOPPER_CODE

/* A passage: where the bytes of a block lie, and the ring that they pass through. */
typedef struct passage {
    const char *from;
    char *to;
    uint32_t bytes; /* a multiple of 16 */
    char (*slot)[PIECE_BYTES];
    uint64_t *full; /* a barrier a slot */
} passage;

__device__ static uint32_t piece_bytes(const passage &p, uint32_t piece)
{
    return min((uint32_t)PIECE_BYTES, p.bytes - piece * PIECE_BYTES);
}

__device__ static void ask_for(const passage &p, uint32_t piece)
{
    uint64_t *full = p.full + piece % SLOTS;
    mbarrier_arrive_expect_tx(shared_address(full), piece_bytes(p, piece));
    cp_async_bulk(p.slot[piece % SLOTS], p.from + piece * PIECE_BYTES, piece_bytes(p, piece), full);
}

__device__ static void send_on(const passage &p, uint32_t piece)
{
    mbarrier_wait(shared_address(p.full + piece % SLOTS), piece / SLOTS % 2);
    cp_async_bulk_store(p.to + piece * PIECE_BYTES, p.slot[piece % SLOTS], piece_bytes(p, piece));
    cp_async_bulk_commit_group();
}

__device__ static void pass_on(const passage &p)
{
    uint32_t pieces = (p.bytes + PIECE_BYTES - 1) / PIECE_BYTES;
    for (int i = 0; i < SLOTS; i++)
        mbarrier_init(shared_address(p.full + i), 1);
    fence_mbarrier_init();
    for (uint32_t i = 0; i < min(pieces, SLOTS - 1u); i++)
        ask_for(p, i);
    for (uint32_t i = 0; i < pieces; i++) {
        send_on(p, i);
        if (i + SLOTS - 1 < pieces) {
            cp_async_bulk_wait_group_read<1>(); /* all before piece i have left their slots */
            ask_for(p, i + SLOTS - 1);
        }
    }
    cp_async_bulk_wait_group_read<0>();
}

#endif

__global__ void bulk_copy(const float *x, float *y, int n)
{
#ifdef HOPPER_CODE
    __shared__ __align__(128) char slot[SLOTS][PIECE_BYTES];
    __shared__ uint64_t full[SLOTS];
    size_t start = (size_t)blockIdx.x * BLOCK_BYTES, end = (size_t)n / 4 * 16;
    uint32_t bytes = start < end ? (uint32_t)min(end - start, (size_t)BLOCK_BYTES) : 0;
    if (threadIdx.x == 0)
        pass_on({(const char *)x + start, (char *)y + start, bytes, slot, full});
    if (blockIdx.x == gridDim.x - 1)
        for (int i = n / 4 * 4 + threadIdx.x; i < n; i += blockDim.x)
            y[i] = x[i];
#endif
}

static void launch_bulk(const problem *p, const launch *l)
{
    bulk_copy<<<blocks_for(p->width, BLOCK_BYTES / sizeof(float)), l->block, 0, l->stream>>>(
        (const float *)l->buffer[X], (float *)l->buffer[Y], p->width);
    CUDA_CHECK(cudaGetLastError());
}

static const char *refuse_bulk(const problem *, dim3)
{
    return hopper_refuses((const void *)bulk_copy);
}

#endif

const variant bulk_copy_variant =
    GPU_VARIANT("bulk_copy", "copy: the copy engine (TMA), through shared memory",
                BUILT(HAVE_HOPPER, launch_bulk), .needs = "the copy engine of a GPU",
                .architecture = "sm_90a", .kernel = BUILT(HAVE_HOPPER, (const void *)bulk_copy),
                .applies = measures<COPY>, .refuse = BUILT(HAVE_HOPPER, refuse_bulk));
