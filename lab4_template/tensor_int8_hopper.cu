/*
 * tensor_int8_hopper.cu - against tensor_int8, the tensor cores get their operands from shared
 * memory (wgmma, compute capability 9.0 alone), where the image's rows lie as they are. What is
 * multiplied with what is told in hopper_product.cuh.
 *
 * With a template of 64 x 64 the sums of squares are made in the same kernel, on the CUDA cores
 * under the products (FUSED; hopper_windows.cuh), for zncc those of pixels, too; else they lie in
 * the map already. Two kernels:
 *
 *   hopper_march, for large maps: a block works down a strip of 1024 positions, 16 rows a tile. The
 *   image's rows are in a ring, the next ones on their way.
 *
 *      1024 positions
 *     +--------------+
 *     | group 0      | 8 rows of the map, by products with 72 rows of the image
 *     +--------------+
 *     | group 1      | 8 rows, half a tile behind, so that the tensor cores have work while group 0
 *     +--------------+ ends its tile
 *     | group 0      | 8 rows, the next tile
 *
 *   hopper_tile, for small maps, has a file of its own (hopper_tile.cu).
 */
#include "box_sums.h"
#include "hopper_tile.h"
#include "hopper_windows.cuh"
#include "matches.h"
#include "tensor_int8.h"

#ifdef CUDA_ON_CPU

bool has_wgmma(void)
{
    return false;
}

void launch_hopper(const problem *, const launch *)
{
}

#else
#define HAVE_WGMMA 1 /* in this build; the card may not */

/* ---- kernel --------------------------------------------------------------------------------- */

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

/* ---- launcher ------------------------------------------------------------------------------- */

size_t hopper_workspace(const problem *p)
{
    return padded_bytes(p) + (is_fused() ? 0 : box_bytes(p));
}

/* Launches products of a piece: hopper_tile where no multiprocessor gets more than one tile. */
template <bool FUSED, typename value, int MEASURE = SSD>
static void launch_piece(const problem *p, const launch *l, hopper_job job)
{
    int strips = blocks_for(job.s.map_width, STRIP), processors = multiprocessors();
    int tiles = blocks_for(job.s.map_height, TILE_ROWS);
    bool small = strips * tiles <= processors;
    auto kernel = hopper_march<FUSED, value, MEASURE>;
    if (small)
        kernel = (decltype(kernel))hopper_tile_kernel();
    int bytes = hopper_bytes(small ? TILE_ROWS : MARCH_ROWS);
    int blocks = processors / strips > 0 ? processors / strips : 1, step = GROUPS * MARCH_ROWS;
    int rows = blocks_for(blocks_for(job.s.map_height, blocks), step) * step;
    job.rows_of_block = small ? (int)TILE_ROWS : rows;
    CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    kernel<<<dim3(strips, blocks_for(job.s.map_height, job.rows_of_block)), l->block, bytes,
             l->stream>>>((value *)ssd_room(p, l), job);
    CUDA_CHECK(cudaGetLastError());
}

template <typename value>
static void launch_all_pieces(const problem *p, const launch *l, hopper_job job)
{
    launch_box_sums(p, l);
    for (int i = 0; i < pieces(); i++) {
        job.part = piece_at(i);
        launch_piece<false, value>(p, l, job);
    }
    launch_normalise(p, l);
}

void launch_hopper(const problem *p, const launch *l)
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

static const char *refuse_hopper(const problem *p, dim3 block)
{
    return measure == SAD ? refuse_sad(p, block)
                          : hopper_refuses((const void *)hopper_march<true, uint32_t>);
}

bool has_wgmma(void)
{
    int device, major, minor;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
    CUDA_CHECK(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
    return major == 9 && minor == 0 && !refuse_hopper(NULL, dim3());
}

static size_t hopper_shared_bytes(const problem *, dim3)
{
    return hopper_bytes(MARCH_ROWS);
}

#endif

const variant tensor_int8_hopper_variant = GPU_VARIANT(
    "tensor_int8_hopper", "products by tensor cores, wgmma, and all else in one kernel",
    BUILT(HAVE_WGMMA, with_matches<launch_hopper>), .needs = "the tensor cores of a GPU",
    .architecture = "sm_90a", .own_block = TENSOR_INT8_HOPPER_THREADS,
    .kernel = BUILT(HAVE_WGMMA, (const void *)hopper_march<true, uint32_t>),
    .shared_bytes = BUILT(HAVE_WGMMA, hopper_shared_bytes),
    .workspace_bytes = BUILT(HAVE_WGMMA, hopper_workspace),
    .refuse = BUILT(HAVE_WGMMA, refuse_hopper));
