/*
 * vendor.cu - the library's products: cuBLAS on one GPU, cuBLASXt over several.
 */
#include <stdlib.h>
#include <string.h>
#ifdef HAVE_CUBLAS
#include <cublasXt.h>
#include <cublas_v2.h>
#endif

#include "matprod.h"
#include "process/die.h"

#ifdef HAVE_CUBLAS
static const char *cublas_text(int status)
{
    return cublasGetStatusString((cublasStatus_t)status);
}

#define CUBLAS_CHECK(expression) LIBRARY_CHECK(expression, CUBLAS_STATUS_SUCCESS, cublas_text)

/* Makes a handle with a mode of computing. */
template <int MODE>
static void *plan_cublas(const problem *, const launch *l)
{
    cublasHandle_t handle;
    CUBLAS_CHECK(cublasCreate(&handle));
    CUBLAS_CHECK(cublasSetStream(handle, l->stream));
    CUBLAS_CHECK(cublasSetMathMode(handle, (cublasMath_t)MODE));
    return handle;
}

static void release_cublas(void *plan)
{
    if (!cuda_context_lost())
        CUBLAS_CHECK(cublasDestroy((cublasHandle_t)plan));
}

/*
 * Asks for B' A' = (A B)', which lies in memory as our C: cuBLAS holds matrices column by column,
 * so that what it sees in our A is A transposed.
 */
static void launch_cublas(const problem *p, const launch *l)
{
    const float one = 1, zero = 0;
    shape s = shape_of(p);
    CUBLAS_CHECK(cublasSgemm((cublasHandle_t)l->plan, CUBLAS_OP_N, CUBLAS_OP_N, s.width, s.height,
                             s.depth, &one, (float *)l->buffer[B], s.width, (float *)l->buffer[A],
                             s.depth, &zero, (float *)l->buffer[C], s.width));
}

#if CUBLAS_VERSION >= 120900
#define HAVE_BF16X9 1
#endif
#endif

/* ---- cublas_xt ------------------------------------------------------------------------------ */

/*
 * cublas_xt: over several GPUs in the vendor's way: cuBLASXt takes matrices in host memory, cuts
 * them into square tiles, and copies and multiplies these on all GPUs of a node. One process calls
 * it, the first rank; the others lend their GPUs. Its kernels run in several streams, for which
 * cuBLAS does not promise the same bits each time.
 *
 * For each step of k a tile of side D takes 2 D operations and 8 bytes a row from the host: a GPU
 * with 52 TFLOP/s behind a bus of 55 GB/s waits for the bus below D = 3800. The matrices' memory
 * is page-locked beforehand, untimed, as allocation is elsewhere.
 */

/* Gives the first rank all, the others nothing. */
static rank_part all_on_first(const problem *p, int i, int rank, int)
{
    return {0, rank == 0 ? p->buffer[i].bytes : 0};
}

#ifdef HAVE_CUBLAS
enum { XT_LARGEST_TILE = 8192, XT_SMALLEST_TILE = 64, XT_MOST_GPUS = 16 };

typedef struct xt_plan {
    cublasXtHandle_t handle;
    void *locked[3]; /* matrices */
} xt_plan;

static const char *refuse_xt(const problem *, dim3)
{
    const ranks all = ranks_now();
    return all.nodes > 1              ? "cuBLASXt is for one node"
           : all.count > XT_MOST_GPUS ? "cuBLASXt is asked for 16 GPUs at most"
                                      : NULL;
}

/*
 * Returns the side of a tile, as large as may be with one for each GPU at least. Among 2048, 4096,
 * 8192 and 16384 the third is fastest for N = 32768 on two H200s, and half of N for 16384.
 */
static int xt_tile(const problem *p)
{
    int abreast = 2;
    while (abreast * abreast < ranks_now().count)
        abreast++;
    const int side = (p->width < p->height ? p->width : p->height) / abreast;
    return side < XT_SMALLEST_TILE  ? XT_SMALLEST_TILE
           : side < XT_LARGEST_TILE ? side
                                    : XT_LARGEST_TILE;
}

