/*
 * rolling.cu - rolling_tile, early_start and random_in_kernel: against pixels4, a block goes down
 * its strip, blockDim.y rows a step, or twice as many. Shared memory is a ring of rows; while a
 * step's rows are filtered, the next step's rows and random bytes are on their way (cp.async,
 * compute capability 8.0).
 *
 *         strip of a block                ring in shared memory
 *         +-------------+                 +-------------+
 *         | halo        |                 | halo        |    after a step everything goes on by
 *         +-------------+                 +-------------+    `step` rows: what was filtered is
 *         | filtered    | step       ---> | filtered    |    halo, and the halo above it makes
 *         +-------------+                 +-------------+    room for the next copies
 *         | halo        |                 | halo        |
 *         +-------------+                 +-------------+
 *         | on its way  | step            | on its way  |    thread (x, y) has quad x of the step's
 *         +-------------+                 +-------------+    rows y, y + blockDim.y
 *         |     ..      |                  the first row follows
 *
 * A picture of 1920x1080 is one round of blocks: nothing is filtered while the first rows come, and
 * little comes while the last ones are filtered. So a block may begin while the kernel before it
 * ends (programmatic dependent launch, compute capability 9.0). It reads what no kernel has
 * written, and waits for that kernel's end before it writes.
 */
#include "strip.cuh"

/* Returns the rows of the ring: those that are filtered and their halo, and the next step's. */
__host__ __device__ static int ring_rows(filter f, int step)
{
    return 2 * step + 2 * halo_of(f);
}

/* Lets the next kernel's blocks begin from now on, where there is room. */
__device__ static void let_next_begin(void)
{
#if !defined CUDA_ON_CPU && __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion();
#endif
}

/* Waits until the kernel before this one has ended, and all can see what it wrote. */
__device__ static void wait_for_previous(void)
{
#if !defined CUDA_ON_CPU && __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
#endif
}

/* Keeps a number in a register, where nvcc would work it out again at each use. */
__device__ static unsigned kept(unsigned number)
{
    asm("" : "+r"(number));
    return number;
}

/* Gets the random words of a thread's TALL quads of a step, blockDim.y rows apart. */
template <int TALL, bool HASHED>
__device__ static void random_of_step(unsigned (*word)[PLANES], const uint8_t *random, filter f,
                                      int x, int y, int bottom)
{
#pragma unroll
    for (int j = 0; j < TALL; j++, y += blockDim.y)
        if (x < f.width && y < bottom)
            random_words<HASHED>(word[j], random, f, x, y);
}

