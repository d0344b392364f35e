/*
 * measures.cu - the plain programs of the measures other than R (measures.cuh): the CPU's loops,
 * and naive's kernels.
 */
#include <stdlib.h>

#include "measures.cuh"

/* ---- CPU reference -------------------------------------------------------------------------- */

static uint64_t sad_at(const uint8_t *image, const uint8_t *templ, shapes s, int x, int y)
{
    uint64_t sum = 0;
    for (int j = 0; j < s.template_height; j++)
        for (int i = 0; i < s.template_width; i++)
            sum += abs(image[(y + j) * s.image_width + x + i] - templ[j * s.template_width + i]);
    return sum;
}

static sums_of_both sums_at(const uint8_t *image, const uint8_t *templ, shapes s, int x, int y)
{
    sums_of_both all = {0, 0, 0, 0, 0};
    for (int j = 0; j < s.template_height; j++)
        for (int i = 0; i < s.template_width; i++) {
            uint64_t pixel = image[(y + j) * s.image_width + x + i];
            uint64_t other = templ[j * s.template_width + i];
            all.image += pixel;
            all.image_squares += pixel * pixel;
            all.templ += other;
            all.template_squares += other * other;
            all.products += pixel * other;
        }
    return all;
}

static double correlation_at(const uint8_t *image, const uint8_t *templ, shapes s, int x, int y)
{
    sums_of_both all = sums_at(image, templ, s, x, y);
    int64_t pixels = s.template_width * s.template_height;
    return value_of(measure == NCC ? fraction_of<NCC>(all, pixels)
                                   : fraction_of<ZNCC>(all, pixels));
}

void match_by_measure(const uint8_t *image, const uint8_t *templ, void *map, shapes s, int x, int y)
{
    size_t place = (size_t)y * s.map_width + x;
    if (is_normalised())
        ((float *)map)[place] = (float)correlation_at(image, templ, s, x, y);
    else
        ((uint32_t *)map)[place] = (uint32_t)sad_at(image, templ, s, x, y);
}

/* ---- kernels -------------------------------------------------------------------------------- */

/* naive_sad: against naive, a tap adds the absolute value of the difference. Any block. */
__global__ void naive_sad(const uint8_t *image, const uint8_t *templ, uint32_t *map, shapes s)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= s.map_width || y >= s.map_height)
        return;
    uint32_t sum = 0;
    for (int j = 0; j < s.template_height; j++) {
        const uint8_t *row = image + (y + j) * s.image_width + x;
        for (int i = 0; i < s.template_width; i++)
            sum += abs(row[i] - templ[j * s.template_width + i]);
    }
    map[y * s.map_width + x] = sum;
}

/* naive_correlation: against naive, a tap adds to five sums, of which a row's fit 32 bits. Any
 * block. */
template <int MEASURE>
__global__ void naive_correlation(const uint8_t *image, const uint8_t *templ, float *map, shapes s)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= s.map_width || y >= s.map_height)
        return;
    sums_of_both all = {0, 0, 0, 0, 0};
    for (int j = 0; j < s.template_height; j++) {
        const uint8_t *row = image + (y + j) * s.image_width + x;
        uint32_t sum = 0, squares = 0, template_sum = 0, template_squares = 0, products = 0;
        for (int i = 0; i < s.template_width; i++) {
            uint32_t pixel = row[i], other = templ[j * s.template_width + i];
            sum += pixel;
            squares += pixel * pixel;
            template_sum += other;
            template_squares += other * other;
            products += pixel * other;
        }
        all.image += sum;
        all.image_squares += squares;
        all.templ += template_sum;
        all.template_squares += template_squares;
        all.products += products;
    }
    fraction f = fraction_of<MEASURE>(all, s.template_width * s.template_height);
    map[y * s.map_width + x] = correlation(f.products, inverse_root(f.image, f.templ));
}

const void *naive_by_measure(void)
{
    return measure == SAD   ? (const void *)naive_sad
           : measure == NCC ? (const void *)naive_correlation<NCC>
                            : (const void *)naive_correlation<ZNCC>;
}
