/*
 * symmetric.cu - against exp2_scaled, the weight of q for p is that of p for q, so every pair of
 * pixels is weighed once and the weight added to the sums of both: half the exponentials, and two
 * sums more for each.
 *
 * Who computes what: a warp goes down a strip of 32 A columns, row by row; lane l owns its columns
 * A l .. A l + A-1. The R rows above the new one are still open: a lane keeps the values and both
 * sums of its own pixels in them, in registers. Where R = 3 and A = 4, at the new row y:
 *
 *               lane l-1        lane l         lane l+1
 *   row y-3   . . . .         p p p p         . . . .      p: its open pixels
 *   row y-2   . . . .         p p p p         . . . .
 *   row y-1   . . . .         p p p p         . . . .
 *   row y     . q q q         q q q q         q q q .      q: the new pixels it pairs them with
 *
 * It pairs each p with the new pixels at most R columns away and, within row y, its own pixels with
 * those to their right. A weight goes straight to p's sums; what it adds to q is gathered in A + 2R
 * sums of the row, of which the 2R that belong to its neighbours go there by shuffles, as did the
 * neighbours' values before. Row y-R has then met all its pairs and is finished. A weight needs no
 * memory: a row costs a lane one load and one store of A pixels.
 *
 * A warp has `rows` rows of its strip (shares.cuh). The R rows above them, which are not its own,
 * are open when it starts: its first rows meet their pixels above there. Below its last row it goes
 * R rows further, to finish those that are open, and gathers nothing for the new ones.
 *
 * strips.cuh has the lanes and their neighbours, open_rows.cuh the open rows, pairs.cuh the sums,
 * walk.cuh a warp's way. From radius 8 on the kernel is that of symmetric_wide.cu.
 */
#include "bilateral.h"
#include "radii.h"
#include "shares.cuh"
#include "walk.cuh"

/*
 * Goes down a strip, hands up sums and gets what is handed to the warp. It hands up with its first
 * R rows, when all warps of a block are about as far: there they wait for each other. rows > R. The
 * next row is scaled at the end of the loop: at its start nvcc would load into other registers, and
 * copy them, and so wait, at once.
 */
template <int R, int A, class Pixel>
__device__ static void walk_stack(const place<Pixel, A> &at, int top, int rows,
                                  const handed_sums<A> &handed, const scaled_filter<R> &f)
{
    open_rows<R, A> open = {{}, NULL, 0};
    raw_row<Pixel, A> next = {};
    float value[A];
    open_above(open, next, at, top, f.scale);
    scale_row(value, next, at, top, f.scale);
#pragma unroll 1
    for (int y = top; y < top + rows; y++) {
        load_row(next, at, y + 1);
        meet<true>(open, value, at, y, top, 1, handed, f);
        if (y == top + R - 1)
            __syncthreads();
        scale_row(value, next, at, y + 1, f.scale);
    }
    if (!handed.below) {
        go_below(open, value, at, top, top + rows - 1, f);
        return;
    }
#pragma unroll
    for (int dy = R; dy >= 1; dy--) {
        add_handed(open.row[dy - 1], handed.word + (R + R - dy) * HANDED);
        store_row(open.row[dy - 1], at, top + rows - dy, f);
    }
}

/* ---- kernels -------------------------------------------------------------------------------- */

/*
 * symmetric: each warp by itself; those of a block have nothing to do with each other. Up to radius
 * 3 a multiprocessor's registers have room for two blocks without spills. Blocks of whole warps, up
 * to SYMMETRIC_THREADS.
 */
template <class Pixel, int R>
__global__ void __launch_bounds__(SYMMETRIC_THREADS, R <= 3 ? 2 : 1)
    symmetric(const Pixel *in, Pixel *out, shares s, const __grid_constant__ scaled_filter<R> f)
{
    int thread = threadIdx.y * blockDim.x + threadIdx.x, lane = thread % 32;
    pixel_word<float, COLUMNS> *no_ring = NULL;
    share mine = share_of(s, (blockIdx.x * blockDim.x * blockDim.y + thread) / 32);
    if (mine.top < f.height)
        walk_strip(place_of<false, R, COLUMNS>(in, out, mine.strip, lane, f), mine.top, mine.rows,
                   no_ring, f);
}

