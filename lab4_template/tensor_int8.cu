/*
 * tensor_int8.cu - against integer_dp4a, tensor cores multiply: a warp takes two small matrices of
 * bytes (mma.sync, m16n8k32; PTX ISA, "Matrix fragments for mma.m16n8k32"), 32-bit sums. What makes
 * matrices of a correlation with a piece of the template, at most 64 x 64:
 *
 *   A[m][k] = I(32 m + k, r)      16 stretches of the image's row r, 32 pixels apart: they overlap
 *   B[k][n] = T(k - n, j)         the template's row j, shifted by n = 0 .. 31 pixels
 *
 * so (A B)[m][n] is what row j of the template and row r of the image have in common at the
 * position 32 m + n of row r - j. k goes up to 64 + 31, in three steps of 32. Of the products 64 of
 * 96 are wanted.
 *
 * The fragments of B are made once, by template_fragments, in the order in which lanes want them.
 * Lane 4 g + q has rows g and g + 8 of A and column g of B; which of the 32 k are its own is free,
 * if A and B agree: it takes the 8 bytes from 8 q on, and so loads words of 8 bytes.
 */
#include "tensor_int8.h"
#include "box_sums.h"
#include "matches.h"
#include "pieces.cuh"
#include "ptx/mma.cuh"

enum {
    TENSOR_WARPS = TENSOR_INT8_THREADS / 32, /* of a block, below each other */
    TENSOR_ROWS = 4,                         /* of the map, that a warp makes */
    SPREAD = 32,                             /* pixels between rows of A; shifts of the template */
    HALF = 8 * SPREAD,                       /* positions of rows 0 to 7 of A */
    WARP_POSITIONS = 2 * HALF,               /* positions of a warp side by side */
    STEPS_OF_K = (PIECE_SIDE + SPREAD) / 32, /* 96 */
    COLUMN_EIGHTS = SPREAD / 8,              /* 8 columns an instruction */
    FRAGMENTS = STEPS_OF_K * COLUMN_EIGHTS * 32 /* words of 8 bytes, for a row of the template */
};

/*
 * template_fragments: makes fragments[row of the piece][step of k][eight columns][lane], a block a
 * row, a thread a word.
 */
__global__ void template_fragments(const uint8_t *templ, uint2 *fragments, shapes s, piece part)
{
    int i = threadIdx.x, lane = i % 32, eight = i / 32 % COLUMN_EIGHTS,
        step = i / 32 / COLUMN_EIGHTS;
    int k = 32 * step + 8 * (lane % 4), shift = 8 * eight + lane / 4;
    uint32_t words[2] = {0, 0};
    for (int byte = 0; byte < 8; byte++) {
        int x = k + byte - shift;
        if (x >= 0 && x < part.width)
            words[byte / 4] |=
                (uint32_t)templ[(part.top + blockIdx.x) * s.template_width + part.left + x]
                << 8 * (byte % 4);
    }
    fragments[blockIdx.x * FRAGMENTS + i] = make_uint2(words[0], words[1]);
}

/*
 * Adds d += A B. Lane 4 g + q has four words of A, `top` of row g and `bottom` of row g + 8, and
 * two of B's column g; d[0] and d[1] are of row g, columns 2 q and 2 q + 1, d[2] and d[3] of row g
 * + 8.
 */
__device__ inline void multiply_bytes(uint32_t (&d)[4], uint2 top, uint2 bottom, uint2 b)
{
    const uint32_t of_a[] = {top.x, bottom.x, top.y, bottom.y}, of_b[] = {b.x, b.y};
    mma_m16n8k32_u8(d, of_a, of_b);
}

/* Loads pixels x to x + 7 of a row, x a multiple of 8 as the pitch is; 0 behind the row's end. */
__device__ inline uint2 eight_pixels(const uint8_t *row, int x, int pitch)
{
    return x < pitch ? *(const uint2 *)(row + x) : make_uint2(0, 0);
}

/* What a lane multiplies: rows g and g + 8 of A, and of a row of the template its part of B. */
typedef struct operands {
    uint2 upper, lower, columns[COLUMN_EIGHTS];
} operands;

/* Loads row r of the image, counted from the first that the template meets, and the template's. */
__device__ inline operands load_operands(const uint8_t *image, int pitch, int x, int y, int bottom,
                                         const uint2 *fragments, int r, int rows)
{
    const uint8_t *row = image + (size_t)min(y + r, bottom) * pitch;
    operands o = {eight_pixels(row, x, pitch), eight_pixels(row, x + HALF, pitch), {}};
#pragma unroll
    for (int eight = 0; eight < COLUMN_EIGHTS; eight++)
        o.columns[eight] = r < rows ? fragments[r * FRAGMENTS + 32 * eight] : make_uint2(0, 0);
    return o;
}

/*
 * tensor_int8: against integer_dp4a, the tensor cores multiply. A warp makes 512 x 4 positions. For
 * each step of k it walks down the image: a row of it, once loaded, meets the template's rows of
 * the 4 rows of the map, one of which is new; the next row is loaded meanwhile. `image` has rows of
 * `pitch` bytes, a multiple of 8. Block 128; the template's piece as fragments.
 */
