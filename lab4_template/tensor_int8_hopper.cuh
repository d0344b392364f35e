/*
 * tensor_int8_hopper.cuh - products of the image with a piece of the template, at most 64 x 64, on
 * the tensor cores of compute capability 9.0 (wgmma; PTX ISA, "Asynchronous warpgroup level matrix
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
 * With a template of 64 x 64 the sums of squares are made in the same kernel, on the CUDA cores
 * under the products (FUSED), for zncc those of pixels, too; else they lie in the map already.
 *
 *   hopper_march   for large maps: a block walks down a strip of 1024 positions, each of its two
 *                  warpgroups 8 rows of the map at a time. The image's rows are in a ring, the next
 *                  ones on their way. Group 1 is half a tile behind group 0, so that the tensor
 *                  cores have work while one of them ends its tile.
 *   hopper_tile    for small ones: a block has 6 rows, and each group half of the image's rows;
 *                  they add up their sums in the end.
 */
#ifndef LAB4_TENSOR_INT8_HOPPER_CUH
#define LAB4_TENSOR_INT8_HOPPER_CUH

#include "mbarrier.cuh"
#include "tma.cuh"
#include "wgmma.cuh"

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
    /* Of 8 words the first four lie in one half of an array and the others in the second, 4 banks
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

/* Barriers: 1 and 2 of each group alone, the others between both, see hopper_march. */
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
    w.group = __shfl_sync(0xFFFFFFFF, threadIdx.x / WARPGROUP, 0); /* the same for all lanes */
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
 * The strip's rows from `from` on, `count` of them at most 128, are on their way to the ring: each
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
 * The piece's rows, 16 zeros on either side, where the scratch will be; sum T^2, and for zncc sum
 * T.
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
 * Slots: of template row j in slot j + rows - 1, byte k of shift s is T(k - s, j), as core matrices
 * of 8 shifts by 16 bytes, the ten of a slot in the order: 5 along k, then the other 8 shifts.
 */
__device__ inline void fill_slots(uint8_t *slots, const uint32_t *padded, int rows)
{
    const int pieces_of_slot = SLOT_BYTES / 16, at_a_time = GROUPS * WARPGROUP / pieces_of_slot;
    int i = threadIdx.x % pieces_of_slot, first = threadIdx.x / pieces_of_slot;
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
        ((uint4 *)slots)[slot * pieces_of_slot + i] = bytes;
    }
}

/* ---- products ------------------------------------------------------------------------------- */

/* The products of rows r and r + 1 of the image, r even: five times 32 of k. */
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

/* Of the 8 sums that a thread has of a row, the e-th belongs to this position of the strip. */
__device__ inline int position_of(const walker &w, int e)
{
    int warp = w.thread / 32, lane = w.thread % 32;
    return 16 * (16 * warp + lane / 4) + 8 * (e / 4) + 128 * (e / 2 % 2) + 2 * (lane % 4) + e % 2;
}

/* ---- sums of squares ------------------------------------------------------------------------ */

/*
 * Columns 8 t to 8 t + 7 of thread t; the first 8 threads have the 64 columns behind, too. Sums of
 * pixels, for zncc, go two to a word, 64 * 255 < 2^16: of four columns 0 and 2, then 1 and 3.
 */
typedef struct own_columns {
    uint32_t squares[2 * OWN_COLUMNS], packed[OWN_COLUMNS];
} own_columns;

/* Adds the squares of the four pixels that a word has, of four rows, to four columns. */
__device__ inline void add_squares(uint32_t *columns, uint32_t a, uint32_t b, uint32_t c,
                                   uint32_t d)
{
    uint32_t ab_low = __byte_perm(a, b, 0x5140), ab_high = __byte_perm(a, b, 0x7362);
    uint32_t cd_low = __byte_perm(c, d, 0x5140), cd_high = __byte_perm(c, d, 0x7362);
    uint32_t transposed[] = {
        __byte_perm(ab_low, cd_low, 0x5410), __byte_perm(ab_low, cd_low, 0x7632),
        __byte_perm(ab_high, cd_high, 0x5410), __byte_perm(ab_high, cd_high, 0x7632)};
    for (int i = 0; i < 4; i++)
        columns[i] = __dp4a(transposed[i], transposed[i], columns[i]);
}

