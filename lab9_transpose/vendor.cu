/*
 * vendor.cu - the library's transpose: cublasSgeam, which adds two matrices as they are or turned.
 */
#ifdef HAVE_CUBLAS
#include <cublas_v2.h>
#endif

#include "transpose.h"

#ifdef HAVE_CUBLAS
static const char *cublas_text(int status)
{
    return cublasGetStatusString((cublasStatus_t)status);
}

#define CUBLAS_CHECK(expression) LIBRARY_CHECK(expression, CUBLAS_STATUS_SUCCESS, cublas_text)

static void *plan_cublas(const problem *, const launch *l)
{
    cublasHandle_t handle;
    CUBLAS_CHECK(cublasCreate(&handle));
    CUBLAS_CHECK(cublasSetStream(handle, l->stream));
    return handle;
}

static void release_cublas(void *plan)
{
    if (!cuda_context_lost())
        CUBLAS_CHECK(cublasDestroy((cublasHandle_t)plan));
}

/* cuBLAS holds matrices column by column: it sees our A as `width` rows of `height` columns, which
 * it is to turn. The second matrix, times 0, is not read. */
static void launch_cublas(const problem *p, const launch *l)
{
    const float one = 1, zero = 0;
    float *b = (float *)l->buffer[B];
    CUBLAS_CHECK(cublasSgeam((cublasHandle_t)l->plan, CUBLAS_OP_T, CUBLAS_OP_N, p->height, p->width,
                             &one, (float *)l->buffer[A], p->width, &zero, b, p->height, b,
                             p->height));
}
#endif

const variant cublas_variant = VENDOR_VARIANT(
    "cublas", "cublasSgeam", BUILT(HAVE_CUBLAS, launch_cublas), .needs = "cuBLAS",
    .plan_once = BUILT(HAVE_CUBLAS, plan_cublas), .release = BUILT(HAVE_CUBLAS, release_cublas));
