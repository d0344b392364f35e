/*
 * matches.cu - `--top k`: the k best positions of the map, found on the GPU. The best has the least
 * R or sad, the largest ncc or zncc; of equal ones the first in raster order. Each further one is
 * the best of those that are not near one before it: half a template, rounded up, away in x or in
 * y. Where no such position is left its place is NOWHERE.
 *
 *   best_of_tiles   the least key of each tile of the map: the value's rank and below it the place,
 *                   so that the least key is the first of the best. For a further match only tiles
 *                   are looked at again that have positions near the last one.
 *   best_of_all     the place in the least of the tiles' keys
 *   least_key       that key itself, where several GPUs compare theirs (several_gpus.cu)
 *
 *      256 columns, a thread each
 *     +---------------------------+     a key has 64 bits: | rank of the value | place |
 *   8 |  a block's tile: one key  |                                 34            30
 *     +---------------------------+
 */
#include <stdlib.h>

#include "matches.h"

enum {
    MATCH_THREADS = 256, /* side by side, each with a column of a tile */
    MATCH_ROWS = 8,
    CHOICE_THREADS = 1024
};

/* Says whether (x, y) is less than half a template from the place, in x and in y. */
__host__ __device__ inline bool is_near(uint32_t place, int x, int y, shapes s)
{
    int dx = abs((int)(place % s.map_width) - x), dy = abs((int)(place / s.map_width) - y);
    return dx < (s.template_width + 1) / 2 && dy < (s.template_height + 1) / 2;
}

/* ---- host ----------------------------------------------------------------------------------- */

static bool is_apart(const uint32_t *places, int count, int x, int y, shapes s)
{
    for (int i = 0; i < count; i++)
        if (is_near(places[i], x, y, s))
            return false;
    return true;
}

uint32_t next_match(const void *map, value_reader at, bool largest, const uint32_t *places,
                    int count, shapes s)
{
    uint32_t best = NOWHERE;
    double best_value = 0;
    for (int y = 0; y < s.map_height; y++)
        for (int x = 0; x < s.map_width; x++) {
            uint32_t place = (uint32_t)y * s.map_width + x;
            double value = at(map, place);
            bool better = best == NOWHERE || (largest ? value > best_value : value < best_value);
            if (better && is_apart(places, count, x, y, s)) {
                best = place;
                best_value = value;
            }
        }
    return best;
}

void find_matches(const void *map, uint32_t *places, shapes s)
{
    for (int i = 0; i < top_count; i++)
        places[i] = next_match(map, get_value, is_normalised(), places, i, s);
}

/* ---- kernels -------------------------------------------------------------------------------- */

__device__ inline uint64_t rank_of(uint64_t sum)
{
    return sum;
}

__device__ inline uint64_t rank_of(uint32_t sum)
{
    return sum;
}

/* Ranks the largest first: floats' bits are in order, but negative ones backward and behind. */
__device__ inline uint64_t rank_of(float correlation)
{
    uint32_t bits = __float_as_uint(correlation);
    return bits >> 31 ? bits : ~bits & 0x7FFFFFFF;
}

/* Returns to all threads the least of the block's keys. */
__device__ inline uint64_t least_of_block(uint64_t mine)
{
    __shared__ unsigned long long least;
    unsigned long long key = mine;
    if (threadIdx.x == 0)
        least = ~0ull;
    __syncthreads();
    for (int step = 16; step > 0; step /= 2)
        key = min(key, __shfl_xor_sync(0xFFFFFFFF, key, step));
    if (threadIdx.x % 32 == 0)
        atomicMin(&least, key);
    __syncthreads();
    return least;
}

/* Says whether the tile from (left, above) on has a position that is near the place. */
__device__ inline bool is_tile_near(uint32_t place, int left, int above, shapes s)
{
    int x = place % s.map_width, y = place / s.map_width;
    return is_near(place, min(max(x, left), left + MATCH_THREADS - 1),
                   min(max(y, above), above + MATCH_ROWS - 1), s);
}

/*
 * best_of_tiles: a block makes the key of its tile; `found` places are known. The map is rows of a
 * whole one, from `first` on, whose places they are. Block 256.
 */