/* + the pixels of a word, - those of another. */
__device__ inline void slide_packed(uint32_t *packed, uint32_t added, uint32_t gone)
{
    const uint32_t even = 0x00FF00FF;
    packed[0] += (added & even) - (gone & even);
    packed[1] += (added >> 8 & even) - (gone >> 8 & even);
}

/* Rows r to r + count - 1, count 1 or 4, of the 8 columns from pixel x on; `part` 0 or 1. */
template <int MEASURE>
__device__ inline void add_part(own_columns &columns, const walker &w, int r, int count, int part)
{
    int x = part ? STRIP : 0;
    uint32_t *squares = columns.squares + part * OWN_COLUMNS;
    uint32_t *packed = columns.packed + part * OWN_COLUMNS / 2;
    uint2 rows[4] = {};
#pragma unroll
    for (int i = 0; i < count; i++)
        rows[i] = *(const uint2 *)(ring_row(w, r + i) + x + OWN_COLUMNS * w.thread);
    add_squares(squares, rows[0].x, rows[1].x, rows[2].x, rows[3].x);
    add_squares(squares + 4, rows[0].y, rows[1].y, rows[2].y, rows[3].y);
#pragma unroll
    for (int i = 0; MEASURE == ZNCC && i < count; i++) {
        slide_packed(packed, rows[i].x, 0);
        slide_packed(packed + 2, rows[i].y, 0);
    }
}

template <int ROWS, int MEASURE>
__device__ inline void add_rows(own_columns &columns, const walker &w, int r)
{
    add_part<MEASURE>(columns, w, r, ROWS, 0);
    if (w.thread < PIECE_SIDE / OWN_COLUMNS)
        add_part<MEASURE>(columns, w, r, ROWS, 1);
}

/* Before and after rows are added, that are to go. */
__device__ inline void negate(own_columns &columns)
{
    for (int i = 0; i < 2 * OWN_COLUMNS; i++)
        columns.squares[i] = -columns.squares[i];
    for (int i = 0; i < OWN_COLUMNS; i++)
        columns.packed[i] = -columns.packed[i];
}

/* One row more, and one less: + new^2 - old^2. */
__device__ inline void slide_squares(uint32_t *columns, uint32_t added, uint32_t gone)
{
    for (int i = 0; i < 4; i++) {
        uint32_t byte = 0xFFu << 8 * i;
        columns[i] = __dp4a(added, added & byte, columns[i]) - __dp4a(gone, gone & byte, 0u);
    }
}

template <int MEASURE>
__device__ inline void slide_part(own_columns &columns, const walker &w, int y, int part)
{
    int x = OWN_COLUMNS * w.thread + (part ? STRIP : 0);
    uint32_t *squares = columns.squares + part * OWN_COLUMNS;
    uint32_t *packed = columns.packed + part * OWN_COLUMNS / 2;
    uint2 added = *(const uint2 *)(ring_row(w, w.first + PIECE_SIDE - 1 + y) + x);
    uint2 gone = *(const uint2 *)(ring_row(w, w.first + y - 1) + x);
    slide_squares(squares, added.x, gone.x);
    slide_squares(squares + 4, added.y, gone.y);
    if (MEASURE == ZNCC) {
        slide_packed(packed, added.x, gone.x);
        slide_packed(packed + 2, added.y, gone.y);
    }
}

/* From row y - 1 of the tile on to row y. */
template <int MEASURE>
__device__ inline void slide_columns(own_columns &columns, const walker &w, int y)
{
    slide_part<MEASURE>(columns, w, y, 0);
    if (w.thread < PIECE_SIDE / OWN_COLUMNS)
        slide_part<MEASURE>(columns, w, y, 1);
}

