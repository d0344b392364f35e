/*
 * recursive_chunks.cuh - the recursive filter with its lines cut into chunks of CHUNK pixels, each
 * filtered by a thread of its own, without an approximation (Nehab, Maximo, Lima, Hoppe,
 * GPU-efficient recursive filtering and summed-area tables, ACM Trans. Graphics 30, 2011).
 *
 * All is linear. What leaves a chunk at its end is what came in, carried through CHUNK pixels of 0
 * (`carried`, a 3x3 map), plus what the chunk's own pixels leave from nothing, a sum with weights
 * that are known beforehand (`forth`); backward the same (`back`), plus what the forward state that
 * came in has left in the chunk (`met`). So:
 *
 *   sum_rows             of each chunk of a row both sums: 6 numbers
 *   carry_states         along each row, chunk by chunk: the states that come in, from either end
 *   filter_rows          each chunk forward and backward from these, and of the results the sums of
 *                        each chunk of a column
 *   carry_states         along each column
 *   filter_columns       each chunk, in registers
 *
 * Behind a picture's last pixel its last one is repeated until the chunk is full. That changes
 * nothing: the turn (algorithms.cuh) takes it for repeated for ever.
 */
#ifndef LAB7_RECURSIVE_CHUNKS_CUH
#define LAB7_RECURSIVE_CHUNKS_CUH

#include "algorithms.cuh"
#include "async_copy.cuh"

enum {
    CHUNK = 64, /* pixels of a line that a thread filters */
    TILES = 2,  /* of CHUNK x CHUNK, side by side, in a block */
    GROUP = 8,  /* chunks of a line that a thread of carry_states takes */
    GROUPS_MAX = (SIDE_MAX / CHUNK + GROUP - 1) / GROUP,
    CARRY_LINES = 16, /* of a block */
    COLUMN_THREADS = 128
};

/* A state, or what is added to one: value, change, change before. */
typedef struct state_sum {
    float of[3];
} state_sum;

/* What the kernels need; as a parameter it lies in constant memory. */
typedef struct chunk_maps {
    recursion filter;
    float forth[CHUNK][3], back[CHUNK][3]; /* what a pixel of 1 leaves at the chunk's end, start */
    float carried[3][3], met[3][3];        /* [to][from] */
    float leap[3][3];                      /* `carried` through a whole group */
} chunk_maps;

/* Chunks of a line, and where the k-th of a chunk's 6 numbers is: neighbours are of other lines. */
__host__ __device__ static int chunks_of(int length)
{
    return (length + CHUNK - 1) / CHUNK;
}

__device__ static float *carry_at(float *carries, int chunk, int k, int lines, int line)
{
    return carries + (chunk * 6 + k) * lines + line;
}

/* Column t of a tile's pixels, whose first row is `top`; the thread has it at x in the picture. */
__device__ static void load_tile_column(float (*tile)[CHUNK + 1], const float *in, int t, int x,
                                        int top, int width, int height)
{
    const float *column = in + clamp(x, width);
#pragma unroll 8
    for (int i = 0; i < CHUNK; i++)
        copy_async<4>(&tile[i][t], column + clamp(top + i, height) * width, true);
    copy_async_commit();
    copy_async_wait<0>();
}

__device__ static void add_pixel(state_sum *forth, state_sum *back, float pixel, int i,
                                 const chunk_maps &maps)
{
#pragma unroll
    for (int k = 0; k < 3; k++) {
        forth->of[k] += maps.forth[i][k] * pixel;
        back->of[k] += maps.back[i][k] * pixel;
    }
}

__device__ static void store_sums(float *carries, state_sum forth, state_sum back, int chunk,
                                  int lines, int line)
{
    if (line >= lines)
        return;
#pragma unroll
    for (int k = 0; k < 3; k++) {
        *carry_at(carries, chunk, k, lines, line) = forth.of[k];
        *carry_at(carries, chunk, 3 + k, lines, line) = back.of[k];
    }
}

/*
 * sum_rows: a block of TILES * CHUNK threads brings as many tiles of CHUNK x CHUNK; of each tile
 * CHUNK threads sum up a row each.
 */
