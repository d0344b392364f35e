/*
 * shares.cuh - which rows of which strip each warp gets. Warps at the same height, one a strip, are
 * a tier: the first tiers are tall and the last ones low, so that multiprocessors end nearly
 * together.
 *
 *     strip 0  1  2
 *     +------+------+------+
 *     | w 0  | w 1  | w 2  |  tall rows       tier 0
 *     |      |      |      |
 *     +------+------+------+
 *     | w 3  | w 4  | w 5  |  tall rows       tier 1 = tall_tiers - 1
 *     |      |      |      |
 *     +------+------+------+
 *     | w 6  | w 7  | w 8  |  low rows        tier 2
 *     +------+------+------+
 */
#ifndef LAB3_SHARES_CUH
#define LAB3_SHARES_CUH

#include <cuda_runtime.h>
#include <limits.h>

#include "launching.h"

/* A warp's part of the picture. */
typedef struct share {
    int strip, top, rows;
} share;

/* The shares of all warps. */
typedef struct shares {
    int strips, tall, tall_tiers, low;
} shares;

/* Returns the share of a warp. */
__device__ inline share share_of(shares s, int warp)
{
    int tier = warp / s.strips, lower = tier - s.tall_tiers;
    return lower < 0 ? share{warp % s.strips, tier * s.tall, s.tall}
                     : share{warp % s.strips, s.tall_tiers * s.tall + lower * s.low, s.low};
}

/* Returns how many warps the picture needs. */
static inline int warps_of(shares s, int height)
{
    int rest = height - s.tall_tiers * s.tall;
    return s.strips * (s.tall_tiers + (int)blocks_for(rest > 0 ? rest : 0, s.low));
}

/*
 * Chooses how many rows each warp gets, for the shortest time: more of them are less to start and
 * to finish, fewer are more warps. A multiprocessor's four schedulers get their warps one after the
 * other, as others end; a warp takes the time of its rows and of about R more, and one warp alone
 * does not keep a scheduler busy. Where four share one they do not end together, which costs as
 * much as one more (`uneven`). Where there are many rows for each, most warps get many of them and
 * the last few. Fitted to times on an H200.
 */
static inline shares shares_for(int strips, int height, int radius, int multiprocessors,
                                bool uneven)
{
    int schedulers = 4 * multiprocessors, best = 1, least = INT_MAX;
    int rows_of_four = strips * height / (4 * schedulers);
    if (uneven && rows_of_four >= 100) {
        int tall = rows_of_four * 2 / 5;
        return {strips, tall, height * 17 / 20 / tall, rows_of_four / 14};
    }
    for (int rows = 1; rows <= 1024; rows++) {
        int turns = (int)blocks_for(strips * (int)blocks_for(height, rows), schedulers);
        int time = ((turns < 2 ? 2 : turns) + uneven) * (rows + radius);
        if (time < least) {
            least = time;
            best = rows;
        }
    }
    return {strips, best, 0, best};
}

/* Shares the rows out so that all warps start at once, `at_once` on a multiprocessor. Where a
 * picture has more strips than that, there are several turns of them. */
static inline shares shares_at_once(int strips, int height, int multiprocessors, int at_once)
{
    int tiers = multiprocessors * at_once / strips;
    int rows = (int)blocks_for(height, tiers > 1 ? tiers : 1);
    return {strips, rows, 0, rows};
}

/*
 * The rows of blocks whose warps are one below the other: of each warp, and of the block. The last
 * warp has one less, for it goes through the rows below the block, too. More than `radius` of them.
 */
typedef struct stacks {
    int rows, block;
} stacks;

/*
 * Chooses them for the shortest time: a multiprocessor takes that of all the warps that it gets,
 * and as if there were two more, for few do not keep it busy. Fitted to times on an H200.
 */
static inline stacks stacks_for(int strips, int height, int radius, int warps, int multiprocessors)
{
    int best = 0, least = INT_MAX;
    for (int rows = radius + 2; rows <= 64; rows++) {
        int blocks = strips * (int)blocks_for(height, rows * warps - 1);
        int time = rows * ((int)blocks_for(blocks, multiprocessors) * warps + 2);
        if (time < least) {
            least = time;
            best = rows;
        }
    }
    return {best, best * warps - 1};
}

#endif