template <int MEASURE>
__device__ inline void show_part(const own_columns &columns, const walker &w, int part)
{
    const uint32_t *c = columns.squares + part * OWN_COLUMNS;
    int index = w.thread + (part ? WARPGROUP : 0);
    uint32_t *target = w.columns + 4 * index;
    *(uint4 *)target = make_uint4(c[0], c[1], c[2], c[3]);
    *(uint4 *)(target + COLUMN_HALF) = make_uint4(c[4], c[5], c[6], c[7]);
    w.eights[index] = c[0] + c[1] + c[2] + c[3] + c[4] + c[5] + c[6] + c[7];
    if (MEASURE == ZNCC) {
        const uint32_t *p = columns.packed + part * OWN_COLUMNS / 2;
        uint32_t two = p[0] + p[1] + p[2] + p[3]; /* four columns each: 65280 at most */
        *(uint4 *)(w.packed + 4 * index) = make_uint4(p[0], p[1], p[2], p[3]);
        w.packed_eights[index] = (two & 0xFFFF) + (two >> 16);
    }
}

/* The thread's columns go to shared memory. */
template <int MEASURE>
__device__ inline void show_columns(const own_columns &columns, const walker &w)
{
    show_part<MEASURE>(columns, w, 0);
    if (w.thread < PIECE_SIDE / OWN_COLUMNS)
        show_part<MEASURE>(columns, w, 1);
}

/* The sum over 64 columns from the thread's own on: 8 times 8. */
__device__ inline uint32_t first_window(const uint32_t *eights, const walker &w)
{
    uint32_t sum = 0;
#pragma unroll
    for (int i = 0; i < PIECE_SIDE / OWN_COLUMNS; i++)
        sum += eights[w.thread + i];
    return sum;
}

/* The 8 windows that begin with the thread's columns: the first, and the others slid from it. */
__device__ inline void put_windows(const walker &w, uint32_t first, const uint32_t *added,
                                   const uint32_t *gone)
{
    uint32_t windows[OWN_COLUMNS] = {first};
#pragma unroll
    for (int i = 1; i < OWN_COLUMNS; i++)
        windows[i] = windows[i - 1] + added[i - 1] - gone[i - 1];
    uint32_t *target = w.windows + 4 * w.thread;
    *(uint4 *)target = make_uint4(windows[0], windows[1], windows[2], windows[3]);
    *(uint4 *)(target + WINDOW_HALF) = make_uint4(windows[4], windows[5], windows[6], windows[7]);
}

/* Of squares; to each window `squares` is added. */
__device__ inline void make_windows(const own_columns &columns, const walker &w, uint32_t squares)
{
    const uint32_t *beyond = w.columns + 4 * w.thread + PIECE_SIDE / 2;
    uint4 m = *(const uint4 *)beyond, n = *(const uint4 *)(beyond + COLUMN_HALF);
    const uint32_t added[] = {m.x, m.y, m.z, m.w, n.x, n.y, n.z, n.w};
    put_windows(w, squares + first_window(w.eights, w), added, columns.squares);
}

__device__ inline void unpack(uint32_t *columns, const uint32_t *packed)
{
#pragma unroll
    for (int i = 0; i < OWN_COLUMNS; i++) {
        uint32_t two = packed[i / 4 * 2 + i % 2];
        columns[i] = i / 2 % 2 ? two >> 16 : two & 0xFFFF;
    }
}

/* Of pixels. */
__device__ inline void make_packed_windows(const own_columns &columns, const walker &w)
{
    uint4 m = *(const uint4 *)(w.packed + 4 * w.thread + PIECE_SIDE / 2);
    const uint32_t packed[] = {m.x, m.y, m.z, m.w};
    uint32_t added[OWN_COLUMNS], gone[OWN_COLUMNS];
    unpack(added, packed);
    unpack(gone, columns.packed);
    put_windows(w, first_window(w.packed_eights, w), added, gone);
}

/* The windows of the positions whose products the thread has: of its warp's columns, all of them.
 */