__global__ void __launch_bounds__(TILES *CHUNK)
    sum_rows(const float *in, float *carries, int width, int height,
             const __grid_constant__ chunk_maps maps)
{
    __shared__ float tiles[TILES][CHUNK][CHUNK + 1];
    float(*tile)[CHUNK + 1] = tiles[threadIdx.x / CHUNK];
    int t = threadIdx.x % CHUNK, chunk = blockIdx.x * TILES + threadIdx.x / CHUNK;
    int top = blockIdx.y * CHUNK;
    load_tile_column(tile, in, t, chunk * CHUNK + t, top, width, height);
    __syncthreads();
    state_sum forth = {}, back = {};
#pragma unroll
    for (int i = 0; i < CHUNK; i++)
        add_pixel(&forth, &back, tile[t][i], i, maps);
    if (chunk < chunks_of(width))
        store_sums(carries, forth, back, chunk, height, top + t);
}

/* to += map from. */
__device__ static void add_carried(float *to, const float (*map)[3], const float *from)
{
#pragma unroll
    for (int i = 0; i < 3; i++)
        to[i] += map[i][0] * from[0] + map[i][1] * from[1] + map[i][2] * from[2];
}

/* state = map state + sum. */
__device__ static void carry(float *state, const float (*map)[3], const float *sum)
{
    float next[3] = {sum[0], sum[1], sum[2]};
    add_carried(next, map, state);
#pragma unroll
    for (int k = 0; k < 3; k++)
        state[k] = next[k];
}

/* The 3 numbers from `first` on of each chunk of a group, `c` being the group's first chunk. */
__device__ static void load_group(float (*sums)[3], float *carries, int c, int count, int first,
                                  int lines, int line)
{
#pragma unroll
    for (int i = 0; i < GROUP; i++)
#pragma unroll
        for (int k = 0; k < 3; k++)
            sums[i][k] = i < count ? *carry_at(carries, c + i, first + k, lines, line) : 0;
}

__device__ static void store_group(float *carries, float (*states)[3], int c, int count, int first,
                                   int lines, int line)
{
#pragma unroll
    for (int i = 0; i < GROUP; i++)
#pragma unroll
        for (int k = 0; k < 3; k++)
            if (i < count)
                *carry_at(carries, c + i, first + k, lines, line) = states[i][k];
}

/*
 * Takes a state through a group's `count` chunks, from the first or from the last one on; if told
 * to, puts in place of each chunk's sums the state that comes into it.
 */
__device__ static void carry_through(float *state, float (*sums)[3], int count, bool is_back,
                                     bool keeps, const chunk_maps &maps)
{
#pragma unroll
    for (int step = 0; step < GROUP; step++) {
        const int i = is_back ? GROUP - 1 - step : step;
        if (i < count) {
            const float in[3] = {state[0], state[1], state[2]};
            carry(state, maps.carried, sums[i]);
#pragma unroll
            for (int k = 0; k < 3; k++)
                sums[i][k] = keeps ? in[k] : sums[i][k];
        }
    }
}

/* What each group of a block's lines leaves; a line's threads stand below each other. */
typedef float groups_states[GROUPS_MAX][CARRY_LINES][3];

/*
 * One direction: each group from nothing, the one where the line starts from `start`; then the
 * groups before this one are added up in `start`, and it goes through the group again, for good.
 */
__device__ static void carry_line(float *start, float (*sums)[3], int count, bool is_back,
                                  groups_states left, const chunk_maps &maps)
{
    const int g = threadIdx.y, step = is_back ? -1 : 1, start_g = is_back ? blockDim.y - 1 : 0;
    float state[3] = {0, 0, 0};
#pragma unroll
    for (int k = 0; k < 3; k++)
        state[k] = g == start_g ? start[k] : 0;
    carry_through(state, sums, count, is_back, false, maps);
#pragma unroll
    for (int k = 0; k < 3; k++)
        left[g][threadIdx.x][k] = state[k];
    __syncthreads();
    for (int i = start_g; i != g; i += step)
        if (i == start_g) /* this one's start is in what it left */
#pragma unroll
            for (int k = 0; k < 3; k++)
                start[k] = left[i][threadIdx.x][k];
        else
            carry(start, maps.leap, left[i][threadIdx.x]);
    carry_through(start, sums, count, is_back, true, maps);
}

/*
 * carry_states: thread (x, g) takes line x through its g-th GROUP of chunks, forward and backward;
 * the first pixel of the line is pixels[x * line_step], the last one `last_at` behind it. The
 * states that come into the chunks go where the chunks' sums were.
 */
