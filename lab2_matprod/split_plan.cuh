/*
 * split_plan.cuh - how the kernels behind the split (split_product.cuh) are launched: their tiles,
 * blocks, maps of what the split has packed, and shares of what is made in FP64.
 */
#ifndef LAB2_SPLIT_PLAN_CUH
#define LAB2_SPLIT_PLAN_CUH

#include "split_product.cuh"

#ifdef HAVE_HOPPER

typedef struct product_plan {
    const void *kernel; /* NULL: it is not launched */
    tensor_map map_a, map_b;
    k_shares of; /* in FP64, of a last kernel */
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

/*
 * Plans what a last kernel makes in FP64, and has blocks for all shares: of seven eighths of the
 * multiprocessors, where clusters have parts of k, for large ones do not fit everywhere. Parts of
 * tiles take the place of packed operands, which nobody reads then.
 */
static inline void plan_fp64(product_plan *plan, const split_matrices &packed, shape s,
                             bool in_parts, int multiprocessors)
{
    const int most = std::max(plan->blocks, multiprocessors * (in_parts ? 7 : 8) / 8);
    const int cluster = plan->cluster;
    plan->of = plan_shares<fp64_tiles>(s, std::min(most, SHARED_TILES / 2), packed.bytes, NULL);
    plan->of.sums = packed.a;
    plan->of.there = packed.found->there;
    const int wanted = std::min(most, plan->of.whole + plan->of.shares);
    plan->blocks = std::max(plan->blocks, (wanted + cluster - 1) / cluster * cluster);
}

/* Returns how many tiles of 128 columns a multiprocessor makes, one after the other: each cluster
 * makes as many at a time as it has blocks, and all wait for the last. */
template <int COLUMNS, int ROWS, int ABREAST>
static unsigned rounds_of_tiles(shape s, int multiprocessors)
{
    const unsigned clusters = multiprocessors / (ROWS * ABREAST);
    return blocks_for(tiles_of<COLUMNS, ROWS, ABREAST>(s), clusters) * (COLUMNS / 128);
}

/*
 * Are clusters' tiles as fast as single ones? They take less time by a twentieth, unless there are
 * more rounds of them: where rows of tiles are odd in number the last pairs are half empty.
 */
template <int COLUMNS, int ROWS, int ABREAST>
static bool are_worth_it(shape s, int multiprocessors)
{
    return 20 * rounds_of_tiles<COLUMNS, ROWS, ABREAST>(s, multiprocessors) <=
           21 * rounds_of_tiles<128, 1, 1>(s, multiprocessors);
}

/* Are tiles of 64 x 128 as many as there are multiprocessors, or fewer? */
static inline bool are_few(shape s, int multiprocessors)
{
    const dim3 tiles = grid_over(s.width, s.height, dim3(128, 64));
    return (int)(tiles.x * tiles.y) <= multiprocessors;
}

/*
 * Returns how blocks share single tiles, whose parts take `bytes`, unless that is NULL: {tiles}
 * where whole ones or pairs take less time. To leave parts, to find that all are there and to add
 * them up takes as long as EXTRA_K of k.
 */
template <class PARTS>
static k_shares shares_for(shape s, int multiprocessors, size_t *bytes)
{
    enum { EXTRA_K = 512 };
    const int tiles = tiles_of<128, 1, 1>(s);
    const double shared = (double)tiles / multiprocessors + (double)EXTRA_K / s.depth;
    double whole = rounds_of_tiles<128, 1, 1>(s, multiprocessors);
    if (tiles >= PARTS::PAIRS)
        whole = std::min(whole, 20 / 21.0 * rounds_of_tiles<128, 2, 1>(s, multiprocessors));
    if (bytes)
        *bytes = 0;
    if (tiles >= PARTS::FEWEST_WIDE || are_few(s, multiprocessors) || shared >= whole)
        return {tiles};
    return plan_shares<split_shares<PARTS>>(s, multiprocessors, SIZE_MAX, bytes);
}

/* Plans a product by a kernel of so many dynamic bytes as such tiles take. */
template <class PARTS, int COLUMNS, int ROWS, int ABREAST, bool LAST = false, class S>
static void plan_kernel(product_plan *plan, const void *kernel, const split_matrices &packed,
                        const S &s, int parts, int multiprocessors)
{
    using T = split_tile<COLUMNS, ROWS, ABREAST>;
    const split_tiling all = tiling_of<COLUMNS, ROWS, ABREAST>(s);
    const size_t bytes = pitch<PARTS>(s.depth);
    const int tiles = all.tall * all.wide, most = rounds_of(s) * (multiprocessors / T::SHARING);
    plan->cluster = T::SHARING * parts;
    plan->blocks = parts > 1 || tiles < most ? tiles * plan->cluster : most * T::SHARING;
    if (LAST)
        plan_fp64(plan, packed, s, parts > 1, multiprocessors);
    plan->kernel = kernel;
    plan->shared_bytes = T::SHARED_BYTES;
    plan->map_a = tensor_map_of(packed.a, sizeof(uint16_t), bytes / sizeof(uint16_t), s.height,
                                bytes, TILE_ROWS / ABREAST);
    plan->map_b = map_of_b(PARTS(), packed, s, COLUMNS / ROWS);
    CUDA_CHECK(cudaFuncSetAttribute(plan->kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    T::SHARED_BYTES));
}

template <class PARTS, int COLUMNS, int ROWS, int ABREAST, bool LAST = false, class S>
static void plan_tiles(product_plan *plan, const split_matrices &packed, const S &s, int parts,
                       int multiprocessors)
{
    const void *kernel = (const void *)tensor_split<PARTS, COLUMNS, ROWS, ABREAST, S, LAST>;
    plan_kernel<PARTS, COLUMNS, ROWS, ABREAST, LAST>(plan, kernel, packed, s, parts,
                                                     multiprocessors);
}

/* Plans single tiles that blocks share; their parts lie at `sums`. */
template <class PARTS>
static void plan_shared(product_plan *plan, const split_matrices &packed, shape s, k_shares of,
                        void *sums, int multiprocessors)
{
    const void *kernel = (const void *)tensor_split<PARTS, 128, 1, 1, shape, false, true>;
    plan_kernel<PARTS, 128, 1, 1>(plan, kernel, packed, s, 1, multiprocessors);
    plan->of = of;
    plan->of.sums = sums;
    plan->of.there = packed.found->there;
    plan->blocks = multiprocessors;
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

/* Plan the third kernel, of a whole product or of a panel (tensor_thirds.cuh). */
product_plan plan_thirds(const split_matrices &packed, shape s);
product_plan plan_thirds(const split_matrices &packed, panel s);

#endif
#endif
