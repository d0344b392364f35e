/*
 * integer_dp4a.cu - against register_tile, the square is expanded (box_sums.cu): what is left are
 * products, made on the integer lanes, four bytes an instruction.
 */
#include "box_sums.h"
#include "matches.h"
#include "word_tile.cuh"

/*
 * Adds to sums[k][i] what the template's rows have in common with the image's, k rows and i pixels
 * from the thread's first position on: for each word of the template's rows, down the rows of the
 * image. A word of the image is shifted to 4 places, where it meets 8 words of the template, one of
 * them new: 3 loads and 3 shifts serve 32 instructions of 4 taps.
 */
__device__ inline void correlate_words(uint32_t (&sums)[HIGH][WORD], const uint32_t *tile,
                                       int pitch, const uint32_t *templ, int words, int steps)
{
    for (int m = 0; m < words; m++) {
        uint32_t recent[HIGH] = {0}; /* the template's last rows: row r in place r % HIGH */
        for (int r = 0; r < steps; r += HIGH) {
#pragma unroll
            for (int u = 0; u < HIGH; u++) {
                const uint32_t *row = tile + (r + u) * pitch + m;
                uint32_t low = row[0], high = row[1];
                recent[u] = templ[(r + u) * PIECE_WORDS + m];
#pragma unroll
                for (int i = 0; i < WORD; i++) {
                    uint32_t pixels = __funnelshift_r(low, high, 8 * i);
#pragma unroll
                    for (int k = 0; k < HIGH; k++)
                        sums[k][i] = __dp4a(pixels, recent[(u - k + HIGH) % HIGH], sums[k][i]);
                }
            }
        }
    }
}

/*
 * integer_dp4a: against register_tile, it makes products only, four at a time: __dp4a multiplies
 * the bytes of two words and adds up. Of the image, words at any byte are wanted; of the template,
 * only whole words (0 behind its end). Any block whose tile fits shared memory.
 */
template <typename value>
__global__ void integer_dp4a(const uint8_t *image, const uint8_t *templ, value *map, shapes s,
                             piece part)
{
    extern __shared__ uint32_t shared_words[];
    uint32_t *tile = shared_words + PIECE_STEPS * PIECE_WORDS;
    int words = (part.width + WORD - 1) / WORD, pitch = word_pitch(blockDim.x);
    int left = WORD * blockIdx.x * blockDim.x, top = HIGH * blockIdx.y * blockDim.y;
    copy_words(shared_words, tile, pitch, image, templ, s, part);
    __syncthreads();

    uint32_t sums[HIGH][WORD] = {{0}};
    correlate_words(sums, tile + HIGH * threadIdx.y * pitch + threadIdx.x, pitch, shared_words,
                    words, steps_of(part));
    int x = left + WORD * threadIdx.x, y = top + HIGH * threadIdx.y;
#pragma unroll
    for (int k = 0; k < HIGH; k++) {
        int places[WORD];
#pragma unroll
        for (int i = 0; i < WORD; i++)
            places[i] = place_of(x + i, y + k, s);
        subtract_twice(map, places, sums[k]);
    }
}

/* ---- launcher ------------------------------------------------------------------------------- */

static const void *dp4a_kernel(dim3)
{
    return is_wide() ? (const void *)integer_dp4a<uint64_t> : (const void *)integer_dp4a<uint32_t>;
}

template <typename value>
static void run_dp4a(const problem *p, const launch *l)
{
    shapes s = shapes_of(p);
    dim3 grid = grid_over(s.map_width, s.map_height, dim3(WORD * l->block.x, HIGH * l->block.y));
    launch_box_sums(p, l);
    for (int i = 0; i < pieces(); i++) {
        integer_dp4a<value><<<grid, l->block, l->shared_bytes, l->stream>>>(
            (uint8_t *)l->buffer[IMAGE], (uint8_t *)l->buffer[TEMPLATE], (value *)ssd_room(p, l), s,
            piece_at(i));
        CUDA_CHECK(cudaGetLastError());
    }
    launch_normalise(p, l);
}

static void launch_dp4a(const problem *p, const launch *l)
{
    is_wide() ? run_dp4a<uint64_t>(p, l) : run_dp4a<uint32_t>(p, l);
}

const variant integer_dp4a_variant = GPU_VARIANT(
    "integer_dp4a", "the square expanded, products of bytes four at a time",
    with_matches<launch_dp4a>, .kernel_for = dp4a_kernel, .more_kernels = box_kernels,
    .shared_bytes = word_tile_bytes, .workspace_bytes = box_bytes, .refuse = refuse_sad);
