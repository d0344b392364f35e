/*
 * hopper_product.cuh - products of the image with a piece of the template, at most 64 x 64, on the
 * tensor cores of compute capability 9.0 (wgmma; PTX ISA, "Asynchronous warpgroup level matrix
 * instructions"). D += A B, where D has 64 rows and A and B lie in shared memory:
 *
 *   A[m][k] = I(16 m + k, r)   the image's row r from pixel 16 m on. wgmma reads core matrices of
 *                              8 rows by 16 bytes, 128 bytes in sequence. With rows 16 pixels apart
 *                              these are 128 consecutive pixels: the row of the image as it lies is
 *                              A, and core matrices overlap (Hankel). 64 rows are 1024 positions.
 *   B[k][n] = T(k - shift, j)  n stands for 16 shifts and for ROWS rows of the map. A row of the
 *                              template in all its shifts, a slot, is stored once: the row of the
 *                              image that is one further down goes with slots one further on
 *                              (Toeplitz). Slots of zeros come before the first and after the last.
 *   k = 0 .. 79                64 pixels and 15 more for the shifts. An instruction takes 32: two
 *                              rows of the image are five of them, the middle one half and half.
 *
 * So D[m][shift, y] is what the position 16 m + shift of row y has. Of the products 64 x 64 of
 * 80 x 72 are wanted, if ROWS is 8.
 *
 * Shared memory: | ring: 96 rows of the image | slots | sums of group 0 | of group 1 | for zncc |
 */
#ifndef LAB4_HOPPER_PRODUCT_CUH
#define LAB4_HOPPER_PRODUCT_CUH

#include "measures.cuh"
#include "pieces.cuh"
#include "ptx/mbarrier.cuh"
#include "ptx/tma.cuh"
#include "ptx/wgmma.cuh"

enum {
    GROUPS = 2,   /* of a block */
    STRIP = 1024, /* positions side by side */
    SHIFTS = 16,
    LENGTH = 80,                    /* of k: 64 and the shifts, in units of 16 */
    MARCH_ROWS = 8,                 /* of the map, of a group in hopper_march */
    TILE_ROWS = 6,                  /* of a block in hopper_tile */
    ROW_BYTES = STRIP + PIECE_SIDE, /* of the image, for such a strip */
    SLOT_BYTES = SHIFTS * LENGTH,
    RING_ROWS = 96,
    START_ROW = 1,    /* of group 0's first tile, behind which group 1 begins */
    WALKED_ROWS = 72, /* of the image, for a tile of 6 or 8 rows: a multiple of 4 */
    OWN_COLUMNS = 8,  /* whose squares a thread adds up */
    SUM_COLUMNS = STRIP + PIECE_SIDE,
    /* The first four of 8 words lie in one half of an array, the others in the second, 4 banks
       further on: so 8 lanes that move four words each share no bank. */
    COLUMN_HALF = SUM_COLUMNS / 2 + 4,
    WINDOW_HALF = STRIP / 2 + 4,
    SCRATCH_WORDS = 2 * COLUMN_HALF + SUM_COLUMNS / OWN_COLUMNS + 2 * WINDOW_HALF, /* of a group */
    PACKED_WORDS = SUM_COLUMNS / 2 + SUM_COLUMNS / OWN_COLUMNS,                    /* for zncc */
    PADDED_WORDS = (16 + PIECE_SIDE + 16) / 4 /* of a row of the template between zeros */
};

__host__ __device__ static constexpr int slots_for(int rows)
{
    return WALKED_ROWS + rows - 1;
}

__host__ __device__ static constexpr int hopper_bytes(int rows)
{
    return RING_ROWS * ROW_BYTES + slots_for(rows) * SLOT_BYTES +
           GROUPS * (SCRATCH_WORDS + PACKED_WORDS) * (int)sizeof(uint32_t);
}

/* What a launch works on: `image` may be a copy with longer rows, `pitch` a multiple of 16. */
typedef struct hopper_job {
    const uint8_t *image, *templ;
    int pitch;
    shapes s;
    piece part;
    int rows_of_block;
} hopper_job;

#ifdef HOPPER_CODE

/* ---- products and barriers ------------------------------------------------------------------ */

/* Adds d += A B of bytes, k of 32, for as many columns as there are sums. */
__device__ inline void multiply(uint32_t (&d)[48], uint64_t a, uint64_t b)
{
    wgmma_m64n96k32_u8(d, a, b);
}

__device__ inline void multiply(uint32_t (&d)[64], uint64_t a, uint64_t b)
{
    wgmma_m64n128k32_u8(d, a, b);
}

