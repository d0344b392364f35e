/*
 * flat_bytes.cu - the picture as rows of bytes, eight of them a thread, read and written as words.
 */
#include <cuda_runtime.h>

#include "byte_strips.cuh"
#include "gaussian.h"
#include "lab.h"

/* Converts each byte to a float on its way in, and each sum on its way out. */
struct float_rule {
    float weight[3]; /* of a distance of 0, 1 and 2 */

    /* Sums the five taps around byte k of some words. */
    template <int DISTANCE, int N>
    __device__ float along_row(const uint32_t (&word)[N], int k) const
    {
        float sum = 0;
#pragma unroll
        for (int i = -2; i <= 2; i++) {
            int byte = k + i * DISTANCE;
            sum += weight[i < 0 ? -i : i] * (float)(word[byte / 4] >> 8 * (byte % 4) & 0xff);
        }
        return sum;
    }

    /* Sums five rows' sums, and rounds. */
    __device__ uint32_t along_column(float a, float b, float c, float d, float e) const
    {
        return (uint32_t)(weight[2] * a + weight[1] * b + weight[0] * c + weight[1] * d +
                          weight[2] * e + 0.5f);
    }
};

/*
 * flat_bytes: against register_rows, a thread has eight bytes of each row of its strip, whatever
 * pixels they belong to: of a row it reads 24 bytes in three loads, and writes eight in one store.
 * Five rows are loaded before the first of them is summed, so 15 loads are under way. Thread (x, y)
 * makes stretch x of the rows of strip y. Any block; radius 2 only.
 *
 *      a row      | stretch 0 | stretch 1 | stretch 2 |..
 *      RGB24      |  RGBRGBRG |  BRGBRGBR |  GBRGBRGB |..   taps of a byte: 6 and 3 to its left,
 *      thread 1   |<----------- 24 bytes ------------>|     itself, 3 and 6 to its right
 */
template <int DISTANCE>
__global__ void flat_bytes(const uint8_t *in, uint8_t *out, shape s, float_rule rule)
{
    walk_own_strip<DISTANCE>(in, out, s, rule);
}

static void launch_flat_bytes(const problem *p, const launch *l)
{
    typedef void (*bytes_kernel)(const uint8_t *in, uint8_t *out, shape s, float_rule rule);
    bytes_kernel kernel = (bytes_kernel)l->kernel;
    float_rule rule = {{gauss.line[2], gauss.line[1], gauss.line[0]}};
    kernel<<<grid_of_strips(p, l->block), l->block, 0, l->stream>>>(
        (uint8_t *)l->buffer[INPUT], (uint8_t *)l->buffer[OUTPUT], shape_of(p), rule);
    CUDA_CHECK(cudaGetLastError());
}

extern const variant flat_bytes_variant =
    GPU_VARIANT("flat_bytes", "rows of bytes, eight of them a thread, read as words",
                run_in_passes<launch_flat_bytes>,
                .kernel_for = instance<flat_bytes<1>, flat_bytes<3>, flat_bytes<4>>,
                .workspace_bytes = picture_between, .refuse = refuse_all_but_5x5);