__global__ void __launch_bounds__(CARRY_LINES *GROUPS_MAX)
    carry_states(float *carries, const float *pixels, int lines, int line_step, int last_at,
                 int chunks, const __grid_constant__ chunk_maps maps)
{
    __shared__ groups_states left_forth, left_back;
    __shared__ float turned[CARRY_LINES][3];
    const int x = blockIdx.x * CARRY_LINES + threadIdx.x, line = min(x, lines - 1);
    const int c = threadIdx.y * GROUP, count = min(+GROUP, chunks - c);
    const float first = pixels[line * line_step], last = pixels[line * line_step + last_at];
    float forth[GROUP][3], back[GROUP][3], state[3] = {first, 0, 0};
    load_group(forth, carries, c, count, 0, lines, line);
    load_group(back, carries, c, count, 3, lines, line);
    carry_line(state, forth, count, false, left_forth, maps);
    if (threadIdx.y == blockDim.y - 1) {
        const float off[3] = {state[0] - last, state[1], state[2]};
        float at_end[3] = {last, 0, 0};
        add_carried(at_end, maps.filter.turn, off);
#pragma unroll
        for (int k = 0; k < 3; k++)
            turned[threadIdx.x][k] = at_end[k];
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < GROUP; i++)
        add_carried(back[i], maps.met, forth[i]);
#pragma unroll
    for (int k = 0; k < 3; k++)
        state[k] = turned[threadIdx.x][k];
    carry_line(state, back, count, true, left_back, maps);
    if (x < lines) {
        store_group(carries, forth, c, count, 0, lines, line);
        store_group(carries, back, c, count, 3, lines, line);
    }
}

/* The state that comes into a chunk, from its start (first = 0) or from its end (3). */
__device__ static line_state coming_in(float *carries, int chunk, int first, int lines, int line)
{
    return {*carry_at(carries, chunk, first, lines, line),
            *carry_at(carries, chunk, first + 1, lines, line),
            *carry_at(carries, chunk, first + 2, lines, line)};
}

/*
 * filter_rows: as in sum_rows, but each row is filtered, in place. Then each thread has a column:
 * it stores it and sums it up. Blocks from the last one on: the end of the picture is what sum_rows
 * has left in the L2 cache.
 */
__global__ void __launch_bounds__(TILES *CHUNK)
    filter_rows(const float *in, float *out, float *row_carries, float *column_carries, int width,
                int height, const __grid_constant__ chunk_maps maps)
{
    __shared__ float tiles[TILES][CHUNK][CHUNK + 1];
    float(*tile)[CHUNK + 1] = tiles[threadIdx.x / CHUNK];
    int t = threadIdx.x % CHUNK, chunk_y = gridDim.y - 1 - blockIdx.y, top = chunk_y * CHUNK;
    int chunk_x = (gridDim.x - 1 - blockIdx.x) * TILES + threadIdx.x / CHUNK;
    int x = chunk_x * CHUNK + t, y = clamp(top + t, height);
    int known_x = clamp(chunk_x, chunks_of(width));
    line_state forth = coming_in(row_carries, known_x, 0, height, y);
    line_state back = coming_in(row_carries, known_x, 3, height, y);
    load_tile_column(tile, in, t, x, top, width, height);
    __syncthreads();
#pragma unroll 16
    for (int i = 0; i < CHUNK; i++) {
        step(&forth, tile[t][i], maps.filter);
        tile[t][i] = forth.value;
    }
#pragma unroll 16
    for (int i = CHUNK - 1; i >= 0; i--) {
        step(&back, tile[t][i], maps.filter);
        tile[t][i] = back.value;
    }
    __syncthreads();

    state_sum down = {}, up = {};
#pragma unroll
    for (int i = 0; i < CHUNK; i++) {
        add_pixel(&down, &up, tile[i][t], i, maps);
        if (x < width && top + i < height)
            out[(top + i) * width + x] = tile[i][t];
    }
    store_sums(column_carries, down, up, chunk_y, width, x);
}

/* filter_columns: thread x filters a chunk of column x in its registers, in place. */
__global__ void __launch_bounds__(COLUMN_THREADS)
    filter_columns(float *picture, float *carries, int width, int height, recursion r)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, chunk = blockIdx.y, top = chunk * CHUNK;
    if (x >= width)
        return;
    float pixels[CHUNK];
