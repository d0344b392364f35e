/*
 * box_sums.cu - the square expanded: sum (I - T)^2 = sum I^2 - 2 sum I T + sum T^2. The first and
 * the last sum take a few additions a position, so all but the products are made here and go to the
 * map, from which the kernels of the products subtract:
 *
 *   template_sum       sum T^2
 *   row_windows        of each row of the image, sum I^2 over w pixels from x on: a scan, and the
 *                      difference of two of its sums
 *   column_windows     h of those below each other, slid down a column, plus sum T^2
 *   normalise          behind the products: ncc or zncc from R and from these sums
 *
 *        x      x+w
 *     +--+------+----+       row_windows: in each row the sum before x+w less that before x
 *   y |  |======|    |       column_windows: h of these, and then a row more, y+h, and one less, y
 *     |  |======|    |
 * y+h +--+------+----+
 *
 * What is over 32 bits wraps around in a scan; a window's sum, at most 512 * 255^2, is right again.
 */
#include "box_sums.h"
#include "measures.cuh"

enum {
    SQUARE_THREADS = 1024,
    SCAN_THREADS = 256,
    SCAN_PIXELS = 8,                        /* of a thread, side by side */
    SCAN_SPAN = SCAN_THREADS * SCAN_PIXELS, /* pixels of a block */
    SLIDE_ROWS = 32,                        /* of the map, that a thread slides over */
    SLIDE_THREADS = 128,
    NORMALISED_ROWS = 8
};

/* Returns a pixel to the power of 1 or 2. */
template <int POWER>
__device__ inline int power(int pixel)
{
    return POWER == 2 ? pixel * pixel : pixel;
}

/* template_sum: one block adds up T^POWER of `count` pixels. */
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

/* Returns the exclusive prefix sum over the block's threads. */
__device__ inline uint32_t prefix_sum(uint32_t mine)
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

/* Returns where a scan's sum lies: a word is left out after every 8, or 8 threads would share a
 * bank. */
__device__ inline int scan_place(int i)
{
    return i + i / SCAN_PIXELS;
}

/* row_windows: windows[y][x] = sum of I(x+i, y)^POWER, i < w. A block makes SCAN_SPAN - w + 1 of a
 * row. */
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
    sum = prefix_sum(sum);
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
 * column_windows: map[y][x] = sum T^2 + sum of windows[y+j][x], j < h; a thread makes SLIDE_ROWS of
 * a column.
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

/* ---- ncc and zncc --------------------------------------------------------------------------- */

/*
 * normalise: makes ncc or zncc from R: sum I T is half of what R lacks of sum I^2 + sum T^2, and
 * what is exact is divided last. It slides down a column as column_windows does, whose windows it
 * gets, for zncc also those of sum I. `map` may lie where R does: of NORMALISED_ROWS each value is
 * read before one is written.
 */
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

/* ---- launchers ------------------------------------------------------------------------------ */

/*
 * The workspace of the expanded variants begins with the template's sums and with the windows of
 * rows, which start at a multiple of 256; the measures in floats want more (normalise).
 */
typedef struct box_workspace {
    uint64_t *of_template;    /* sum T^2, and for zncc sum T */
    uint32_t *square_windows; /* a row of the map's width for each of the image's */
    uint32_t *windows;        /* the same of sum I, for zncc */
    uint64_t *ssd;            /* R, where the map has no room for it */
    size_t bytes;             /* of all, a multiple of 256 */
} box_workspace;

enum { OF_TEMPLATE_BYTES = 256 };

static box_workspace boxes_in(const problem *p, void *workspace)
{
    shapes s = shapes_of(p);
    char *room = (char *)workspace;
    size_t windows = workspace_part((size_t)s.map_width * s.image_height * sizeof(uint32_t));
    size_t map = workspace_part((size_t)s.map_width * s.map_height * sizeof(uint64_t));
    size_t second = OF_TEMPLATE_BYTES + windows, third = second + (measure == ZNCC ? windows : 0);
    return {(uint64_t *)room, (uint32_t *)(room + OF_TEMPLATE_BYTES), (uint32_t *)(room + second),
            (uint64_t *)(room + third), third + (is_normalised() && is_wide() ? map : 0)};
}

size_t box_bytes(const problem *p)
{
    return boxes_in(p, NULL).bytes;
}

void *ssd_room(const problem *p, const launch *l)
{
    bool elsewhere = is_normalised() && is_wide();
    return elsewhere ? (void *)boxes_in(p, l->workspace).ssd : l->buffer[MAP];
}

/* Launches windows of the image's rows and a sum over the template, of pixels to a power. */
template <int POWER>
static void launch_row_sums(const problem *p, const launch *l, uint32_t *windows, uint64_t *sum)
{
    shapes s = shapes_of(p);
    dim3 scans(blocks_for(s.map_width, SCAN_SPAN - s.template_width + 1), s.image_height);
    template_sum<POWER><<<1, SQUARE_THREADS, 0, l->stream>>>(
        (uint8_t *)l->buffer[TEMPLATE], s.template_width * s.template_height, sum);
    CUDA_CHECK(cudaGetLastError());
    row_windows<POWER>
        <<<scans, SCAN_THREADS, 0, l->stream>>>((uint8_t *)l->buffer[IMAGE], windows, s);
    CUDA_CHECK(cudaGetLastError());
}

static dim3 slide_grid(shapes s)
{
    return dim3(blocks_for(s.map_width, SLIDE_THREADS), blocks_for(s.map_height, SLIDE_ROWS));
}

template <typename value>
static void launch_box_sums_of(const problem *p, const launch *l)
{
    shapes s = shapes_of(p);
    box_workspace boxes = boxes_in(p, l->workspace);
    launch_row_sums<2>(p, l, boxes.square_windows, boxes.of_template);
    column_windows<value><<<slide_grid(s), SLIDE_THREADS, 0, l->stream>>>(
        boxes.square_windows, boxes.of_template, (value *)ssd_room(p, l), s);
    CUDA_CHECK(cudaGetLastError());
}

void launch_box_sums(const problem *p, const launch *l)
{
    is_wide() ? launch_box_sums_of<uint64_t>(p, l) : launch_box_sums_of<uint32_t>(p, l);
}

const void *const box_kernels[] = {
    (const void *)row_windows<2>, (const void *)column_windows<uint32_t>,
    (const void *)column_windows<uint64_t>, (const void *)template_sum<2>, NULL};

template <int MEASURE, typename value>
static void launch_normalise_of(const problem *p, const launch *l)
{
    box_workspace boxes = boxes_in(p, l->workspace);
    shapes s = shapes_of(p);
    if (MEASURE == ZNCC)
        launch_row_sums<1>(p, l, boxes.windows, boxes.of_template + 1);
    normalise<MEASURE, value><<<slide_grid(s), SLIDE_THREADS, 0, l->stream>>>(
        boxes.square_windows, boxes.windows, boxes.of_template, (value *)ssd_room(p, l),
        (float *)l->buffer[MAP], s);
    CUDA_CHECK(cudaGetLastError());
}

template <int MEASURE>
static void launch_normalise_by(const problem *p, const launch *l)
{
    is_wide() ? launch_normalise_of<MEASURE, uint64_t>(p, l)
              : launch_normalise_of<MEASURE, uint32_t>(p, l);
}

void launch_normalise(const problem *p, const launch *l)
{
    if (measure == NCC)
        launch_normalise_by<NCC>(p, l);
    else if (measure == ZNCC)
        launch_normalise_by<ZNCC>(p, l);
}
