/*
 * hopper_march.cuh - tensor_int8_hopper's kernel for large maps: a block works down a strip of 1024
 * positions, 16 rows a tile. The image's rows are in a ring, the next ones on their way.
 *
 *      1024 positions
 *     +--------------+
 *     | group 0      | 8 rows of the map, by products with 72 rows of the image
 *     +--------------+
 *     | group 1      | 8 rows, half a tile behind, so that the tensor cores have work while group 0
 *     +--------------+ ends its tile
 *     | group 0      | 8 rows, the next tile
 *
 * Its instances take nvcc half a minute: they have three files, which are compiled side by side.
 */
#ifndef LAB4_HOPPER_MARCH_CUH
#define LAB4_HOPPER_MARCH_CUH

#include "hopper_windows.cuh"

#ifndef CUDA_ON_CPU

/*
 * hopper_march: a block has rows_of_block rows of the map, 16 a tile. Group 0 loads the next tile's
 * rows, when TILE_DONE tells it that group 1 needs those of the tile before no more; copies of tile
 * t arrive at barrier t % 2. The windows of a row take two barriers of the group, between which
 * products are started.
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

#endif
#endif
