/*
 * split_plan.cuh - how the kernels behind the split (split_product.cuh) are launched: their tiles,
 * blocks, and maps of what the split has packed.
 */
#ifndef LAB2_SPLIT_PLAN_CUH
#define LAB2_SPLIT_PLAN_CUH

#include "split_product.cuh"
#include "stream_k.cuh"

#ifdef HAVE_HOPPER

typedef struct product_plan {
    const void *kernel; /* NULL: it is not launched */
    tensor_map map_a, map_b;
    int blocks, cluster;
    size_t shared_bytes;
} product_plan;

/*
 * Returns in how many rounds blocks work through all tiles: a product's blocks are as many as there
 * is room for; a panel's are eight times as many with an eighth of the tiles each: another kernel's
 * blocks, which bring the next panel, may be at some multiprocessors, which then get fewer of
 * these.
 */
static inline int rounds_of(shape)
{
    return 1;
}

static inline int rounds_of(panel)
{
    return 8;
}

/* Describes B's packed lines, in boxes for a block's part of a tile; B's thirds are rows of it. */
template <class PARTS>
static inline tensor_map map_of_b(PARTS, const split_matrices &packed, shape s, int columns)
{
    const size_t bytes = pitch<PARTS>(s.depth);
    return tensor_map_of(packed.b, sizeof(uint16_t), bytes / sizeof(uint16_t), s.width, bytes,
                         columns);
}

static inline tensor_map map_of_b(bf16_thirds, const split_matrices &packed, shape s, int)
{
    const size_t rows = 3 * (size_t)padded_k<bf16_thirds>(s.depth);
    return tensor_map_of(packed.thirds_of_b, sizeof(uint16_t), s.width, rows, thirds_pitch(s),
                         bf16_thirds::WHOLE_K);
}

template <class PARTS, int COLUMNS, int ROWS, int ABREAST, bool ALONE = false, class S>
static void plan_tiles(product_plan *plan, const split_matrices &packed, const S &s, int parts,
                       int multiprocessors)
{
    using T = split_tile<COLUMNS, ROWS, ABREAST>;
    const split_tiling all = tiling_of<COLUMNS, ROWS, ABREAST>(s);
    const size_t bytes = pitch<PARTS>(s.depth);
    const int tiles = all.tall * all.wide, most = rounds_of(s) * (multiprocessors / T::SHARING);
    plan->cluster = T::SHARING * parts;
    plan->blocks = parts > 1 || tiles < most ? tiles * plan->cluster : most * T::SHARING;
    plan->kernel = (const void *)tensor_split<PARTS, COLUMNS, ROWS, ABREAST, S, ALONE>;
    plan->shared_bytes = T::SHARED_BYTES;
    plan->map_a = tensor_map_of(packed.a, sizeof(uint16_t), bytes / sizeof(uint16_t), s.height,
                                bytes, TILE_ROWS / ABREAST);
    plan->map_b = map_of_b(PARTS(), packed, s, COLUMNS / ROWS);
    CUDA_CHECK(cudaFuncSetAttribute(plan->kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    T::SHARED_BYTES));
}

/* Returns parts of k for tiles of 128 x 128, as many as there are multiprocessors for. */
static inline int parts_of_k(shape s, int multiprocessors)
{
    enum { MOST_PARTS = 8, LEAST_PART_K = 128 };
    const int tiles = tiles_of<128, 1, 1>(s); /* 2^16 at most */
    int parts = 1;
    while (parts < MOST_PARTS && (parts + 1) * tiles <= multiprocessors &&
           (parts + 1) * LEAST_PART_K <= s.depth)
        parts++;
    return parts;
}

/* Has slice_k as many tiles as there are multiprocessors, or fewer? */
static inline bool are_few(shape s, int multiprocessors)
{
    const dim3 tiles = grid_over(s.width, s.height, dim3(sliced.columns, sliced.rows));
    return (int)(tiles.x * tiles.y) <= multiprocessors;
}

/* Returns how many results a multiprocessor makes in all rounds of tiles. */
template <tiling T>
static double results_in_rounds(shape s)
{
    const dim3 tiles = grid_over(s.width, s.height, dim3(T.columns, T.rows));
    return (double)T.rows * T.columns * blocks_for(tiles.x * tiles.y, multiprocessors());
}

/* How long a result takes by stream_k, of its time by warp_tile (H200: N of 1920 to 4096). */
constexpr double BY_SHARES = 1.09;

/* Is warp_tile faster than stream_k? Its last round of tiles may leave more of the card idle. */
static inline bool are_for_warp_tile(shape s)
{
    const double even = (double)s.height * s.width / multiprocessors();
    return results_in_rounds<large>(s) <= BY_SHARES * even;
}

/* Plans the third kernel, of a whole product or of a panel (tensor_thirds.cuh). */
product_plan plan_thirds(const split_matrices &packed, shape s);
product_plan plan_thirds(const split_matrices &packed, panel s);

/* The fourth one (split_in_fp32.cuh). */
typedef struct fp32_product {
    const void *kernel; /* NULL: it is not launched */
    dim3 blocks;
    size_t shared_bytes;
    k_shares of;
} fp32_product;

/* Parts of tiles have `room` for so many bytes where the operands are packed. */
fp32_product plan_in_fp32(const split_matrices &packed, shape s, size_t room);
fp32_product plan_in_fp32(const split_matrices &packed, panel s, size_t room);

#endif
#endif