/* Filters `rows` rows of the block's strip, TALL quads a thread and step. */
template <int MODE, bool BLUR_FIRST, int TALL, bool HASHED>
__device__ static void roll(char *shared, const yc48 *__restrict__ in, yc48 *__restrict__ out,
                            const uint8_t *__restrict__ random, filter f, int rows)
{
    int halo = halo_of(f), step = TALL * blockDim.y, ring = ring_rows(f, step);
    int first = blockIdx.y * rows, top = first - halo, y_0 = max(top, 0);
    int bottom = min(first + rows, f.height), last = min(bottom + halo, f.height);
    int x = (blockIdx.x * blockDim.x + threadIdx.x) * QUAD, y = first + (int)threadIdx.y;
    strip s = strip_of(f);
    unsigned word[TALL][PLANES] = {}, next_word[TALL][PLANES] = {};
    let_next_begin();
    random_of_step<TALL, HASHED>(word, random, f, x, y, bottom);
    stretch next = {y_0, min(first + step + halo, last), y_0 - top, ring};
    copy_rows(shared, in, f, s, next);
    next = {next.end, min(next.end + step, last), step + 2 * halo, ring};

    unsigned row_bytes = strip_row_bytes(f, blockDim.x);
    pixel_rows r = {shared, row_bytes, kept(ring * row_bytes)};
    unsigned ring_end = r.ring_bytes + halo * row_bytes;
    unsigned own =
        (halo + threadIdx.y) * row_bytes + (halo_columns(f) + QUAD * threadIdx.x) * PIXEL_BYTES;
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
                quad_values v = filter_quad<MODE, BLUR_FIRST, true>(
                    r, own + j * blockDim.y * row_bytes, word[j], f, x, y_j);
                if (y_j == first + (int)threadIdx.y)
                    wait_for_previous();
                store_quad(out + (y_j * f.width + x), v, f, x);
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

/* ---- kernels -------------------------------------------------------------------------------- */

enum { ROLLING_THREADS = 768 };

/* Returns the blocks of a multiprocessor that registers are to leave room for. Two leave 40
 * registers a thread, of which mode 2 needs more; before compute capability 8.0 it has 1024
 * threads. */
constexpr int rolling_blocks(int mode)
{
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ < 800
    return 1;
#else
    return mode == 2 ? 1 : 2;
#endif
}

/* rolling_tile: a quad a thread and step. Blocks of up to ROLLING_THREADS threads whose ring fits
 * shared memory. */
template <int MODE, bool BLUR_FIRST>
__global__ void __launch_bounds__(ROLLING_THREADS, rolling_blocks(MODE))
    rolling_tile(const yc48 *__restrict__ in, yc48 *__restrict__ out,
                 const uint8_t *__restrict__ random, filter f, int rows)
{
    extern __shared__ __align__(16) char shared[];
    roll<MODE, BLUR_FIRST, 1, false>(shared, in, out, random, f, rows);
}

/*
 * early_start: against rolling_tile, it begins while the kernel before it ends; and a thread makes
 * two quads a step, which is EARLY_TALL * blockDim.y rows. Blocks of up to EARLY_THREADS threads.
 */
enum { EARLY_TALL = 2, EARLY_THREADS = 512, EARLY_BLOCKS = 2 }; /* 64 registers */

template <int MODE, bool BLUR_FIRST>
__global__ void __launch_bounds__(EARLY_THREADS, EARLY_BLOCKS)
    early_start(const yc48 *__restrict__ in, yc48 *__restrict__ out,
                const uint8_t *__restrict__ random, filter f, int rows)
{
    extern __shared__ __align__(16) char shared[];
    roll<MODE, BLUR_FIRST, EARLY_TALL, false>(shared, in, out, random, f, rows);
}

/*
 * random_in_kernel: against rolling_tile, the random bytes are made where they are wanted, by a
 * hash of their index: other bytes than the table's (--random hash), and 12 bytes a pixel, not 17.
 */
template <int MODE, bool BLUR_FIRST>
__global__ void __launch_bounds__(ROLLING_THREADS, rolling_blocks(MODE))
    random_in_kernel(const yc48 *__restrict__ in, yc48 *__restrict__ out,
                     const uint8_t *__restrict__ random, filter f, int rows)
{
    extern __shared__ __align__(16) char shared[];
    roll<MODE, BLUR_FIRST, 1, true>(shared, in, out, random, f, rows);
}

/* ---- launchers ------------------------------------------------------------------------------ */

/* Returns the bytes of a ring, for TALL quads a thread and step. */
template <int TALL>
static size_t ring_bytes(const problem *p, dim3 block)
{
    filter f = filter_of(p);
    return (size_t)strip_row_bytes(f, block.x) * ring_rows(f, TALL * block.y);
}

/* Returns the blocks of a multiprocessor that its share of the rows is worked out for. */
template <int TALL, int THREADS>
static int resident_strips(const problem *p, dim3 block)
{
    int fit = multiprocessor_shared_bytes() / (int)(ring_bytes<TALL>(p, block) + RESERVED);
    return max(1, min(resident_blocks(block, THREADS), fit));
}

/* Returns the rows of a block. */
template <int TALL, int THREADS>
static int strip_rows(const problem *p, dim3 block)
{
    int resident = resident_strips<TALL, THREADS>(p, block);
    return rows_of_block(p, block, resident, p->height, TALL * block.y);
}

static void launch_rolling(const problem *p, const launch *l)
{
    strip_kernel kernel = (strip_kernel)l->kernel;
    int rows = strip_rows<1, ROLLING_THREADS * rolling_blocks(1)>(p, l->block);
    kernel<<<strip_grid(p, l->block, rows), l->block, l->shared_bytes, l->stream>>>(
        (const yc48 *)l->buffer[FRAME], (yc48 *)l->buffer[OUTPUT],
        (const uint8_t *)l->buffer[RANDOM], filter_of(p), rows);
    CUDA_CHECK(cudaGetLastError());
}

/*
 * Takes so much shared memory that no more than those blocks fit. Room for one more, where
 * registers leave it, goes to the next kernel's early blocks: they come to lie three on one
 * multiprocessor and one on another, and the three take half as long again (24x16, 1920x1080 on an
 * H200: 16.4 us for 11.5).
 */
static size_t early_bytes(const problem *p, dim3 block)
{
    int resident = resident_strips<EARLY_TALL, EARLY_THREADS * EARLY_BLOCKS>(p, block);
    int room = multiprocessor_shared_bytes() / (resident + 1);
    return max(ring_bytes<EARLY_TALL>(p, block), (size_t)max(0, room - RESERVED) + 1);
}

/*
 * Launches the kernel so that it may begin while the one before it ends, if its code is of compute
 * capability 9.0 and so knows to wait.
 */
static void launch_early(const problem *p, const launch *l)
{
    strip_kernel kernel = (strip_kernel)l->kernel;
    int rows = strip_rows<EARLY_TALL, EARLY_THREADS * EARLY_BLOCKS>(p, l->block);
    dim3 grid = strip_grid(p, l->block, rows);
    const yc48 *d_in = (const yc48 *)l->buffer[FRAME];
    const uint8_t *d_random = (const uint8_t *)l->buffer[RANDOM];
    yc48 *d_out = (yc48 *)l->buffer[OUTPUT];
#ifdef CUDA_ON_CPU
    kernel<<<grid, l->block, l->shared_bytes, l->stream>>>(d_in, d_out, d_random, filter_of(p),
                                                           rows);
    CUDA_CHECK(cudaGetLastError());
#else
    cudaFuncAttributes code;
    CUDA_CHECK(cudaFuncGetAttributes(&code, (const void *)kernel));
    cudaLaunchAttribute early = {};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = grid;
    config.blockDim = l->block;
    config.dynamicSmemBytes = l->shared_bytes;
    config.stream = l->stream;
    config.attrs = &early;
    config.numAttrs = code.ptxVersion >= 90 ? 1 : 0;
    CUDA_CHECK(cudaLaunchKernelEx(&config, kernel, d_in, d_out, d_random, filter_of(p), rows));
#endif
}

/* ---- variants ------------------------------------------------------------------------------- */

extern const variant rolling_tile_variant =
    GPU_VARIANT("rolling_tile", "down a strip, the next rows on their way", launch_rolling,
                .kernel_for = BY_MODE(rolling_tile), .shared_bytes = ring_bytes<1>,
                .applies = frames_are<YC48>);

extern const variant early_start_variant =
    GPU_VARIANT("early_start", "the same, begun while the kernel before it ends", launch_early,
                .kernel_for = BY_MODE(early_start), .shared_bytes = early_bytes,
                .applies = frames_are<YC48>, .overlaps = true);

extern const variant random_in_kernel_variant = GPU_VARIANT(
    "random_in_kernel", "rolling_tile, random bytes by a hash (--random hash)", launch_rolling,
    .kernel_for = BY_MODE(random_in_kernel), .shared_bytes = ring_bytes<1>,
    .applies = frames_are<YC48, HASH>, .note = "other random numbers than the table's");