/* Barriers by number: 1 and 2 of each group alone, the others between both, see hopper_march. */
enum { OWN_BARRIER = 1, TILE_DONE = 3, START = 4 };

__device__ inline void group_barrier(int group)
{
    named_barrier_sync_aligned<WARPGROUP>(OWN_BARRIER + group);
}

/* Waits for copies; a barrier's phase is 0 at first and then 1 and 0 in turn. */
__device__ inline void copies_wait(uint64_t *barrier, uint32_t phase)
{
    while (!mbarrier_try_wait(shared_address(barrier), phase))
        ;
}

/* ---- shared memory -------------------------------------------------------------------------- */

/* A thread's view: where things lie, and which rows its group works on. */
typedef struct walker {
    uint8_t *ring, *slots;
    uint32_t *columns; /* of its group: for each column the squares of 64 rows; in halves */
    uint32_t *eights;  /* sums of 8 columns */
    uint32_t *windows; /* a row of the map: sums of 64 columns; in halves */
    uint32_t *packed,
        *packed_eights; /* for zncc: sums of pixels, two to a word, and of 8 columns */
    int group, thread;
    int base;  /* row of the ring of the tile's first row of the image */
    int first; /* the row after it that the group's first window begins with */
} walker;

__device__ inline walker walker_in(uint8_t *shared, int slots)
{
    walker w;
    w.group = warp_uniform(threadIdx.x / WARPGROUP); /* the same for all lanes */
    w.thread = threadIdx.x % WARPGROUP;
    w.ring = shared;
    w.slots = shared + RING_ROWS * ROW_BYTES;
    uint32_t *scratch = (uint32_t *)(w.slots + slots * SLOT_BYTES);
    w.columns = scratch + w.group * SCRATCH_WORDS;
    w.packed = scratch + GROUPS * SCRATCH_WORDS + w.group * PACKED_WORDS;
    w.packed_eights = w.packed + SUM_COLUMNS / 2;
    w.eights = w.columns + 2 * COLUMN_HALF;
    w.windows = w.eights + SUM_COLUMNS / OWN_COLUMNS;
    w.base = w.first = 0;
    return w;
}

__device__ inline const uint8_t *ring_row(const walker &w, int r)
{
    int row = w.base + r;
    return w.ring + (row >= RING_ROWS ? row - RING_ROWS : row) * ROW_BYTES;
}

/*
 * Starts copying the strip's rows from `from` on, `count` of them at most 128, to the ring: each
 * of as many threads copies one. (left, top) is the strip's first pixel. What lies outside the
 * image is not copied: it would only go to sums of positions outside the map, or meet zeros.
 */
__device__ inline void load_rows(const walker &w, const hopper_job &job, int left, int top,
                                 int from, int count, uint64_t *barrier)
{
    int inside = max(0, min(count, job.s.image_height - (top + from)));
    uint32_t bytes = min((int)ROW_BYTES, job.pitch - left);
    int row = from + w.thread;
    if (w.thread == 0)
        mbarrier_arrive_expect_tx(shared_address(barrier), inside * bytes);
    if (w.thread < inside)
        cp_async_bulk(w.ring + row % RING_ROWS * ROW_BYTES,
                      job.image + (size_t)(top + row) * job.pitch + left, bytes, barrier);
}

/* What the block knows of the template. */
typedef struct template_sums {
    uint32_t sum, squares;
} template_sums;

/*
 * Puts the piece's rows, 16 zeros on either side, where the scratch will be; adds up T^2, and for
 * zncc T.
 */
template <bool FUSED, int MEASURE>
__device__ inline void pad_template(uint32_t *padded, template_sums *sums, const hopper_job &job)
{
    uint32_t squares = 0, sum = 0;
    if (threadIdx.x == 0)
        sums->squares = sums->sum = 0;
#pragma unroll /* all loads are on their way at a time */
    for (int k = 0; k < PIECE_SIDE * PADDED_WORDS / (GROUPS * WARPGROUP); k++) {
        int i = threadIdx.x + k * GROUPS * WARPGROUP;
        int row = i / PADDED_WORDS, column = i % PADDED_WORDS - 4;
        bool inside = column >= 0 && column < PIECE_SIDE / 4;
        if (FUSED) /* whole words, nothing else */
            padded[i] = inside ? ((const uint32_t *)job.templ)[row * PIECE_SIDE / 4 + column] : 0;
        else
            padded[i] = inside ? four_of_piece(job.templ, job.s, job.part, 4 * column, row) : 0;
        squares = __dp4a(padded[i], padded[i], squares);
        if (MEASURE == ZNCC)
            sum = __dp4a(padded[i], 0x01010101u, sum);
    }
    squares = __reduce_add_sync(0xFFFFFFFF, squares);
    sum = MEASURE == ZNCC ? __reduce_add_sync(0xFFFFFFFF, sum) : 0;
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        atomicAdd(&sums->squares, squares);
    if (MEASURE == ZNCC && threadIdx.x % 32 == 0)
        atomicAdd(&sums->sum, sum);
}

