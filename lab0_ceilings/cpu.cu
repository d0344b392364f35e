/*
 * cpu.cu - what the host's processor can do: copy, read and fma by one core's vectors, and by all
 * cores'.
 */
#include <string.h>
#ifdef __SSE__
#include <xmmintrin.h>
#endif

#include "ceilings.h"
#include "steps.h"

/* libc knows its processor: long copies bypass the caches. */
static void copy_serial(const float *x, float *y, int n)
{
    memcpy(y, x, (size_t)n * sizeof(float));
}

/*
 * An ordinary store first reads the line that it is about to overwrite, so that 12 bytes move for
 * each float; a streaming store does not. A share of a thread may be too short for memcpy to
 * stream.
 */
static void copy_omp(const float *x, float *y, int n)
{
    int fours = 0;
#ifdef __SSE__
    fours = n / 4;
#pragma omp parallel
    {
#pragma omp for nowait
        for (int i = 0; i < fours; i++)
            _mm_stream_ps(y + 4 * (size_t)i, _mm_load_ps(x + 4 * (size_t)i));
        _mm_sfence();
    }
#endif
#pragma omp parallel for
    for (int i = 4 * fours; i < n; i++)
        y[i] = x[i];
}

/*
 * Elements i, i + m, ... i + 7m. A multiply-add takes four cycles and a core starts two in each, so
 * eight have to be in flight. In a loop over i that is vectorised each is a whole vector.
 */
WIDEST_VECTORS static inline void eight_chains(const float *x, float *y, int i, int m)
{
    float v0 = x[i], v1 = x[i + m], v2 = x[i + 2 * m], v3 = x[i + 3 * m];
    float v4 = x[i + 4 * m], v5 = x[i + 5 * m], v6 = x[i + 6 * m], v7 = x[i + 7 * m];
    for (int k = 0; k < FMAS; k++) {
        v0 = fmaf(SLOPE, v0, SHIFT);
        v1 = fmaf(SLOPE, v1, SHIFT);
        v2 = fmaf(SLOPE, v2, SHIFT);
        v3 = fmaf(SLOPE, v3, SHIFT);
        v4 = fmaf(SLOPE, v4, SHIFT);
        v5 = fmaf(SLOPE, v5, SHIFT);
        v6 = fmaf(SLOPE, v6, SHIFT);
        v7 = fmaf(SLOPE, v7, SHIFT);
    }
    y[i] = v0, y[i + m] = v1, y[i + 2 * m] = v2, y[i + 3 * m] = v3;
    y[i + 4 * m] = v4, y[i + 5 * m] = v5, y[i + 6 * m] = v6, y[i + 7 * m] = v7;
}

WIDEST_VECTORS static void fma_serial(const float *x, float *y, int n)
{
    int m = n / 8;
#pragma omp simd
    for (int i = 0; i < m; i++)
        eight_chains(x, y, i, m);
    for (int i = 8 * m; i < n; i++)
        y[i] = multiply_adds(x[i]);
}

WIDEST_VECTORS static void fma_omp(const float *x, float *y, int n)
{
    int m = n / 8;
#pragma omp parallel for simd
    for (int i = 0; i < m; i++)
        eight_chains(x, y, i, m);
    for (int i = 8 * m; i < n; i++)
        y[i] = multiply_adds(x[i]);
}

WIDEST_VECTORS static void read_serial(const float *x, float *y, int n)
{
    for (int i = 0; i < read_sums(n); i++)
        ((uint32_t *)y)[i] = sum_of_words((const uint32_t *)x + (size_t)i * READ_WORDS);
}

WIDEST_VECTORS static void read_omp(const float *x, float *y, int n)
{
#pragma omp parallel for
    for (int i = 0; i < read_sums(n); i++)
        ((uint32_t *)y)[i] = sum_of_words((const uint32_t *)x + (size_t)i * READ_WORDS);
}

template <auto *COPY_PROGRAM, auto *READ_PROGRAM, auto *FMA_PROGRAM>
static void run_cpu(const problem *p, const launch *l)
{
    auto *program = measure == COPY ? COPY_PROGRAM : measure == READ ? READ_PROGRAM : FMA_PROGRAM;
    program((const float *)l->buffer[X], (float *)l->buffer[Y], p->width);
}

static bool has_cpu_program(void)
{
    return measure == COPY || measure == READ || measure == FMA;
}

/*
 * CPU times are taken on warm data, so what is copied or read has to be longer than the caches: a
 * rate out of them must not pass for memory's.
 */
enum { CPU_MEMORY_MIN = 1 << 25 };

static const char *refuse_cached(const problem *p, dim3)
{
    bool cached = measure != FMA && p->width < CPU_MEMORY_MIN;
    return cached ? "under 2^25 floats the caches would answer instead of memory" : NULL;
}

const variant cpu_variant = SERIAL_VARIANT("copy: memcpy; read, fma: one core's vectors",
                                           (run_cpu<copy_serial, read_serial, fma_serial>),
                                           .applies = has_cpu_program, .refuse = refuse_cached);
const variant cpu_omp_variant = OPENMP_VARIANT(
    "copy: all cores, streaming stores; read, fma: all cores' vectors",
    (run_cpu<copy_omp, read_omp, fma_omp>), .applies = has_cpu_program, .refuse = refuse_cached);