__device__ inline void take_windows(uint32_t *boxes, const walker &w)
{
#pragma unroll
    for (int e = 0; e < 8; e += 2) {
        int x = position_of(w, e), place = x / 8 * 4 + x % 4 + x / 4 % 2 * WINDOW_HALF;
        uint2 two = *(const uint2 *)(w.windows + place);
        boxes[e] = two.x;
        boxes[e + 1] = two.y;
    }
}

/* ---- two groups, a half of the rows each ---------------------------------------------------- */

__device__ inline void add_four(uint32_t *columns, const uint32_t *shown)
{
    uint4 four = *(const uint4 *)shown;
    columns[0] += four.x;
    columns[1] += four.y;
    columns[2] += four.z;
    columns[3] += four.w;
}

/* Of its half of the first window's rows, `count` from `from` on. */
template <int MEASURE>
__device__ inline void add_half(own_columns &columns, const walker &w, int from, int count)
{
    int first = w.group * (PIECE_SIDE / GROUPS) + from;
#pragma unroll 4
    for (int r = first; r < first + count; r += 4)
        add_rows<4, MEASURE>(columns, w, r);
}

/* Each group has added up its half; both get the sum, for which all threads of the block wait. */
template <int MEASURE>
__device__ inline void add_halves(own_columns &columns, const walker &w)
{
    const int parts = w.thread < PIECE_SIDE / OWN_COLUMNS ? 2 : 1, sign = w.group ? -1 : 1;
    show_columns<MEASURE>(columns, w);
    __syncthreads();
#pragma unroll
    for (int part = 0; part < 2; part++) {
        int index = w.thread + part * WARPGROUP;
        const uint32_t *shown = w.columns + sign * SCRATCH_WORDS + 4 * index;
        if (part < parts) {
            add_four(columns.squares + part * OWN_COLUMNS, shown);
            add_four(columns.squares + part * OWN_COLUMNS + 4, shown + COLUMN_HALF);
        }
        if (MEASURE == ZNCC && part < parts)
            add_four(columns.packed + part * OWN_COLUMNS / 2,
                     w.packed + sign * PACKED_WORDS + 4 * index);
    }
    __syncthreads();
}

/* From the first window on to that of a later row. */
template <int MEASURE>
__device__ inline void slide_to(own_columns &columns, const walker &w, int row)
{
    for (int y = 1; y <= row; y++)
        slide_columns<MEASURE>(columns, w, y);
}

/* ---- ncc and zncc --------------------------------------------------------------------------- */

enum { PIECE_PIXELS = PIECE_SIDE * PIECE_SIDE };

/* Of windows' sums of squares, and for zncc of their sums: 1 / root, as the bits of floats. */
template <int MEASURE>
__device__ inline void invert_roots(uint32_t *boxes, const uint32_t *means, const template_sums &t)
{
#pragma unroll
    for (int e = 0; e < 8; e++) {
        fraction f = fraction_of<MEASURE>({means[e], boxes[e], t.sum, t.squares, 0}, PIECE_PIXELS);
        boxes[e] = __float_as_uint(inverse_root(f.image, f.templ));
    }
}

/* ---- a row's windows ------------------------------------------------------------------------ */

/*
 * Between two barriers of the group, at which the columns are shown and after which they may
 * change. The windows themselves go from a lane to others of its warp alone.
 */
template <int MEASURE>
__device__ inline void take_boxes(uint32_t *boxes, const own_columns &columns, const walker &w,
                                  const template_sums &t)
{
    make_windows(columns, w, MEASURE == SSD ? t.squares : 0);
    __syncwarp();
    take_windows(boxes, w);
}

/* For zncc those of pixels go the same way to means; then boxes gets 1 / root. */
template <int MEASURE>
__device__ inline void normalise_row(uint32_t *boxes, uint32_t *means, const own_columns &columns,
                                     const walker &w, const template_sums &t)
{
    if constexpr (MEASURE == SSD)
        return;
    if constexpr (MEASURE == ZNCC) {
        __syncwarp();
        make_packed_windows(columns, w);
        __syncwarp();
        take_windows(means, w);
    }
    invert_roots<MEASURE>(boxes, means, t);
}

