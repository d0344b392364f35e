/*
 * hopper_windows.cuh - sums of squares over the windows of a row of the map, for zncc those of
 * pixels, too, on the CUDA cores under the products (hopper_product.cuh). A thread keeps the sums
 * of 64 rows in eight columns, slides them down row by row, and shows them to its group, for which
 * it then adds up eight windows of 64 columns:
 *
 *     thread t    t + 1       ..     t + 7       t + 8
 *    | 8 columns | 8 columns | .. | 8 columns | 8 columns |     each summed over 64 rows
 *    |<-------------- window 8 t ------------>|                 of eight threads' sums of 8
 *      |<------------ window 8 t + 1 ----------->|              one column more, one less
 */
#ifndef LAB4_HOPPER_WINDOWS_CUH
#define LAB4_HOPPER_WINDOWS_CUH

#include "hopper_product.cuh"

#ifdef HOPPER_CODE

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

/* Adds the pixels of a word to packed sums and takes away another's. */
__device__ inline void slide_packed(uint32_t *packed, uint32_t added, uint32_t gone)
{
    const uint32_t even = 0x00FF00FF;
    packed[0] += (added & even) - (gone & even);
    packed[1] += (added >> 8 & even) - (gone >> 8 & even);
}

/* Adds rows r to r + count - 1, count 1 or 4: the thread's columns or (part 1) those behind. */
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

/* Negates the sums: before and after, rows that are to go are added. */
__device__ inline void negate(own_columns &columns)
{
    for (int i = 0; i < 2 * OWN_COLUMNS; i++)
        columns.squares[i] = -columns.squares[i];
    for (int i = 0; i < OWN_COLUMNS; i++)
        columns.packed[i] = -columns.packed[i];
}

/* Slides four columns a row down: + new^2 - old^2. */
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

/* Slides the thread's columns from row y - 1 of the tile to row y. */
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

/* Stores the thread's columns in shared memory. */
template <int MEASURE>
__device__ inline void show_columns(const own_columns &columns, const walker &w)
{
    show_part<MEASURE>(columns, w, 0);
    if (w.thread < PIECE_SIDE / OWN_COLUMNS)
        show_part<MEASURE>(columns, w, 1);
}

/* Returns the sum over 64 columns from the thread's own on: 8 times 8. */
__device__ inline uint32_t first_window(const uint32_t *eights, const walker &w)
{
    uint32_t sum = 0;
#pragma unroll
    for (int i = 0; i < PIECE_SIDE / OWN_COLUMNS; i++)
        sum += eights[w.thread + i];
    return sum;
}

/* Stores the 8 windows that begin with the thread's columns, each slid from the one before. */
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

/* Makes windows of squares, to each of which `squares` is added. */
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

/* Makes windows of pixels. */
__device__ inline void make_packed_windows(const own_columns &columns, const walker &w)
{
    uint4 m = *(const uint4 *)(w.packed + 4 * w.thread + PIECE_SIDE / 2);
    const uint32_t packed[] = {m.x, m.y, m.z, m.w};
    uint32_t added[OWN_COLUMNS], gone[OWN_COLUMNS];
    unpack(added, packed);
    unpack(gone, columns.packed);
    put_windows(w, first_window(w.packed_eights, w), added, gone);
}

/* Loads the windows of the positions whose products the thread has; its warp has made them all. */
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

/* Adds `count` rows, from `from` on, of the group's half of the first window's. */
template <int MEASURE>
__device__ inline void add_half(own_columns &columns, const walker &w, int from, int count)
{
    int first = w.group * (PIECE_SIDE / GROUPS) + from;
#pragma unroll 4
    for (int r = first; r < first + count; r += 4)
        add_rows<4, MEASURE>(columns, w, r);
}

/* Adds the other group's half to each group's, for which all threads of the block wait. */
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

/* Slides from the first window to that of a later row. */
template <int MEASURE>
__device__ inline void slide_to(own_columns &columns, const walker &w, int row)
{
    for (int y = 1; y <= row; y++)
        slide_columns<MEASURE>(columns, w, y);
}

/* ---- ncc and zncc --------------------------------------------------------------------------- */

enum { PIECE_PIXELS = PIECE_SIDE * PIECE_SIDE };

/* Makes 1 / root, as the bits of floats, of windows' sums of squares and for zncc of their sums. */
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
 * Makes a row's windows between two barriers of the group, at which the columns are shown and after
 * which they may change. The windows themselves go from a lane to others of its warp alone.
 */
template <int MEASURE>
__device__ inline void take_boxes(uint32_t *boxes, const own_columns &columns, const walker &w,
                                  const template_sums &t)
{
    make_windows(columns, w, MEASURE == SSD ? t.squares : 0);
    __syncwarp();
    take_windows(boxes, w);
}

/* Makes for zncc those of pixels, too, in means; then boxes gets 1 / root. */
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

/* Returns what the map gets, as 32 bits: R from squares and products, or ncc or zncc. */
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

/* Stores the thread's 8 positions of a row; without boxes the map has them: it loads all first. */
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

/* Stores them through shared memory (one of two places in turn): whole lines, by fewer stores. */
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

#endif
#endif
