/*
 * rolling_tile.cuh - lab 6's kernels that go down a strip of the picture: shared memory is a ring
 * of rows, and while a step's are filtered the next step's are on their way (cp.async, compute
 * capability 8.0).
 *
 * A picture of 1920x1080 is one round of blocks: nothing is filtered while the first rows come, and
 * little comes while the last ones are filtered. So a block may begin while the kernel before it
 * ends (programmatic dependent launch, compute capability 9.0). It reads what no kernel has
 * written, and waits for that kernel's end before it writes.
 */
#ifndef LAB6_ROLLING_TILE_CUH
#define LAB6_ROLLING_TILE_CUH

#include "pixels4.cuh"

/* Rows of the ring: those that are filtered and their halo, and the next step's. */
__host__ __device__ static int ring_rows(filter f, int step)
{
    return 2 * step + 2 * halo_of(f);
}

/* From now on the next kernel's blocks may begin, where there is room. */
__device__ static void let_next_begin(void)
{
#if !defined CUDA_ON_CPU && __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion();
#endif
}

/* Until the kernel before this one has ended, and all can see what it wrote. */
__device__ static void wait_for_previous(void)
{
#if !defined CUDA_ON_CPU && __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
#endif
}

/* The random words of a thread's TALL groups of a step, blockDim.y rows apart. */
template <int TALL, bool HASHED>
__device__ static void random_of_step(unsigned (*word)[PLANES], const uint8_t *random, filter f,
                                      int x, int y, int bottom)
{
#pragma unroll
    for (int j = 0; j < TALL; j++, y += blockDim.y)
        if (x < f.width && y < bottom)
            random_words<HASHED>(word[j], random, f, x, y);
}

template <int MODE, bool BLUR_FIRST, int TALL, bool HASHED>
__device__ static void roll(char *shared, const yc48 *__restrict__ in, yc48 *__restrict__ out,
                            const uint8_t *__restrict__ random, filter f, int rows)
{
    int halo = halo_of(f), step = TALL * blockDim.y, ring = ring_rows(f, step);
    int first = blockIdx.y * rows, top = first - halo, y_0 = max(top, 0);
    int bottom = min(first + rows, f.height), last = min(bottom + halo, f.height);
    int x = (blockIdx.x * blockDim.x + threadIdx.x) * GROUP, y = first + (int)threadIdx.y;
    strip s = strip_of(f);
    unsigned word[TALL][PLANES] = {}, next_word[TALL][PLANES] = {};
    let_next_begin();
    random_of_step<TALL, HASHED>(word, random, f, x, y, bottom);
    stretch next = {y_0, min(first + step + halo, last), y_0 - top, ring};
    copy_rows(shared, in, f, s, next);
    next = {next.end, min(next.end + step, last), step + 2 * halo, ring};

    unsigned row_bytes = strip_row_bytes(f, blockDim.x);
    room r = {shared, row_bytes, kept(ring * row_bytes)};
    unsigned ring_end = r.ring_bytes + halo * row_bytes;
    unsigned own =
        (halo + threadIdx.y) * row_bytes + (halo_columns(f) + GROUP * threadIdx.x) * PIXEL_BYTES;
    for (; y - (int)threadIdx.y < bottom; y += step) {
        copy_async_wait<0>();
        __syncthreads();
        copy_rows(shared, in, f, s, next);
        next = {next.end, min(next.end + step, last), next.row + step, ring};
        next.row -= next.row >= ring ? ring : 0;
        random_of_step<TALL, HASHED>(next_word, random, f, x, y + step, bottom);
#pragma unroll
        for (int j = 0; j < TALL; j++) {
            int y_j = y + j * (int)blockDim.y;
            if (x < f.width && y_j < bottom) {
                group_values v = filter_group<MODE, BLUR_FIRST, true>(
                    r, own + j * blockDim.y * row_bytes, word[j], f, x, y_j);
                if (y_j == first + (int)threadIdx.y)
                    wait_for_previous();
                store_group(out + (y_j * f.width + x), v, f, x);
            }
        }
        own += step * row_bytes;
        own -= own >= ring_end ? r.ring_bytes : 0;
#pragma unroll
        for (int i = 0; i < TALL * PLANES; i++)
            word[i / PLANES][i % PLANES] = next_word[i / PLANES][i % PLANES];
    }
    copy_async_wait<0>();
}

#endif