/* What the map gets, as 32 bits: R from the squares and the products, or ncc or zncc. */
template <int MEASURE>
__device__ inline uint32_t measured(uint32_t box, uint32_t mean, uint32_t products,
                                    const template_sums &t)
{
    if constexpr (MEASURE == SSD)
        return box - 2 * products;
    fraction f = fraction_of<MEASURE>({mean, 0, t.sum, 0, products}, PIECE_PIXELS);
    return __float_as_uint(correlation(f.products, __uint_as_float(box)));
}

/* ---- the map -------------------------------------------------------------------------------- */

/* A row's 8 positions of the thread; without boxes the map has them: all are loaded, then stored.
 */
template <bool FUSED, int MEASURE, typename value>
__device__ inline void store(value *row, const walker &w, int left, int width,
                             const uint32_t *boxes, const uint32_t *means, const uint32_t *sums,
                             const template_sums &t)
{
    value before[8];
#pragma unroll
    for (int e = 0; e < 8; e++) {
        int x = left + position_of(w, e);
        before[e] = FUSED ? (value)boxes[e] : x < width ? row[x] : 0;
    }
#pragma unroll
    for (int e = 0; e < 8; e++) {
        int x = left + position_of(w, e);
        if (x < width)
            row[x] = MEASURE == SSD ? before[e] - 2 * sums[e]
                                    : measured<MEASURE>(boxes[e], means[e], sums[e], t);
    }
}