/* Takes the GPUs of all ranks: theirs follow the first one's (ranks.h). */
static void *plan_xt(const problem *p, const launch *l)
{
    int devices[XT_MOST_GPUS], first;
    if (ranks_now().rank > 0)
        return NULL;
    xt_plan *x = (xt_plan *)allocate(sizeof *x);
    memset(x, 0, sizeof *x);
    CUDA_CHECK(cudaGetDevice(&first));
    for (int i = 0; i < ranks_now().count; i++)
        devices[i] = first + i;
    CUBLAS_CHECK(cublasXtCreate(&x->handle));
    CUBLAS_CHECK(cublasXtDeviceSelect(x->handle, ranks_now().count, devices));
    CUBLAS_CHECK(cublasXtSetBlockDim(x->handle, xt_tile(p)));
    for (int i = A; i <= C; i++) {
        CUDA_CHECK(cudaHostRegister(l->buffer[i], p->buffer[i].bytes, cudaHostRegisterPortable));
        x->locked[i] = l->buffer[i];
    }
    return x;
}

static void release_xt(void *plan)
{
    xt_plan *x = (xt_plan *)plan;
    for (int i = A; i <= C; i++)
        CUDA_RELEASE(cudaHostUnregister(x->locked[i]));
    if (!cuda_context_lost())
        CUBLAS_CHECK(cublasXtDestroy(x->handle));
    free(x);
}

/* Makes B' A' = (A B)', as launch_cublas(). It returns when C is there. */
static void run_xt(const problem *p, const launch *l)
{
    const float one = 1, zero = 0;
    const xt_plan *x = (const xt_plan *)l->plan;
    const size_t width = (size_t)p->width, height = (size_t)p->height, depth = (size_t)p->depth;
    if (!x)
        return;
    CUBLAS_CHECK(cublasXtSgemm(x->handle, CUBLAS_OP_N, CUBLAS_OP_N, width, height, depth, &one,
                               (const float *)l->buffer[B], width, (const float *)l->buffer[A],
                               depth, &zero, (float *)l->buffer[C], width));
}
#endif

/* ---- variants ------------------------------------------------------------------------------- */

#define CUBLAS_VARIANT(id, idea, have, mode, accuracy, ...)                                        \
    VENDOR_VARIANT(id, idea, BUILT(have, launch_cublas), __VA_ARGS__,                              \
                   .plan_once = BUILT(have, plan_cublas<mode>),                                    \
                   .release = BUILT(have, release_cublas), .own = &accuracy)

const variant cublas_variant = CUBLAS_VARIANT("cublas", "cuBLAS sgemm, FP32", HAVE_CUBLAS,
                                              CUBLAS_PEDANTIC_MATH, with_median, .needs = "cuBLAS");
const variant cublas_tf32_variant = CUBLAS_VARIANT(
    "cublas_tf32", "cuBLAS sgemm, factors rounded to TF32", HAVE_CUBLAS, CUBLAS_TF32_TENSOR_OP_MATH,
    tf32_accuracy, .needs = "cuBLAS", .architecture = "sm_80");
const variant cublas_bf16x9_variant =
    CUBLAS_VARIANT("cublas_bf16x9", "cuBLAS sgemm, FP32 from nine products in BF16", HAVE_BF16X9,
                   CUBLAS_FP32_EMULATED_BF16X9_MATH, with_median, .needs = "cuBLAS 12.9");
const variant cublas_xt_variant = VENDOR_VARIANT(
    "cublas_xt", "over several GPUs: cuBLASXt, from host memory and back",
    BUILT(HAVE_CUBLAS, run_xt), .needs = "cuBLAS", .refuse = BUILT(HAVE_CUBLAS, refuse_xt),
    .plan = BUILT(HAVE_CUBLAS, plan_xt), .release = BUILT(HAVE_CUBLAS, release_xt),
    .part = all_on_first, .on_host = true, .unordered = true, .own = &with_median);
