/*
 * cpu_panels.cu - the CPU's best: panels by one thread and by all, and the library's sgemm.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifdef HAVE_CBLAS
#include <cblas.h>
#endif

#include "matprod.h"
#include "process/die.h"

/*
 * The three loops, written well. Those walk down a column of B for each element: a cache line
 * a step, of which four bytes are used, and where a row's length is a power of two all those lines
 * fall into the same few sets of the caches. Here a panel of B, as wide as a few vectors, is first
 * copied so that its rows lie side by side; then ROWS rows of A go along it, and the ROWS x PANEL
 * sums stay in registers: ROWS numbers of A and PANEL of B serve ROWS x PANEL multiply-adds. (Goto,
 * van de Geijn: Anatomy of high-performance matrix multiplication, ACM Transactions on Mathematical
 * Software 34(3), 2008, whose panels of A are left out here: rows of this length stay in the L2
 * cache.)
 */
#ifdef __AVX512F__
enum { ROWS = 6, PANEL = 32 }; /* sums in 24 of 32 registers */
#else
enum { ROWS = 6, PANEL = 16 }; /* in 12 of 16 with AVX2 */
#endif

/* Copies columns x to x + PANEL of B; zeros beyond its edge. */
static void copy_panel(const float *b, shape s, int x, float *panel)
{
    int inside = s.width - x < PANEL ? s.width - x : PANEL;
    for (int k = 0; k < s.depth; k++)
        for (int j = 0; j < PANEL; j++)
            panel[k * PANEL + j] = j < inside ? b[k * s.width + x + j] : 0;
}

/* Multiplies ROWS rows of A along a panel. */
static void multiply_rows(const float *const row[ROWS], const float *panel, int depth,
                          float sums[ROWS][PANEL])
{
    float sum[ROWS][PANEL] = {};
    for (int k = 0; k < depth; k++)
        for (int i = 0; i < ROWS; i++)
#pragma omp simd
            for (int j = 0; j < PANEL; j++)
                sum[i][j] += row[i][k] * panel[k * PANEL + j];
    memcpy(sums, sum, sizeof sum);
}

/* Makes columns x to x + PANEL of C. Beyond the last row it is worked out again, and not kept. */
static void multiply_panel(const float *a, const float *b, float *c, shape s, int x, float *panel)
{
    int columns = s.width - x < PANEL ? s.width - x : PANEL;
    copy_panel(b, s, x, panel);
    for (int y = 0; y < s.height; y += ROWS) {
        const float *row[ROWS];
        float sums[ROWS][PANEL];
        for (int i = 0; i < ROWS; i++)
            row[i] = a + (y + i < s.height ? y + i : s.height - 1) * s.depth;
        multiply_rows(row, panel, s.depth, sums);
        for (int i = 0; i < ROWS && y + i < s.height; i++)
            memcpy(c + (y + i) * s.width + x, sums[i], columns * sizeof(float));
    }
}

enum { LINE = 64 }; /* bytes: no vector of a panel may lie in two lines of the cache */

static void *allocate_panel(shape s)
{
    return allocate((size_t)s.depth * PANEL * sizeof(float) + LINE);
}

static float *panel_in(void *room)
{
    return (float *)(((uintptr_t)room + LINE - 1) / LINE * LINE);
}

static void multiply_panels(const float *a, const float *b, float *c, shape s)
{
    void *room = allocate_panel(s);
    for (int x = 0; x < s.width; x += PANEL)
        multiply_panel(a, b, c, s, x, panel_in(room));
    free(room);
}

static void multiply_panels_omp(const float *a, const float *b, float *c, shape s)
{
#pragma omp parallel
    {
        void *room = allocate_panel(s);
#pragma omp for
        for (int x = 0; x < s.width; x += PANEL)
            multiply_panel(a, b, c, s, x, panel_in(room));
        free(room);
    }
}

#ifdef HAVE_CBLAS
static void run_cpu_blas(const problem *p, const launch *l)
{
    shape s = shape_of(p);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, s.height, s.width, s.depth, 1,
                (float *)l->buffer[A], s.depth, (float *)l->buffer[B], s.width, 0,
                (float *)l->buffer[C], s.width);
}
#endif

const variant cpu_panels_variant =
    CPU_VARIANT("cpu_panels", "panels of B, sums in registers, serial", run_cpu<multiply_panels>,
                .role = ROLE_TUNED);
const variant cpu_omp_panels_variant = CPU_VARIANT(
    "cpu_omp_panels", "the same, panels spread over the cores", run_cpu<multiply_panels_omp>);
const variant cpu_blas_variant =
    CPU_VARIANT("cpu_blas", "CBLAS sgemm", BUILT(HAVE_CBLAS, run_cpu_blas),
                .needs = "CBLAS (libopenblas-dev)", .unpinned = true);
