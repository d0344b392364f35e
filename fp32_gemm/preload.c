/*
 * preload.c - cublasSgemm_v2 and cublasGemmEx in FP32 for programs that are started with
 *
 *     LD_PRELOAD=build/cuda/fp32_gemm_preload.so FP32_GEMM_LOG=- program
 *
 * A product that fp32_gemm() takes goes its way; any other goes to cuBLAS, which the program has
 * loaded. FP32_GEMM_LOG names a file for a line a call, - is stderr. Calls that differ in anything
 * but sizes are cuBLAS's: scalars in device memory, a mode of computing in less than FP32, a stream
 * that is being captured, types other than FP32.
 */
#define _GNU_SOURCE
#include <cublas_v2.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fp32_gemm.h"

/* ---- cuBLAS --------------------------------------------------------------------------------- */

/* The functions of the cuBLAS that is loaded; NULL where there is none. */
static struct {
    __typeof__(cublasGetStream_v2) *get_stream;
    __typeof__(cublasGetPointerMode_v2) *get_pointer_mode;
    __typeof__(cublasGetMathMode) *get_math_mode;
    __typeof__(cublasSgemm_v2) *sgemm;
    __typeof__(cublasGemmEx) *gemm_ex;
} cublas;

/* Returns a function of it: behind this file, or where a program, such as Python, has opened it by
 * itself. */
static void *find(const char *name)
{
    static const char *const files[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11"};
    void *found = dlsym(RTLD_NEXT, name);
    for (size_t i = 0; !found && i < sizeof files / sizeof files[0]; i++) {
        void *library = dlopen(files[i], RTLD_LAZY | RTLD_NOLOAD);
        found = library ? dlsym(library, name) : NULL;
    }
    return found;
}

static void find_cublas(void)
{
    cublas.get_stream = find("cublasGetStream_v2");
    cublas.get_pointer_mode = find("cublasGetPointerMode_v2");
    cublas.get_math_mode = find("cublasGetMathMode");
    cublas.sgemm = find("cublasSgemm_v2");
    cublas.gemm_ex = find("cublasGemmEx");
}

/* ---- the log -------------------------------------------------------------------------------- */

static FILE *log_file;

static void open_log(void)
{
    const char *name = getenv("FP32_GEMM_LOG");
    if (name && *name)
        log_file = strcmp(name, "-") == 0 ? stderr : fopen(name, "a");
    if (name && *name && !log_file)
        fprintf(stderr, "fp32_gemm: cannot write to FP32_GEMM_LOG=%s\n", name);
}

/* Tells of a call and which way it went: `why` cuBLAS, or NULL. */
static void tell(const char *function, const fp32_gemm_product *p, const char *why)
{
    if (!log_file)
        return;
    fprintf(log_file, "fp32_gemm: %s %c%c m=%d n=%d k=%d: %s%s\n", function,
            p->transpose_a ? 'T' : 'N', p->transpose_b ? 'T' : 'N', p->m, p->n, p->k,
            why ? "cuBLAS: " : "tensor cores", why ? why : "");
    fflush(log_file);
}

/* ---- the product ---------------------------------------------------------------------------- */

enum { MOST_DEVICES = 64 };

/* Returns this device's pool of memory for workspaces, which keeps what it has got; NULL if there
 * is none. */
static cudaMemPool_t pool_of_device(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static cudaMemPool_t pools[MOST_DEVICES];
    int device = 0;
    if (cudaGetDevice(&device) != cudaSuccess || device >= MOST_DEVICES)
        return NULL;
    pthread_mutex_lock(&lock);
    if (!pools[device]) {
        struct cudaMemPoolProps props = {.allocType = cudaMemAllocationTypePinned,
                                         .location = {cudaMemLocationTypeDevice, device}};
        unsigned long long keep = ~0ull;
        if (cudaMemPoolCreate(&pools[device], &props) == cudaSuccess)
            cudaMemPoolSetAttribute(pools[device], cudaMemPoolAttrReleaseThreshold, &keep);
        else
            pools[device] = NULL;
    }
    pthread_mutex_unlock(&lock);
    return pools[device];
}

/* Runs the product on the stream. Returns NULL, or why it did not. */
static const char *run(const fp32_gemm_product *p, cudaStream_t stream)
{
    size_t bytes = fp32_gemm_workspace(p);
    cudaMemPool_t pool = bytes ? pool_of_device() : NULL;
    void *workspace = NULL;
    if (bytes &&
        (!pool || cudaMallocFromPoolAsync(&workspace, bytes, pool, stream) != cudaSuccess)) {
        (void)cudaGetLastError(); /* cuBLAS may do with less */
        return "no memory for a workspace";
    }
    fp32_gemm_status status = fp32_gemm(p, workspace, bytes, stream);
    if (workspace)
        (void)cudaFreeAsync(workspace, stream);
    return status == FP32_GEMM_OK ? NULL : fp32_gemm_text(status);
}

static bool is_captured(cudaStream_t stream)
{
    enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    return cudaStreamIsCapturing(stream, &status) != cudaSuccess ||
           status != cudaStreamCaptureStatusNone;
}

/* Multiplies, if it can: returns NULL, or why it is cuBLAS's. */
static const char *try_product(cublasHandle_t handle, fp32_gemm_product *p, const float *alpha,
                               const float *beta)
{
    cublasPointerMode_t pointers = CUBLAS_POINTER_MODE_DEVICE;
    cublasMath_t mode = CUBLAS_DEFAULT_MATH;
    cudaStream_t stream = NULL;
    if (cublas.get_stream(handle, &stream) != CUBLAS_STATUS_SUCCESS ||
        cublas.get_pointer_mode(handle, &pointers) != CUBLAS_STATUS_SUCCESS ||
        cublas.get_math_mode(handle, &mode) != CUBLAS_STATUS_SUCCESS)
        return "its handle does not answer";
    if (pointers != CUBLAS_POINTER_MODE_HOST)
        return "alpha and beta are in device memory";
    if ((mode & 15) == CUBLAS_TF32_TENSOR_OP_MATH)
        return "TF32 is allowed";
    if ((mode & 15) != CUBLAS_DEFAULT_MATH && (mode & 15) != CUBLAS_TENSOR_OP_MATH)
        return "its mode of computing is another one";
    if (!alpha || !beta)
        return "alpha or beta is NULL";
    if (is_captured(stream))
        return "the stream is being captured";
    p->alpha = *alpha;
    p->beta = *beta;
    const char *why = fp32_gemm_declines(p);
    return why ? why : run(p, stream);
}

static fp32_gemm_product product_of(cublasOperation_t a_is, cublasOperation_t b_is, int m, int n,
                                    int k, const void *a, int lda, const void *b, int ldb, void *c,
                                    int ldc)
{
    fp32_gemm_product p = {.column_major = true,
                           .transpose_a = a_is != CUBLAS_OP_N,
                           .transpose_b = b_is != CUBLAS_OP_N,
                           .m = m,
                           .n = n,
                           .k = k,
                           .a = (const float *)a,
                           .lda = lda,
                           .b = (const float *)b,
                           .ldb = ldb,
                           .c = (float *)c,
                           .ldc = ldc};
    return p;
}

/* ---- what programs call --------------------------------------------------------------------- */

static void begin(void)
{
    open_log();
    find_cublas();
}

/* Is there a cuBLAS? What comes first in each call. */
static bool have_cublas(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, begin);
    return cublas.get_stream && cublas.get_pointer_mode && cublas.get_math_mode && cublas.sgemm &&
           cublas.gemm_ex;
}

