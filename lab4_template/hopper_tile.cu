/*
 * hopper_tile.cu - tensor_int8_hopper's kernel for small maps: against hopper_march, a block has
 * one tile of 6 rows, so that there are enough of them for all multiprocessors.
 *
 *      72 rows of the image          6 rows of the map
 *     +--------------------+
 *     | 36: group 0        |  ->   its products of all 6 rows  \
 *     +--------------------+                                    +  added up, 3 rows by each group
 *     | 36: group 1        |  ->   its products of all 6 rows  /
 *     +--------------------+
 */
#ifndef CUDA_ON_CPU

#include "hopper_kernels.h"
#include "hopper_windows.cuh"

/*
 * hopper_tile: a block has TILE_ROWS rows of the map; each group makes the products of 36 rows of
 * the image for all of them, and the squares of three, for which it gets the other's sums, too. Of
 * the 64 rows of the first window each adds up half.
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

const void *hopper_tile_kernel(void)
{
    if (is_fused())
        return measure == NCC    ? (const void *)hopper_tile<true, uint32_t, NCC>
               : measure == ZNCC ? (const void *)hopper_tile<true, uint32_t, ZNCC>
                                 : (const void *)hopper_tile<true, uint32_t>;
    return is_wide() ? (const void *)hopper_tile<false, uint64_t>
                     : (const void *)hopper_tile<false, uint32_t>;
}

#endif
