/*
 * normalise.cuh - ncc and zncc by the variants that expand the square: they make R as ever, and sum
 * I T is half of what R lacks of sum I^2 + sum T^2. What all these are exact of is divided last.
 */
#ifndef LAB4_NORMALISE_CUH
#define LAB4_NORMALISE_CUH

/*
 * normalise: ncc or zncc from R, for sum I T is half of what R lacks of sum I^2 + sum T^2. It
 * slides down a column as column_windows does, whose windows it gets, for zncc also those of sum I.
 * `map` may lie where R does: of NORMALISED_ROWS each value is read before one is written.
 */
enum { NORMALISED_ROWS = 8 };

template <int MEASURE, typename value>
__global__ void normalise(const uint32_t *__restrict__ square_windows,
                          const uint32_t *__restrict__ windows, const uint64_t *of_template,
                          const value *ssd, float *map, shapes s)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, top = blockIdx.y * SLIDE_ROWS;
    int bottom = min(top + SLIDE_ROWS, s.map_height);
    if (x >= s.map_width)
        return;
    sums_of_both all = {0, 0, MEASURE == ZNCC ? of_template[1] : 0, of_template[0], 0};
#pragma unroll 8
    for (int j = 0; j < s.template_height; j++) {
        size_t place = (size_t)(top + j) * s.map_width + x;
        all.image_squares += square_windows[place];
        all.image += MEASURE == ZNCC ? windows[place] : 0;
    }
    for (int first = top; first < bottom; first += NORMALISED_ROWS) {
        value r[NORMALISED_ROWS];
#pragma unroll
        for (int i = 0; i < NORMALISED_ROWS; i++)
            r[i] = first + i < bottom ? ssd[(size_t)(first + i) * s.map_width + x] : 0;
#pragma unroll
        for (int i = 0; i < NORMALISED_ROWS; i++) {
            int y = first + i, next = min(y + s.template_height, s.image_height - 1);
            size_t place = (size_t)y * s.map_width + x, added = (size_t)next * s.map_width + x;
            if (y >= bottom)
                break;
            all.products = (all.image_squares + all.template_squares - r[i]) / 2;
            fraction f = fraction_of<MEASURE>(all, s.template_width * s.template_height);
            map[place] = correlation(f.products, inverse_root(f.image, f.templ));
            all.image_squares += square_windows[added];
            all.image_squares -= square_windows[place];
            if (MEASURE == ZNCC)
                all.image += windows[added] - (uint64_t)windows[place];
        }
    }
}

#endif
