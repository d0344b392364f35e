/*
 * tensor_int8_hopper.cu - against tensor_int8, the tensor cores get their operands from shared
 * memory (wgmma, compute capability 9.0 alone), where the image's rows lie as they are. What is
 * multiplied with what is told in hopper_product.cuh.
 *
 * With a template of 64 x 64 the sums of squares are made in the same kernel, on the CUDA cores
 * under the products (FUSED; hopper_windows.cuh), for zncc those of pixels, too; else they lie in
 * the map already. Two kernels: hopper_march for large maps (hopper_march.cuh; the instances that
 * are not for ssd have files of their own), hopper_tile for small ones (hopper_tile.cu).
 */
#include "box_sums.h"
#include "hopper_kernels.h"
#include "hopper_march.cuh"
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

/* ---- launcher ------------------------------------------------------------------------------- */

size_t hopper_workspace(const problem *p)
{
    return padded_bytes(p) + (is_fused() ? 0 : box_bytes(p));
}

typedef void (*hopper_kernel)(void *map, hopper_job job);

static const void *march_kernel(void)
{
    return !is_fused()                         ? march_pieces_kernel()
           : measure == NCC || measure == ZNCC ? march_ncc_kernel()
                                               : (const void *)hopper_march<true, uint32_t>;
}

/* Launches products of a piece: hopper_tile where no multiprocessor gets more than one tile. */
static void launch_piece(const problem *p, const launch *l, hopper_job job)
{
    int strips = blocks_for(job.s.map_width, STRIP), processors = multiprocessors();
    int tiles = blocks_for(job.s.map_height, TILE_ROWS);
    bool small = strips * tiles <= processors;
    hopper_kernel kernel = (hopper_kernel)(small ? hopper_tile_kernel() : march_kernel());
    int bytes = hopper_bytes(small ? TILE_ROWS : MARCH_ROWS);
    int blocks = processors / strips > 0 ? processors / strips : 1, step = GROUPS * MARCH_ROWS;
    int rows = blocks_for(blocks_for(job.s.map_height, blocks), step) * step;
    job.rows_of_block = small ? (int)TILE_ROWS : rows;
    CUDA_CHECK(cudaFuncSetAttribute((const void *)kernel,
                                    cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    kernel<<<dim3(strips, blocks_for(job.s.map_height, job.rows_of_block)), l->block, bytes,
             l->stream>>>(ssd_room(p, l), job);
    CUDA_CHECK(cudaGetLastError());
}

static void launch_all_pieces(const problem *p, const launch *l, hopper_job job)
{
    launch_box_sums(p, l);
    for (int i = 0; i < pieces(); i++) {
        job.part = piece_at(i);
        launch_piece(p, l, job);
    }
    launch_normalise(p, l);
}

void launch_hopper(const problem *p, const launch *l)
{
    char *room = (char *)l->workspace + (is_fused() ? 0 : box_bytes(p));
    const uint8_t *image = aligned_image(p, l, room);
    hopper_job job = {image, (uint8_t *)l->buffer[TEMPLATE], pitch_of(p), shapes_of(p), piece_at(0),
                      0};
    if (is_fused())
        launch_piece(p, l, job);
    else
        launch_all_pieces(p, l, job);
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
