/*
 * warp_tile.cu - tiles that a block's warps share in squares, at the library's speed: against
 * double_buffer, twice the elements a thread, so that 24 numbers serve 128 multiply-adds; several
 * slabs under way, with one barrier each; and two sets of numbers, left and right, of which one
 * comes in while the other is multiplied. One loop (warp_tile.cuh) for three kernels:
 *
 *   warp_tile    128 x 256 elements: 8 x 16 a thread, a square of 64 x 64 a warp
 *   slice_k      64 x 128, for matrices with few tiles: each half of the warps takes half of k
 *   panel_tile   warp_tile of a panel of a product (panel.cuh), for several_gpus.cu
 */
#include "warp_tile.cuh"

/* ---- kernels -------------------------------------------------------------------------------- */

__global__ void __launch_bounds__(THREADS)
    warp_tile(const float *a, const float *b, float *c, shape s)
{
    extern __shared__ float4 room[];
    make_block<large>(room, a, b, c, s);
}

/*
 * slice_k: against warp_tile, 64 x 128 elements, for at N = 1024 the large tiles are 32, fewer than
 * multiprocessors. Eight warps still share one, as two slices of four, so that a thread keeps 8 x 8
 * elements: a smaller thread's tile would need more numbers a multiply-add.
 */
__global__ void __launch_bounds__(THREADS)
    slice_k(const float *a, const float *b, float *c, shape s)
{
    extern __shared__ float4 room[];
    make_block<sliced>(room, a, b, c, s);
}

/* panel_tile: warp_tile of a panel. */
__global__ void __launch_bounds__(THREADS)
    panel_tile(const float *a, const float *b, float *c, panel s)
{
    extern __shared__ float4 room[];
    make_block<large>(room, a, b, c, s);
}

/* ---- launchers and variants ----------------------------------------------------------------- */

void launch_panel(const float *a, const float *b, float *c, panel of, const launch *l)
{
    const dim3 grid = grid_over(of.width, of.height, dim3(large.columns, large.rows));
    panel_tile<<<grid, l->block, l->shared_bytes, l->stream>>>(a, b, c, of);
    CUDA_CHECK(cudaGetLastError());
}

size_t panel_tile_bytes(const problem *p, dim3 block)
{
    return slabs_bytes<large>(p, block);
}

const variant warp_tile_variant =
    GPU_VARIANT("warp_tile", "8 x 16 elements a thread, 64 x 64 a warp, four slabs",
                (launch_tiles<large.rows, large.columns>), .own_block = THREADS,
                .kernel = (const void *)warp_tile, .shared_bytes = slabs_bytes<large>);
const variant slice_k_variant =
    GPU_VARIANT("slice_k", "small tiles, half of k for each half of the block",
                (launch_tiles<sliced.rows, sliced.columns>), .own_block = THREADS,
                .kernel = (const void *)slice_k, .shared_bytes = slabs_bytes<sliced>);