template <typename value>
__global__ void best_of_tiles(const value *map, uint64_t *keys, const uint32_t *places, int found,
                              int first, shapes s)
{
    __shared__ uint32_t near[TOP_MAX]; /* those that the tile must keep apart from */
    __shared__ int nears;
    int left = blockIdx.x * MATCH_THREADS, x = left + threadIdx.x;
    int above = first + blockIdx.y * MATCH_ROWS;
    int below = min(above + MATCH_ROWS, first + s.map_height);
    if (found > 0 &&
        (places[found - 1] == NOWHERE || !is_tile_near(places[found - 1], left, above, s)))
        return; /* its key is what it was */
    if (threadIdx.x == 0)
        nears = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < found; i += blockDim.x)
        if (is_tile_near(places[i], left, above, s))
            near[atomicAdd(&nears, 1)] = places[i];
    __syncthreads();
    uint64_t least = UINT64_MAX;
#pragma unroll
    for (int row = 0; row < MATCH_ROWS; row++) {
        int y = above + row;
        bool apart = x < s.map_width && y < below;
        for (int i = 0; apart && i < nears; i++)
            apart = !is_near(near[i], x, y, s);
        uint32_t place = (uint32_t)y * s.map_width + x;
        if (apart)
            least = min(least, rank_of(map[place - first * s.map_width]) << PLACE_BITS | place);
    }
    least = least_of_block(least);
    if (threadIdx.x == 0)
        keys[blockIdx.y * gridDim.x + blockIdx.x] = least;
}

/* Returns the least of `count` keys, which a block of threads looks at. */
__device__ inline uint64_t least_of_keys(const uint64_t *keys, int count)
{
    uint64_t least = UINT64_MAX;
    for (int i = threadIdx.x; i < count; i += blockDim.x)
        least = min(least, keys[i]);
    return least_of_block(least);
}

/* least_key: finds the least key, where several GPUs have one each. */
__global__ void least_key(const uint64_t *keys, int count, uint64_t *key)
{
    uint64_t least = least_of_keys(keys, count);
    if (threadIdx.x == 0)
        *key = least;
}

__global__ void best_of_all(const uint64_t *keys, int count, uint32_t *place)
{
    uint64_t least = least_of_keys(keys, count);
    if (threadIdx.x == 0)
        *place = least == UINT64_MAX ? (uint32_t)NOWHERE : (uint32_t)least & (NOWHERE - 1);
}

/* ---- launcher ------------------------------------------------------------------------------- */

static dim3 tiles_of(shapes s)
{
    return dim3(blocks_for(s.map_width, MATCH_THREADS), blocks_for(s.map_height, MATCH_ROWS));
}

size_t tile_keys(shapes s)
{
    dim3 tiles = tiles_of(s);
    return (size_t)tiles.x * tiles.y;
}

template <typename value>
static void launch_matches_of(const problem *p, const launch *l, search of)
{
    shapes s = shapes_of(p);
    uint64_t *keys = (uint64_t *)l->buffer[KEYS], *least = (uint64_t *)l->workspace;
    const int tiles = (int)tile_keys(s);
    for (int found = 0; found < top_count; found++) {
        best_of_tiles<value><<<tiles_of(s), MATCH_THREADS, 0, l->stream>>>(
            (const value *)l->buffer[MAP], keys, of.places, found, of.first, s);
        CUDA_CHECK(cudaGetLastError());
        if (of.agree) {
            least_key<<<1, CHOICE_THREADS, 0, l->stream>>>(keys, tiles, least);
            CUDA_CHECK(cudaGetLastError());
            of.agree(least, l);
        }
        best_of_all<<<1, CHOICE_THREADS, 0, l->stream>>>(of.agree ? least : keys,
                                                         of.agree ? 1 : tiles, of.places + found);
        CUDA_CHECK(cudaGetLastError());
    }
}

void launch_matches(const problem *p, const launch *l, search of)
{
    if (is_normalised())
        launch_matches_of<float>(p, l, of);
    else if (value_bytes() == sizeof(uint64_t))
        launch_matches_of<uint64_t>(p, l, of);
    else
        launch_matches_of<uint32_t>(p, l, of);
}
