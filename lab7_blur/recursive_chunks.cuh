/*
 * recursive_chunks.cuh - the recursive filter with its lines cut into chunks of CHUNK pixels, each
 * filtered by a thread of its own, exactly: 64 times as many threads as lines (Nehab, Maximo, Lima,
 * Hoppe, GPU-efficient recursive filtering and summed-area tables, ACM Trans. Graphics 30, 2011).
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

#ifndef CHUNK_SIDE
#define CHUNK_SIDE 64
#endif

#include "algorithms.cuh"
#include "async_copy.cuh"

enum {
    CHUNK = CHUNK_SIDE,
    CARRY_BATCH = 16,   /* chunks that carry_states loads at a time */
    CARRY_THREADS = 32, /* there are few lines: small blocks spread over more multiprocessors */
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

/* The tile's pixels, from column `left` and row `top` on; a thread a column. */
__device__ static void load_tile(float (*tile)[CHUNK + 1], const float *in, int left, int top,
                                 int width, int height)
{
    const float *column = in + clamp(left + (int)threadIdx.x, width);
#pragma unroll 8
    for (int i = 0; i < CHUNK; i++)
        copy_async<4>(&tile[i][threadIdx.x], column + clamp(top + i, height) * width, true);
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

/* sum_rows: a block of CHUNK threads brings a tile of CHUNK x CHUNK; thread y sums up its row. */
__global__ void __launch_bounds__(CHUNK)
    sum_rows(const float *in, float *carries, int width, int height,
             const __grid_constant__ chunk_maps maps)
{
    __shared__ float tile[CHUNK][CHUNK + 1];
    int left = blockIdx.x * CHUNK, top = blockIdx.y * CHUNK;
    load_tile(tile, in, left, top, width, height);
    __syncthreads();
    state_sum forth = {}, back = {};
#pragma unroll
    for (int i = 0; i < CHUNK; i++)
        add_pixel(&forth, &back, tile[threadIdx.x][i], i, maps);
    store_sums(carries, forth, back, blockIdx.x, height, top + threadIdx.x);
}

/* to += map from. */
__device__ static void add_carried(float *to, const float (*map)[3], const float *from)
{
#pragma unroll
    for (int i = 0; i < 3; i++)
        to[i] += map[i][0] * from[0] + map[i][1] * from[1] + map[i][2] * from[2];
}

/* Numbers `first` to `first` + 2 of up to CARRY_BATCH chunks, from chunk c on in steps of `step`. */
__device__ static void load_carries(float (*sums)[3], float *carries, int c, int step, int first,
                                    int chunks, int lines, int line)
{
#pragma unroll
    for (int i = 0; i < CARRY_BATCH; i++)
#pragma unroll
        for (int k = 0; k < 3; k++) {
            int chunk = c + i * step;
            sums[i][k] = chunk >= 0 && chunk < chunks
                             ? *carry_at(carries, chunk, first + k, lines, line)
                             : 0;
        }
}

__device__ static void store_carry(float *carries, const float *state, int chunk, int first,
                                   int lines, int line)
{
#pragma unroll
    for (int k = 0; k < 3; k++)
        *carry_at(carries, chunk, first + k, lines, line) = state[k];
}

/*
 * carry_states: thread x goes along line x, whose first pixel is pixels[x * line_step] and whose
 * last is `last_at` behind it, and puts in place of a chunk's sums the states that come into it.
 */
__global__ void __launch_bounds__(CARRY_THREADS)
    carry_states(float *carries, const float *pixels, int lines, int line_step, int last_at,
                 int chunks, const __grid_constant__ chunk_maps maps)
{
    int line = blockIdx.x * blockDim.x + threadIdx.x;
    if (line >= lines)
        return;
    const float *ends = pixels + line * line_step;
    const float first = ends[0], last = ends[last_at];
    float state[3] = {first, 0, 0}, sums[CARRY_BATCH][3], forth[CARRY_BATCH][3];
    for (int c = 0; c < chunks; c += CARRY_BATCH) {
        load_carries(sums, carries, c, 1, 0, chunks, lines, line);
#pragma unroll
        for (int i = 0; i < CARRY_BATCH; i++)
            if (c + i < chunks) {
                store_carry(carries, state, c + i, 0, lines, line);
                add_carried(sums[i], maps.carried, state);
#pragma unroll
                for (int k = 0; k < 3; k++)
                    state[k] = sums[i][k];
            }
    }
    const float off[3] = {state[0] - last, state[1], state[2]};
    float turned[3] = {last, 0, 0};
    add_carried(turned, maps.filter.turn, off);
    for (int c = chunks - 1; c >= 0; c -= CARRY_BATCH) {
        load_carries(sums, carries, c, -1, 3, chunks, lines, line);
        load_carries(forth, carries, c, -1, 0, chunks, lines, line);
#pragma unroll
        for (int i = 0; i < CARRY_BATCH; i++)
            if (c - i >= 0) {
                store_carry(carries, turned, c - i, 3, lines, line);
                add_carried(sums[i], maps.met, forth[i]);
                add_carried(sums[i], maps.carried, turned);
#pragma unroll
                for (int k = 0; k < 3; k++)
                    turned[k] = sums[i][k];
            }
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
 * filter_rows: a block of CHUNK threads brings a tile; thread y filters its row in place. Then it
 * is column x: it stores the column and sums it up. Tiles from the last one on: the end of the
 * picture is what sum_rows has left in the L2 cache.
 */
__global__ void __launch_bounds__(CHUNK)
    filter_rows(const float *in, float *out, float *row_carries, float *column_carries, int width,
                int height, const __grid_constant__ chunk_maps maps)
{
    __shared__ float tile[CHUNK][CHUNK + 1];
    int chunk_x = gridDim.x - 1 - blockIdx.x, chunk_y = gridDim.y - 1 - blockIdx.y;
    int left = chunk_x * CHUNK, top = chunk_y * CHUNK, t = threadIdx.x;
    int line = clamp(top + t, height);
    line_state forth = coming_in(row_carries, chunk_x, 0, height, line);
    line_state back = coming_in(row_carries, chunk_x, 3, height, line);
    load_tile(tile, in, left, top, width, height);
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
        if (left + t < width && top + i < height)
            out[(top + i) * width + left + t] = tile[i][t];
    }
    store_sums(column_carries, down, up, chunk_y, width, left + t);
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

/* One state through a chunk, forward over `pixels` and backward over what that made, from nothing. */
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
            if (from < CHUNK) {
                maps.forth[from][to] = (float)forth[to];
                maps.back[from][to] = (float)back[to];
            } else {
                maps.carried[to][from - CHUNK] = (float)forth[to];
                maps.met[to][from - CHUNK] = (float)back[to];
            }
        }
    }
    return maps;
}

/* ---- how far it may be off ------------------------------------------------------------------ */

/*
 * An error of 1 in a part of the state that comes into a chunk settles; if each chunk makes one, all
 * of them add up, wherever in a chunk one looks.
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
            forth += 6 * fabs(maps.carried[to][from]) * sizes[from];
            back += 6 * (fabs(maps.carried[to][from]) + fabs(maps.met[to][from])) * sizes[from];
        }
        of_carries[0] += errors * forth;
        of_carries[1] += errors * back;
    }
}

#endif