/* The same through shared memory (one of two places in turn): whole lines, by fewer stores. */
template <int MEASURE>
__device__ inline void store_lines(uint32_t *row, uint32_t *place, const walker &w, int left,
                                   int width, const uint32_t *boxes, const uint32_t *means,
                                   const uint32_t *sums, const template_sums &t)
{
#pragma unroll
    for (int e = 0; e < 8; e += 2) {
        int x = position_of(w, e);
        x ^= x / 32 % 2 * 8; /* or lanes would share banks */
        *(uint2 *)(place + x) =
            make_uint2(measured<MEASURE>(boxes[e], means[e], sums[e], t),
                       measured<MEASURE>(boxes[e + 1], means[e + 1], sums[e + 1], t));
    }
    group_barrier(w.group);
#pragma unroll
    for (int i = 0; i < STRIP / WARPGROUP; i++) {
        int x = w.thread + WARPGROUP * i;
        if (row && left + x < width)
            row[left + x] = place[x ^ (x / 32 % 2 * 8)];
    }
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

/* ---- kernels -------------------------------------------------------------------------------- */

/*
 * A block has rows_of_block rows of the map, 16 a tile. Group 0 loads the next tile's rows, when
 * TILE_DONE tells it that group 1 needs those of the tile before no more; copies of tile t arrive
 * at barrier t % 2. The windows of a row take two barriers of the group, between which products are
 * started.
 */
template <bool FUSED, typename value, int MEASURE = SSD>
__global__ void __launch_bounds__(GROUPS *WARPGROUP, 1) hopper_march(value *map, hopper_job job)
{
#ifdef HOPPER_CODE
    extern __shared__ __align__(128) uint8_t shared[];
    __shared__ uint64_t arrived[2];
    __shared__ template_sums t;
    const int tile_rows = GROUPS * MARCH_ROWS, rows_at_first = WALKED_ROWS + MARCH_ROWS;
    const int left = blockIdx.x * STRIP, top = blockIdx.y * job.rows_of_block;
    const int bottom = min(top + job.rows_of_block, job.s.map_height);
    const int tiles = (bottom - top + tile_rows - 1) / tile_rows;
    const int image_left = left + job.part.left, image_top = top + job.part.top;
    walker w = walker_in(shared, slots_for(MARCH_ROWS));
    fill_shared<FUSED, MEASURE>(w, job, &t, MARCH_ROWS, left, top, rows_at_first, arrived);
    if (w.group == 0 && tiles > 1)
        load_rows(w, job, image_left, image_top, rows_at_first, tile_rows, arrived + 1);

    own_columns columns = {{0}, {0}};
    if (FUSED) {
        add_half<MEASURE>(columns, w, 0, PIECE_SIDE / GROUPS);
        add_halves<MEASURE>(columns, w);
        slide_to<MEASURE>(columns, w, MARCH_ROWS * w.group);
    }
    if (w.group == 1)
        named_barrier_sync_aligned<GROUPS * WARPGROUP>(START);
    for (int tile = 0; tile < tiles; tile++) {
        uint32_t sums[MARCH_ROWS * 8] = {0}, boxes[MARCH_ROWS * 8], means[MARCH_ROWS * 8];
        w.base = (tile_rows * tile + MARCH_ROWS * w.group) % RING_ROWS;
        wgmma_fence();
        multiply_rows(sums, w, 0);
        multiply_rows(sums, w, 2);
        wgmma_commit_group();
        if (FUSED && tile > 0) { /* rows 0 to 54 were there in the tile above */
            add_rows<4, MEASURE>(columns, w, 55);
            add_rows<4, MEASURE>(columns, w, 59);
            add_rows<1, MEASURE>(columns, w, 63);
        }
#pragma unroll
        for (int y = 0; y < MARCH_ROWS; y++) { /* eight rows of the image under a row of the map */
            multiply_rows(sums, w, 8 * y + 4);
            multiply_rows(sums, w, 8 * y + 6);
            wgmma_commit_group();
            if (FUSED) {
                if (y > 0)
                    slide_columns<MEASURE>(columns, w, y);
                show_columns<MEASURE>(columns, w);
                group_barrier(w.group);
                take_boxes<MEASURE>(boxes + 8 * y, columns, w, t);
            }
            wgmma_wait_group<1>();
            multiply_rows(sums, w, 8 * y + 8);
            multiply_rows(sums, w, 8 * y + 10);
            wgmma_commit_group();
            if (FUSED) {
                normalise_row<MEASURE>(boxes + 8 * y, means + 8 * y, columns, w, t);
                group_barrier(w.group);
            }
            if (w.group == 0 && tile == 0 && y == START_ROW)
                named_barrier_arrive<GROUPS * WARPGROUP>(START);
            if (w.group == 0 && tile > 0 && tile + 1 < tiles && y == 5) {
                named_barrier_sync_aligned<GROUPS * WARPGROUP>(TILE_DONE);
                load_rows(w, job, image_left, image_top, rows_at_first + tile_rows * tile,
                          tile_rows, arrived + (tile + 1) % 2);
            }
            wgmma_wait_group<1>();
        }
        multiply_rows(sums, w, WALKED_ROWS - 4);
        multiply_rows(sums, w, WALKED_ROWS - 2);
        wgmma_commit_group();
        if (FUSED && tile + 1 < tiles) { /* rows 7 to 15, which the next tile has not */
            negate(columns);
            add_rows<4, MEASURE>(columns, w, 7);
            add_rows<4, MEASURE>(columns, w, 11);
            add_rows<1, MEASURE>(columns, w, 15);
            negate(columns);
        }
        wgmma_wait_group<0>();
#pragma unroll
        for (int i = 0; i < MARCH_ROWS; i++) {
            int y = top + tile_rows * tile + MARCH_ROWS * w.group + i;
            value *row = y < bottom ? map + (size_t)y * job.s.map_width : NULL;
            const uint32_t *row_sums = sums + 8 * (MARCH_ROWS - 1 - i);
            if constexpr (FUSED)
                store_lines<MEASURE>(row, i % 2 ? w.windows : w.columns, w, left, job.s.map_width,
                                     boxes + 8 * i, means + 8 * i, row_sums, t);
            else if (row)
                store<FUSED, MEASURE>(row, w, left, job.s.map_width, boxes + 8 * i, means + 8 * i,
                                      row_sums, t);
        }
        if (tile + 1 < tiles)
            copies_wait(arrived + (tile + 1) % 2, (tile + 1) / 2 % 2);
        if (tile + 2 < tiles && w.group == 1)
            named_barrier_arrive<GROUPS * WARPGROUP>(TILE_DONE);
    }
#endif
}

/*
 * A block has TILE_ROWS rows of the map: each group makes the products of 36 rows of the image for
 * all of them, and the squares of three, for which it gets the other's sums, too. Of the 64 rows of
 * the first window each adds up half.
 */
template <bool FUSED, typename value, int MEASURE = SSD>
__global__ void __launch_bounds__(GROUPS *WARPGROUP, 1) hopper_tile(value *map, hopper_job job)
{
#ifdef HOPPER_CODE
    extern __shared__ __align__(128) uint8_t shared[];
    __shared__ uint64_t arrived[2];
    __shared__ template_sums t;
    const int own_rows = TILE_ROWS / GROUPS, walked = WALKED_ROWS / GROUPS;
    const int left = blockIdx.x * STRIP, top = blockIdx.y * TILE_ROWS;
    walker w = walker_in(shared, slots_for(TILE_ROWS));
    fill_shared<FUSED, MEASURE>(w, job, &t, TILE_ROWS, left, top, WALKED_ROWS, arrived);

    uint32_t sums[TILE_ROWS * 8] = {0}, boxes[own_rows * 8], means[own_rows * 8];
    own_columns columns = {{0}, {0}};
    const int from = w.group * walked;
    wgmma_fence();
#pragma unroll 1
    for (int r = 0; r < 16; r += 4) {
        multiply_rows(sums, w, from + r);
        multiply_rows(sums, w, from + r + 2);
        wgmma_commit_group();
        if (FUSED) /* four loops for 32 rows */
            add_half<MEASURE>(columns, w, 2 * r, 8);
        wgmma_wait_group<1>();
    }
    if (FUSED) {
        add_halves<MEASURE>(columns, w);
        slide_to<MEASURE>(columns, w, own_rows * w.group);
    }
    w.first = own_rows * w.group;
#pragma unroll
    for (int y = 0; y < own_rows; y++) {
        multiply_rows(sums, w, from + 16 + 4 * y);
        multiply_rows(sums, w, from + 16 + 4 * y + 2);
        wgmma_commit_group();
        if (FUSED) {
            if (y > 0)
                slide_columns<MEASURE>(columns, w, y);
            show_columns<MEASURE>(columns, w);
            group_barrier(w.group);
            take_boxes<MEASURE>(boxes + 8 * y, columns, w, t);
            normalise_row<MEASURE>(boxes + 8 * y, means + 8 * y, columns, w, t);
            group_barrier(w.group);
        }
        wgmma_wait_group<1>();
    }
    multiply_rows(sums, w, from + walked - 8);
    multiply_rows(sums, w, from + walked - 6);
    multiply_rows(sums, w, from + walked - 4);
    multiply_rows(sums, w, from + walked - 2);
    wgmma_commit_group();
    wgmma_wait_group<0>();

    uint32_t *exchange = (uint32_t *)w.ring; /* the image's rows are done with */
    __syncthreads();
#pragma unroll
    for (int i = 0; i < TILE_ROWS * 8; i++) { /* the i-th of group i / 24 */
        int slot = (i / (own_rows * 8) * GROUPS + w.group) * own_rows * 8 + i % (own_rows * 8);
        exchange[slot * WARPGROUP + w.thread] = sums[8 * (TILE_ROWS - 1 - i / 8) + i % 8];
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < own_rows; i++) {
        int y = top + w.first + i;
        bool inside = y < job.s.map_height;
        value *row = inside ? map + (size_t)y * job.s.map_width : NULL;
        uint32_t own[8];
        for (int e = 0; e < 8; e++) {
            const uint32_t *both =
                exchange + (w.group * GROUPS * own_rows * 8 + 8 * i + e) * WARPGROUP;
            own[e] = both[w.thread] + both[own_rows * 8 * WARPGROUP + w.thread];
        }
        if constexpr (FUSED)
            store_lines<MEASURE>(row, i % 2 ? w.windows : w.columns, w, left, job.s.map_width,
                                 boxes + 8 * i, means + 8 * i, own, t);
        else if (inside)
            store<FUSED, MEASURE>(row, w, left, job.s.map_width, boxes, means, own, t);
    }
#endif
}

/* ---- launcher ------------------------------------------------------------------------------- */

/* Does the kernel make the sums of squares, too? */
static bool is_fused(void)
{
    return template_width == PIECE_SIDE && template_height == PIECE_SIDE;
}

static size_t hopper_workspace(const problem *p)
{
    return padded_bytes(p) + (is_fused() ? 0 : box_bytes(p));
}

/* Products of a piece: where the map's tiles are no more than multiprocessors, one each. */
template <bool FUSED, typename value, int MEASURE = SSD>
static void launch_piece(const problem *p, const launch *l, hopper_job job)
{
    int strips = blocks_for(job.s.map_width, STRIP), processors = multiprocessors();
    int tiles = blocks_for(job.s.map_height, TILE_ROWS);
    bool small = strips * tiles <= processors;
    auto kernel = small ? hopper_tile<FUSED, value, MEASURE> : hopper_march<FUSED, value, MEASURE>;
    int bytes = hopper_bytes(small ? TILE_ROWS : MARCH_ROWS);
    int blocks = processors / strips > 0 ? processors / strips : 1, step = GROUPS * MARCH_ROWS;
    int rows = blocks_for(blocks_for(job.s.map_height, blocks), step) * step;
    job.rows_of_block = small ? (int)TILE_ROWS : rows;
    CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    kernel<<<dim3(strips, blocks_for(job.s.map_height, job.rows_of_block)), l->block, bytes,
             l->stream>>>(ssd_of<value>(p, l), job);
    CUDA_CHECK(cudaGetLastError());
}

template <typename value>
static void launch_all_pieces(const problem *p, const launch *l, hopper_job job)
{
    launch_box_sums<value>(p, l);
    for (int i = 0; i < pieces(); i++) {
        job.part = piece_at(i);
        launch_piece<false, value>(p, l, job);
    }
    launch_normalise<value>(p, l);
}

static void launch_hopper(const problem *p, const launch *l)
{
    char *room = (char *)l->workspace + (is_fused() ? 0 : box_bytes(p));
    const uint8_t *image = aligned_image(p, l, room);
    hopper_job job = {image, (uint8_t *)l->buffer[TEMPLATE], pitch_of(p), shapes_of(p), piece_at(0),
                      0};
    if (is_fused() && measure == NCC)
        launch_piece<true, uint32_t, NCC>(p, l, job);
    else if (is_fused() && measure == ZNCC)
        launch_piece<true, uint32_t, ZNCC>(p, l, job);
    else if (is_fused())
        launch_piece<true, uint32_t>(p, l, job);
    else if (is_wide())
        launch_all_pieces<uint64_t>(p, l, job);
    else
        launch_all_pieces<uint32_t>(p, l, job);
}

/* A kernel without a body has no shared memory. */
static const char *refuse_hopper(const problem *p, dim3 block)
{
    cudaFuncAttributes figures;
    if (measure == SAD)
        return refuse_sad(p, block);
    if (cudaFuncGetAttributes(&figures, hopper_march<true, uint32_t>) == cudaSuccess)
        return figures.sharedSizeBytes ? NULL : "needs code for sm_90a: make ARCH=sm_90a";
    (void)cudaGetLastError(); /* handled here: there is no GPU, or no code for this one */
    return NULL;
}

static size_t hopper_shared_bytes(const problem *, dim3)
{
    return hopper_bytes(MARCH_ROWS);
}

#define HOPPER_LAUNCHER with_matches<launch_hopper>
#define HOPPER_FIELDS                                                                              \
    .kernel = (const void *)hopper_march<true, uint32_t>, .shared_bytes = hopper_shared_bytes,     \
    .workspace_bytes = hopper_workspace, .refuse = refuse_hopper
#endif
