/*
 * box_sums.cuh - the square expanded: sum (I - T)^2 = sum I^2 - 2 sum I T + sum T^2. The first and
 * the last sum take a few additions a position, so all but the products are made here and go to the
 * map, from which the kernels of the products subtract:
 *
 *   template_sum       sum T^2
 *   row_windows        of each row of the image, sum I^2 over w pixels from x on: a scan, and the
 *                      difference of two of its sums
 *   column_windows     h of those below each other, slid down a column, plus sum T^2
 *
 * What is over 32 bits wraps around in a scan; a window's sum, at most 512 * 255^2, is right again.
 */
#ifndef LAB4_BOX_SUMS_CUH
#define LAB4_BOX_SUMS_CUH

enum {
    SQUARE_THREADS = 1024,
    SCAN_THREADS = 256,
    SCAN_PIXELS = 8,                        /* of a thread, side by side */
    SCAN_SPAN = SCAN_THREADS * SCAN_PIXELS, /* pixels of a block */
    SLIDE_ROWS = 32,                        /* of the map, that a thread slides over */
    SLIDE_THREADS = 128
};

/* A pixel to the power of 1 or 2. */
template <int POWER>
__device__ static int power(int pixel)
{
    return POWER == 2 ? pixel * pixel : pixel;
}

/* One block: sum T^POWER of `count` pixels. */
template <int POWER>
__global__ void template_sum(const uint8_t *templ, int count, uint64_t *result)
{
    __shared__ unsigned long long total;
    if (threadIdx.x == 0)
        total = 0;
    __syncthreads();
    unsigned long long sum = 0;
    for (int i = threadIdx.x; i < count; i += blockDim.x)
        sum += power<POWER>(templ[i]);
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_xor_sync(0xFFFFFFFF, sum, step);
    if (threadIdx.x % 32 == 0) /* of a warp one: threads that add to one word do so in turn */
        atomicAdd(&total, sum);
    __syncthreads();
    if (threadIdx.x == 0)
        *result = total;
}

/* Of the block's threads, in their order: the sum of those before this one. */
__device__ static uint32_t sum_before(uint32_t mine)
{
    __shared__ uint32_t warp_sums[SCAN_THREADS / 32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    uint32_t sum = mine; /* up to this lane */
    for (int step = 1; step < 32; step *= 2) {
        uint32_t left = __shfl_up_sync(0xFFFFFFFF, sum, step);
        sum += lane >= step ? left : 0;
    }
    if (lane == 31)
        warp_sums[warp] = sum;
    __syncthreads();
    for (int i = 0; i < warp; i++)
        sum += warp_sums[i];
    return sum - mine;
}

/* Where a scan's sum lies: a word is left out after every 8, or 8 threads would share a bank. */
__device__ static int scan_place(int i)
{
    return i + i / SCAN_PIXELS;
}

/* windows[y][x] = sum of I(x+i, y)^POWER, i < w. A block makes SCAN_SPAN - w + 1 of a row. */
template <int POWER>
__global__ void row_windows(const uint8_t *image, uint32_t *windows, shapes s)
{
    __shared__ uint32_t before[SCAN_SPAN + SCAN_THREADS + 1]; /* sums of what comes before each */
    int count = SCAN_SPAN - s.template_width + 1, left = blockIdx.x * count;
    const uint8_t *row = image + (size_t)blockIdx.y * s.image_width;
    uint32_t powers[SCAN_PIXELS], sum = 0;
    for (int i = 0; i < SCAN_PIXELS; i++) {
        int x = left + SCAN_PIXELS * threadIdx.x + i, pixel = x < s.image_width ? row[x] : 0;
        powers[i] = power<POWER>(pixel);
        sum += powers[i];
    }
    sum = sum_before(sum);
    for (int i = 0; i < SCAN_PIXELS; i++) {
        before[scan_place(SCAN_PIXELS * threadIdx.x + i)] = sum;
        sum += powers[i];
    }
    if (threadIdx.x == SCAN_THREADS - 1)
        before[scan_place(SCAN_SPAN)] = sum;
    __syncthreads();
    for (int i = threadIdx.x; i < count && left + i < s.map_width; i += SCAN_THREADS)
        windows[(size_t)blockIdx.y * s.map_width + left + i] =
            before[scan_place(i + s.template_width)] - before[scan_place(i)];
}

/*
 * map[y][x] = sum T^2 + sum of windows[y+j][x] over j < h; a thread makes SLIDE_ROWS of a column.
 * __restrict__ tells that a store changes no window: the loads of several rows are under way.
 */
template <typename value>
__global__ void column_windows(const uint32_t *__restrict__ windows, const uint64_t *squares,
                               value *__restrict__ map, shapes s)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, top = blockIdx.y * SLIDE_ROWS;
    int bottom = min(top + SLIDE_ROWS, s.map_height);
    if (x >= s.map_width)
        return;
    const uint32_t *column = windows + x;
    value sum = (value)*squares;
#pragma unroll 8
    for (int j = 0; j < s.template_height; j++)
        sum += column[(size_t)(top + j) * s.map_width];
#pragma unroll 8
    for (int y = top; y < bottom; y++) { /* below the image's last row nothing is wanted any more */
        int next = min(y + s.template_height, s.image_height - 1);
        map[(size_t)y * s.map_width + x] = sum;
        sum += column[(size_t)next * s.map_width];
        sum -= column[(size_t)y * s.map_width];
    }
}

#endif