/*
 * Fills the slots: template row j's is slot j + rows - 1, byte k of shift s is T(k - s, j), as core
 * matrices of 8 shifts by 16 bytes, the ten of a slot in the order: 5 along k, then the other 8
 * shifts.
 */
__device__ inline void fill_slots(uint8_t *slots, const uint32_t *padded, int rows)
{
    const int chunks_of_slot = SLOT_BYTES / 16, at_a_time = GROUPS * WARPGROUP / chunks_of_slot;
    int i = threadIdx.x % chunks_of_slot, first = threadIdx.x / chunks_of_slot;
    int shift = i % 8 + i / 40 * 8, k = i / 8 % 5 * 16, from = 16 + k - shift, bits = from % 4 * 8;
    if (first >= at_a_time)
        return;
    for (int slot = first; slot < slots_for(rows); slot += at_a_time) {
        int j = slot - (rows - 1);
        const uint32_t *p = padded + j * PADDED_WORDS + from / 4;
        uint4 bytes = make_uint4(0, 0, 0, 0);
        if (j >= 0 && j < PIECE_SIDE)
            bytes =
                make_uint4(__funnelshift_r(p[0], p[1], bits), __funnelshift_r(p[1], p[2], bits),
                           __funnelshift_r(p[2], p[3], bits), __funnelshift_r(p[3], p[4], bits));
        ((uint4 *)slots)[slot * chunks_of_slot + i] = bytes;
    }
}

/* ---- products ------------------------------------------------------------------------------- */

/* Issues the products of rows r and r + 1 of the image, r even: five times 32 of k. */
template <int COUNT>
__device__ inline void multiply_rows(uint32_t (&sums)[COUNT], const walker &w, int r)
{
    const uint32_t row = ROW_BYTES / 16, slot = SLOT_BYTES / 16, eight_shifts = 40;
    uint32_t a = shared_address(ring_row(w, r)) >> 4;
    uint32_t b = (shared_address(w.slots) >> 4) + r * slot;
    multiply(sums, wgmma_plain(a, 1, 8), wgmma_plain(b, 8, eight_shifts));
    multiply(sums, wgmma_plain(a + 2, 1, 8), wgmma_plain(b + 16, 8, eight_shifts));
    multiply(sums, wgmma_plain(a + 4, row, 8), wgmma_plain(b + 32, slot, eight_shifts));
    multiply(sums, wgmma_plain(a + row, 1, 8), wgmma_plain(b + slot, 8, eight_shifts));
    multiply(sums, wgmma_plain(a + row + 2, 1, 8), wgmma_plain(b + slot + 16, 8, eight_shifts));
}

/* Returns which position of the strip the e-th of a thread's 8 sums of a row belongs to. */
__device__ inline int position_of(const walker &w, int e)
{
    int warp = w.thread / 32, lane = w.thread % 32;
    return 16 * (16 * warp + lane / 4) + 8 * (e / 4) + 128 * (e / 2 % 2) + 2 * (lane % 4) + e % 2;
}

/* ---- what both kernels begin with ----------------------------------------------------------- */

template <bool FUSED, int MEASURE>
__device__ inline void fill_shared(const walker &w, const hopper_job &job, template_sums *sums,
                                   int rows, int left, int top, int rows_at_first,
                                   uint64_t *barrier)
{
    uint32_t *padded = (uint32_t *)(w.slots + slots_for(rows) * SLOT_BYTES);
    if (threadIdx.x == 0) {
        mbarrier_init(shared_address(barrier), 1);
        mbarrier_init(shared_address(barrier + 1), 1);
        fence_proxy_async(); /* for the copy engine */
    }
    __syncthreads();
    if (w.group == 0)
        load_rows(w, job, left + job.part.left, top + job.part.top, 0, rows_at_first, barrier);
    pad_template<FUSED, MEASURE>(padded, sums, job);
    fill_slots(w.slots, padded, rows);
    fence_proxy_async();
    __syncthreads();
    copies_wait(barrier, 0);
}

#endif
#endif