/*
 * symmetric_stack: against symmetric, two columns a lane make more warps, and those of a block are
 * one below the other and hand sums up: for small pictures of an even width, of radius 3 at most.
 *
 *     warp 0 | rows      |   its last R rows get, from warp 1, what that one's first rows add
 *     warp 1 | rows      |   ^ handed up
 *     ..     | ..        |
 *     last   | rows - 1  |   goes through the R rows below the block, as symmetric's warps do
 */
template <class Pixel, int R>
__global__ void __launch_bounds__(SYMMETRIC_THREADS, 3)
    symmetric_stack(const Pixel *in, Pixel *out, stacks s,
                    const __grid_constant__ scaled_filter<R> f)
{
    extern __shared__ float4 open_memory[];
    int thread = threadIdx.y * blockDim.x + threadIdx.x, lane = thread % 32;
    int warp = thread / 32, warps = blockDim.x * blockDim.y / 32;
    bool last = warp + 1 == warps;
    int top = blockIdx.y * s.block + warp * s.rows, rows = s.rows - last;
    pixel_word<float, 2> *word = (pixel_word<float, 2> *)open_memory + warp * R * HANDED + lane;
    walk_stack(place_of<true, R, 2>(in, out, blockIdx.x, lane, f), top, rows,
               {word, warp > 0, !last}, f);
}

/* ---- launchers ------------------------------------------------------------------------------ */

static const char *refuse_symmetric(const problem *p, dim3 block)
{
    const char *refused = refuse_radius(16);
    return refused                  ? refused
           : block.x * block.y % 32 ? "its warps are whole: blocks of a multiple of 32 threads"
           : block.x * block.y > SYMMETRIC_THREADS ? "its registers leave room for 256 threads"
                                                   : refuse_colour_and_border(p, block);
}

/* Returns the bytes of the open rows in shared memory; of a small radius none are there. */
static size_t symmetric_bytes(const problem *p, dim3 block)
{
    return settings.radius > IN_REGISTERS ? symmetric_wide_bytes(p, block) : 0;
}

/* Picks the kernel for the current type and radius. */
static const void *symmetric_for(dim3 block)
{
    return settings.radius > IN_REGISTERS ? symmetric_wide_for(block)
                                          : FOR_RADII(symmetric, 1, 7)(block);
}

template <class Pixel, int R>
static void launch_stacks(const Pixel *d_in, Pixel *d_out, filter f, const launch *l)
{
    int warps = l->block.x * l->block.y / 32;
    size_t handed = sizeof(pixel_word<float, 2>) * HANDED * R * warps;
    stacks s = stacks_for(strips_of<R, 2>(f.width), f.height, R, warps, multiprocessors());
    dim3 blocks(strips_of<R, 2>(f.width), blocks_for(f.height, s.block));
    symmetric_stack<Pixel, R>
        <<<blocks, l->block, handed, l->stream>>>(d_in, d_out, s, scale_filter<R>(f));
    CUDA_CHECK(cudaGetLastError());
}

template <class Pixel, int R>
static void pass_of_radius(const Pixel *d_in, Pixel *d_out, filter f, const launch *l)
{
    if constexpr (R <= 3)
        if (f.width % 2 == 0 && f.width * f.height < 16384 * multiprocessors())
            return launch_stacks<Pixel, R>(d_in, d_out, f, l);
    shares s = shares_for(strips_of<R, COLUMNS>(f.width), f.height, R, multiprocessors(), R <= 3);
    int threads = l->block.x * l->block.y, blocks = blocks_for(32 * warps_of(s, f.height), threads);
    symmetric<Pixel, R>
        <<<blocks, l->block, l->shared_bytes, l->stream>>>(d_in, d_out, s, scale_filter<R>(f));
    CUDA_CHECK(cudaGetLastError());
}

template <class Pixel>
static void pass_symmetric(const Pixel *d_in, Pixel *d_out, filter f, const launch *l)
{
    static const filter_pass<Pixel> all[] = {RADII_1_TO_7(pass_of_radius, Pixel)};
    if (f.radius > IN_REGISTERS)
        pass_symmetric_wide(d_in, d_out, f, l);
    else
        all[f.radius - 1](d_in, d_out, f, l);
}

extern const variant symmetric_variant = GPU_VARIANT(
    "symmetric", "each weight for both of its pixels, sums in registers",
    (run_passes<pass_symmetric<float>, pass_symmetric<uint8_t>>), .kernel_for = symmetric_for,
    .shared_bytes = symmetric_bytes, .refuse = refuse_symmetric);
