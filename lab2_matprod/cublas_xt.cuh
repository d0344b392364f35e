/*
 * cublas_xt.cuh - lab 2 over several GPUs in the vendor's way: cuBLASXt takes matrices in host
 * memory, cuts them into square tiles, and copies and multiplies these on all GPUs of a node. One
 * process calls it, the first rank; the others lend their GPUs. Its kernels run in several streams,
 * for which cuBLAS does not promise the same bits each time.
 *
 * To be included by matprod.cu behind CUBLAS_CHECK.
 *
 * For each step of k a tile of side D takes 2 D operations and 8 bytes a row from the host: a GPU
 * with 52 TFLOP/s behind a bus of 55 GB/s waits for the bus below D = 3800. The matrices' memory
 * is page-locked beforehand, untimed, as allocation is elsewhere.
 */
#ifndef LAB2_CUBLAS_XT_CUH
#define LAB2_CUBLAS_XT_CUH

/* The first rank has all, the others nothing. */
static rank_part all_on_first(const problem *p, int i, int rank, int)
{
    return {0, rank == 0 ? p->buffer[i].bytes : 0};
}

#ifdef HAVE_CUBLAS
#include <cublasXt.h>

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
 * As large as may be, with one for each GPU at least. Of 2048, 4096, 8192 and 16384 the third is
 * fastest for N = 32768 on two H200s, and half of N for 16384.
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

/* The GPUs of all ranks: theirs follow the first one's (ranks.h). */
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

/* B' A' = (A B)', as launch_cublas(). It returns when C is there. */
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

#define XT_VARIANT(id, idea)                                                                       \
    VENDOR_VARIANT(id, idea, run_xt, .needs = "cuBLAS", .refuse = refuse_xt, .plan = plan_xt,      \
                   .release = release_xt, .part = all_on_first, .on_host = true,                   \
                   .unordered = true)
#else
#define XT_VARIANT(id, idea)                                                                       \
    VENDOR_VARIANT(id, idea, NULL, .needs = "cuBLAS", .part = all_on_first, .on_host = true,       \
                   .unordered = true)
#endif
#endif