#pragma unroll
    for (int i = 0; i < CHUNK; i++)
        pixels[i] = picture[clamp(top + i, height) * width + x];
    line_state forth = coming_in(carries, chunk, 0, width, x);
    line_state back = coming_in(carries, chunk, 3, width, x);
#pragma unroll
    for (int i = 0; i < CHUNK; i++) {
        step(&forth, pixels[i], r);
        pixels[i] = forth.value;
    }
#pragma unroll
    for (int i = CHUNK - 1; i >= 0; i--) {
        step(&back, pixels[i], r);
        if (top + i < height)
            picture[(top + i) * width + x] = back.value;
    }
}

/* ---- the maps ------------------------------------------------------------------------------- */

/* A state through a chunk, forward over `pixels`, and backward from nothing over what that made. */
static void through_chunk(double forth[3], double back[3], const double *pixels, young_van_vliet v)
{
    double values[CHUNK];
    for (int i = 0; i < CHUNK; i++)
        values[i] = exact_step(forth, pixels[i], v);
    back[0] = back[1] = back[2] = 0;
    for (int i = CHUNK - 1; i >= 0; i--)
        exact_step(back, values[i], v);
}

/* For a sigma of RECURSIVE_SIGMA_MIN or more, else nothing of use. */
static chunk_maps chunk_maps_for(double sigma)
{
    chunk_maps maps = {};
    if (sigma < RECURSIVE_SIGMA_MIN)
        return maps;
    maps.filter = recursion_for(sigma);
    young_van_vliet v = coefficients_for(sigma);
    for (int from = 0; from < CHUNK + 3; from++) { /* a pixel, then a part of the state */
        double pixels[CHUNK] = {0}, forth[3] = {0}, back[3];
        if (from < CHUNK)
            pixels[from] = 1;
        else
            forth[from - CHUNK] = 1;
        through_chunk(forth, back, pixels, v);
        for (int to = 0; to < 3; to++) {
            (from < CHUNK ? maps.forth[from][to] : maps.carried[to][from - CHUNK]) =
                (float)forth[to];
            (from < CHUNK ? maps.back[from][to] : maps.met[to][from - CHUNK]) = (float)back[to];
        }
        for (int i = CHUNK; i < GROUP * CHUNK; i++)
            exact_step(forth, 0, v);
        for (int to = 0; to < 3 && from >= CHUNK; to++)
            maps.leap[to][from - CHUNK] = (float)forth[to];
    }
    return maps;
}

/* ---- how far it may be off ------------------------------------------------------------------ */

/*
 * An error of 1 in a part of the state that comes into a chunk settles; if each chunk makes one,
 * all of them add up, wherever in a chunk one looks.
 */
static double settled_errors(int part, double sigma)
{
    young_van_vliet v = coefficients_for(sigma);
    double state[3] = {0}, sums[CHUNK] = {0}, most = 0;
    state[part] = 1;
    for (int i = 0; i < settling_length(sigma); i++) {
        sums[i % CHUNK] += fabs(state[0]);
        most = fmax(most, sums[i % CHUNK]);
        exact_step(state, 0, v);
    }
    return most;
}

/*
 * recursion_bound's `of_carries`, for pixels up to 1. A chunk's sum of CHUNK products is off by
 * CHUNK + 1 u of its size (the weight is rounded, too) and takes part in two further sums; the
 * products of a map and a state that came in go through 6 roundings at most.
 */
static void carries_bound(double of_carries[2], double sigma)
{
    chunk_maps maps = chunk_maps_for(sigma);
    young_van_vliet y = coefficients_for(sigma);
    settling pixel = settle(y.gain, y.gain, 0, sigma);
    const double sizes[3] = {pixel.values, pixel.changes, pixel.changes};
    of_carries[0] = of_carries[1] = 0;
    for (int to = 0; to < 3; to++) {
        double forth = 0, back = 0, errors = 0x1p-24 * settled_errors(to, sigma);
        for (int i = 0; i < CHUNK; i++) {
            forth += (CHUNK + 3) * fabs(maps.forth[i][to]);
            back += (CHUNK + 3) * fabs(maps.back[i][to]);
        }
        for (int from = 0; from < 3; from++) {
            double carried = fabs(maps.carried[to][from]) + fabs(maps.leap[to][from]);
            forth += 6 * carried * sizes[from];
            back += 6 * (carried + fabs(maps.met[to][from])) * sizes[from];
        }
        of_carries[0] += errors * forth;
        of_carries[1] += errors * back;
    }
}

#endif