template <typename value>
__global__ void __launch_bounds__(32 * TENSOR_WARPS, 3)
    tensor_int8(const uint8_t *image, const uint2 *fragments, value *map, shapes s, piece part,
                int pitch)
{
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int left = blockIdx.x * WARP_POSITIONS;
    int top = (blockIdx.y * TENSOR_WARPS + warp) * TENSOR_ROWS;
    if (top >= s.map_height)
        return;
    uint32_t sums[TENSOR_ROWS][COLUMN_EIGHTS][4] = {{{0}}};
    for (int step = 0; step < STEPS_OF_K; step++) {
        int x = left + part.left + SPREAD * (lane / 4) + 32 * step + 8 * (lane % 4);
        int y = top + part.top, bottom = s.image_height - 1;
        const uint2 *own = fragments + step * COLUMN_EIGHTS * 32 + lane;
        uint2 recent[TENSOR_ROWS][COLUMN_EIGHTS] = {}; /* the template's row j is in j % 4 */
        operands next = load_operands(image, pitch, x, y, bottom, own, 0, part.height);
        for (int r = 0; r < part.height + TENSOR_ROWS - 1; r += TENSOR_ROWS) {
#pragma unroll
            for (int u = 0; u < TENSOR_ROWS; u++) {
                operands now = next;
                next = load_operands(image, pitch, x, y, bottom, own, r + u + 1, part.height);
#pragma unroll
                for (int eight = 0; eight < COLUMN_EIGHTS; eight++)
                    recent[u][eight] = now.columns[eight];
#pragma unroll
                for (int k = 0; k < TENSOR_ROWS; k++)
#pragma unroll
                    for (int eight = 0; eight < COLUMN_EIGHTS; eight++)
                        multiply_bytes(sums[k][eight], now.upper, now.lower,
                                       recent[(u - k + TENSOR_ROWS) % TENSOR_ROWS][eight]);
            }
        }
    }
#pragma unroll
    for (int k = 0; k < TENSOR_ROWS; k++) {
        int places[4 * COLUMN_EIGHTS];
#pragma unroll
        for (int i = 0; i < 4 * COLUMN_EIGHTS; i++) {
            int column = 8 * (i / 4) + 2 * (lane % 4) + i % 2;
            int x = left + SPREAD * (lane / 4) + HALF * (i % 4 / 2) + column;
            places[i] = place_of(x, top + k, s);
        }
        subtract_twice(map, places, &sums[k][0][0]);
    }
}

/* ---- rows at multiples of 16 bytes ----------------------------------------------------------- */

/* pad_rows: copies the image to rows of `pitch` bytes, a multiple of 4, zeros behind their end: a
 * thread a word. */
__global__ void pad_rows(const uint8_t *image, uint8_t *padded, int pitch, shapes s)
{
    int x = WORD * (blockIdx.x * blockDim.x + threadIdx.x), y = blockIdx.y;
    if (x < pitch)
        *(uint32_t *)(padded + (size_t)y * pitch + x) =
            four_pixels(image, s.image_width, x, y, s.image_width, s.image_height);
}

enum { ROW_ALIGNMENT = 16, PAD_THREADS = 128, PAD_PIXELS = PAD_THREADS * WORD };

int pitch_of(const problem *p)
{
    return (p->width + ROW_ALIGNMENT - 1) / ROW_ALIGNMENT * ROW_ALIGNMENT;
}

static bool is_padded(const problem *p)
{
    return pitch_of(p) != p->width;
}

size_t padded_bytes(const problem *p)
{
    return workspace_part(is_padded(p) ? (size_t)pitch_of(p) * p->height : 0);
}

const uint8_t *aligned_image(const problem *p, const launch *l, void *room)
{
    const uint8_t *image = (uint8_t *)l->buffer[IMAGE];
    int pitch = pitch_of(p);
    if (!is_padded(p))
        return image;
    dim3 grid(blocks_for(pitch, PAD_PIXELS), p->height);
    pad_rows<<<grid, PAD_THREADS, 0, l->stream>>>(image, (uint8_t *)room, pitch, shapes_of(p));
    CUDA_CHECK(cudaGetLastError());
    return (uint8_t *)room;
}

/* Counts sums of squares, a copy of the image, a piece's fragments. */
size_t tensor_bytes(const problem *p)
{
    return box_bytes(p) + padded_bytes(p) + sizeof(uint2) * FRAGMENTS * PIECE_SIDE;
}

template <typename value>
static void run_tensor_int8(const problem *p, const launch *l)
{
    shapes s = shapes_of(p);
    char *room = (char *)l->workspace + box_bytes(p);
    uint2 *fragments = (uint2 *)(room + padded_bytes(p));
    dim3 grid(blocks_for(s.map_width, WARP_POSITIONS),
              blocks_for(s.map_height, TENSOR_WARPS * TENSOR_ROWS));
    const uint8_t *image = aligned_image(p, l, room);
    launch_box_sums(p, l);
    for (int i = 0; i < pieces(); i++) {
        piece part = piece_at(i);
        template_fragments<<<part.height, FRAGMENTS, 0, l->stream>>>((uint8_t *)l->buffer[TEMPLATE],
                                                                     fragments, s, part);
        CUDA_CHECK(cudaGetLastError());
        tensor_int8<value><<<grid, l->block, 0, l->stream>>>(
            image, fragments, (value *)ssd_room(p, l), s, part, pitch_of(p));
        CUDA_CHECK(cudaGetLastError());
    }
    launch_normalise(p, l);
}

void launch_tensor_int8(const problem *p, const launch *l)
{
    is_wide() ? run_tensor_int8<uint64_t>(p, l) : run_tensor_int8<uint32_t>(p, l);
}

static const void *tensor_kernel(dim3)
{
    return is_wide() ? (const void *)tensor_int8<uint64_t> : (const void *)tensor_int8<uint32_t>;
}

/* Its other kernels, pad_rows and template_fragments, need less than these. */
const variant tensor_int8_variant = GPU_VARIANT(
    "tensor_int8", "products by tensor cores, mma.sync", with_matches<launch_tensor_int8>,
    .architecture = "sm_80", .own_block = TENSOR_INT8_THREADS, .kernel_for = tensor_kernel,
    .more_kernels = box_kernels, .workspace_bytes = tensor_bytes, .refuse = refuse_sad);