CUBLASAPI cublasStatus_t cublasSgemm_v2(cublasHandle_t handle, cublasOperation_t a_is,
                                        cublasOperation_t b_is, int m, int n, int k,
                                        const float *alpha, const float *a, int lda, const float *b,
                                        int ldb, const float *beta, float *c, int ldc)
{
    fp32_gemm_product p = product_of(a_is, b_is, m, n, k, a, lda, b, ldb, c, ldc);
    if (!have_cublas())
        return CUBLAS_STATUS_NOT_INITIALIZED;
    const char *why = try_product(handle, &p, alpha, beta);
    tell("cublasSgemm", &p, why);
    if (!why)
        return CUBLAS_STATUS_SUCCESS;
    return cublas.sgemm(handle, a_is, b_is, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

/* Returns what makes the call another one than a product in FP32; NULL: nothing. */
static const char *other_types(cudaDataType a, cudaDataType b, cudaDataType c,
                               cublasComputeType_t in)
{
    if (a != CUDA_R_32F || b != CUDA_R_32F || c != CUDA_R_32F)
        return "not all types are FP32";
    return in == CUBLAS_COMPUTE_32F ? NULL : "it is not to compute in FP32";
}

CUBLASAPI cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t a_is,
                                      cublasOperation_t b_is, int m, int n, int k,
                                      const void *alpha, const void *a, cudaDataType a_type,
                                      int lda, const void *b, cudaDataType b_type, int ldb,
                                      const void *beta, void *c, cudaDataType c_type, int ldc,
                                      cublasComputeType_t in, cublasGemmAlgo_t algorithm)
{
    fp32_gemm_product p = product_of(a_is, b_is, m, n, k, a, lda, b, ldb, c, ldc);
    if (!have_cublas())
        return CUBLAS_STATUS_NOT_INITIALIZED;
    const char *why = other_types(a_type, b_type, c_type, in);
    if (!why)
        why = try_product(handle, &p, (const float *)alpha, (const float *)beta);
    tell("cublasGemmEx", &p, why);
    if (!why)
        return CUBLAS_STATUS_SUCCESS;
    return cublas.gemm_ex(handle, a_is, b_is, m, n, k, alpha, a, a_type, lda, b, b_type, ldb, beta,
                          c, c_type, ldc, in, algorithm);
}
