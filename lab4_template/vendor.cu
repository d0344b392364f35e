/*
 * vendor.cu - what NVIDIA's libraries have for it.
 *
 *   fft   cuFFT, in FP32: products of spectra are sums of products (the correlation theorem). The
 *         time does not depend on the template's size. The sums of squares are ours, exact.
 *   npp   NPP's SqrDistanceValid_Norm, R / sqrt(sum I^2 sum T^2) in FP32: it has no plain R.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef HAVE_CUFFT
#include <cufft.h>
#endif
#ifdef HAVE_NPP
#include <nppi_statistics_functions.h>

#include "npp.h"
#endif

#include "box_sums.h"
#include "matches.h"
#include "process/die.h"

/* ---- fft ------------------------------------------------------------------------------------ */

#ifdef HAVE_CUFFT

static const char *cufft_text(int status)
{
    static char text[32];
    snprintf(text, sizeof text, "cuFFT status %d", status);
    return text;
}

#define CUFFT_CHECK(expression) LIBRARY_CHECK(expression, CUFFT_SUCCESS, cufft_text)

enum {
    FFT_THREADS = 256,
    FFT_ERROR_MAX = 1 << 16 /* ten times what was measured with 512x512 pixels */
};

/* Returns the least number from n on without prime factors but 2, 3, 5, 7: cuFFT's fast ones. */
static int smooth_from(int n)
{
    for (;; n++) {
        int rest = n;
        for (int prime = 2; prime <= 7; prime++)
            while (rest % prime == 0)
                rest /= prime;
        if (rest == 1)
            return n;
    }
}

/* Both pictures as floats in a plane that is at least the image, and their spectra. */
typedef struct fft_workspace {
    int width, height, spectrum_width;
    float *image, *templ; /* `image` will be the correlation */
    cufftComplex *image_spectrum, *template_spectrum;
    size_t bytes;
} fft_workspace;

static fft_workspace fft_in(const problem *p, void *workspace)
{
    fft_workspace f = {smooth_from(p->width), smooth_from(p->height), 0, NULL, NULL, NULL, NULL, 0};
    f.spectrum_width = f.width / 2 + 1;
    size_t plane = workspace_part((size_t)f.width * f.height * sizeof(float));
    size_t spectrum = workspace_part((size_t)f.spectrum_width * f.height * sizeof(float2));
    char *room = (char *)workspace + box_bytes(p);
    f.bytes = box_bytes(p) + 2 * (plane + spectrum);
    f.image = (float *)room;
    f.templ = (float *)(room + plane);
    f.image_spectrum = (cufftComplex *)(room + 2 * plane);
    f.template_spectrum = (cufftComplex *)(room + 2 * plane + spectrum);
    return f;
}

static size_t fft_bytes(const problem *p)
{
    return fft_in(p, NULL).bytes;
}

/* fft_fill: puts a picture in the plane's corner, zeros around it. */
__global__ void fft_fill(const uint8_t *pixels, int width, int height, float *plane, int row)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < row)
        plane[(size_t)y * row + x] = x < width && y < height ? pixels[(size_t)y * width + x] : 0;
}

/* fft_multiply: image = image conj(templ) scale, the correlation's spectrum. */
__global__ void fft_multiply(cufftComplex *image, const cufftComplex *templ, size_t count,
                             float scale)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    cufftComplex a = image[i], b = templ[i];
    image[i] = {(a.x * b.x + a.y * b.y) * scale, (a.y * b.x - a.x * b.y) * scale};
}

/*
 * fft_subtract: makes R. In 32 bits the sum of both squares may have wrapped around, though R
 * itself fits them: then what is left is far below 0. Where R is small the error may be larger: no
 * sum is below 0.
 */
template <typename value>
__global__ void fft_subtract(const float *correlation, int row, value *map, shapes s)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= s.map_width)
        return;
    value *place = map + (size_t)y * s.map_width + x;
    double rest = (double)*place - 2 * (double)correlation[(size_t)y * row + x];
    if (sizeof(value) == 4 && rest < -FFT_ERROR_MAX)
        rest += 0x1p32;
    *place = (value)llrint(max(rest, 0.0));
}

typedef struct fft_plan {
    cufftHandle forward, back;
} fft_plan;

static void *plan_fft(const problem *p, const launch *l)
{
    fft_workspace f = fft_in(p, NULL);
    fft_plan plan = {0, 0}, *kept;
    CUFFT_CHECK(cufftPlan2d(&plan.forward, f.height, f.width, CUFFT_R2C));
    CUFFT_CHECK(cufftPlan2d(&plan.back, f.height, f.width, CUFFT_C2R));
    CUFFT_CHECK(cufftSetStream(plan.forward, l->stream));
    CUFFT_CHECK(cufftSetStream(plan.back, l->stream));
    kept = (fft_plan *)allocate(sizeof *kept);
    *kept = plan;
    return kept;
}

static void release_fft(void *plan)
{
    (void)cufftDestroy(((fft_plan *)plan)->forward);
    (void)cufftDestroy(((fft_plan *)plan)->back);
    free(plan);
}

static void fft_fill_plane(const void *pixels, int width, int height, float *plane,
                           const fft_workspace *f, cudaStream_t stream)
{
    dim3 grid(blocks_for(f->width, FFT_THREADS), f->height);
    fft_fill<<<grid, FFT_THREADS, 0, stream>>>((const uint8_t *)pixels, width, height, plane,
                                               f->width);
    CUDA_CHECK(cudaGetLastError());
}

template <typename value>
static void run_fft(const problem *p, const launch *l)
{
    const fft_plan *plan = (const fft_plan *)l->plan;
    shapes s = shapes_of(p);
    fft_workspace f = fft_in(p, l->workspace);
    size_t count = (size_t)f.spectrum_width * f.height;
    float scale = 1 / ((float)f.width * f.height);
    launch_box_sums(p, l);
    fft_fill_plane(l->buffer[IMAGE], p->width, p->height, f.image, &f, l->stream);
    fft_fill_plane(l->buffer[TEMPLATE], template_width, template_height, f.templ, &f, l->stream);
    CUFFT_CHECK(cufftExecR2C(plan->forward, f.image, f.image_spectrum));
    CUFFT_CHECK(cufftExecR2C(plan->forward, f.templ, f.template_spectrum));
    fft_multiply<<<(unsigned)((count + FFT_THREADS - 1) / FFT_THREADS), FFT_THREADS, 0,
                   l->stream>>>(f.image_spectrum, f.template_spectrum, count, scale);
    CUDA_CHECK(cudaGetLastError());
    CUFFT_CHECK(cufftExecC2R(plan->back, f.image_spectrum, f.image));
    fft_subtract<value>
        <<<dim3(blocks_for(s.map_width, FFT_THREADS), s.map_height), FFT_THREADS, 0, l->stream>>>(
            f.image, f.width, (value *)l->buffer[MAP], s);
    CUDA_CHECK(cudaGetLastError());
}

static void launch_fft(const problem *p, const launch *l)
{
    is_wide() ? run_fft<uint64_t>(p, l) : run_fft<uint32_t>(p, l);
}

#endif

/* ---- npp ------------------------------------------------------------------------------------ */

#ifdef HAVE_NPP

static void launch_npp(const problem *p, const launch *l)
{
    shapes s = shapes_of(p);
    NppiSize image = {s.image_width, s.image_height}, templ = {template_width, template_height};
    NPP_CHECK(nppiSqrDistanceValid_Norm_8u32f_C1R_Ctx(
        (const Npp8u *)l->buffer[IMAGE], s.image_width, image, (const Npp8u *)l->buffer[TEMPLATE],
        s.template_width, templ, (Npp32f *)l->buffer[MAP], s.map_width * (int)sizeof(Npp32f),
        *(const NppStreamContext *)l->plan));
}

/* Refuses the search, too: NPP's map has floats, which are no R. */
static const char *refuse_npp(const problem *p, dim3 block)
{
    return top_count > 0 ? "needs a run without --top" : refuse_all_but_ssd(p, block);
}

#endif

/* ---- variants ------------------------------------------------------------------------------- */

static const accuracy spectra_accuracy = {.from_spectra = true};
static const accuracy root_accuracy = {.over_root = true};

const variant fft_variant = VENDOR_VARIANT(
    "fft", "products of spectra by cuFFT, in FP32", BUILT(HAVE_CUFFT, with_matches<launch_fft>),
    .needs = "cuFFT", .workspace_bytes = BUILT(HAVE_CUFFT, fft_bytes),
    .refuse = BUILT(HAVE_CUFFT, refuse_all_but_ssd), .plan_once = BUILT(HAVE_CUFFT, plan_fft),
    .release = BUILT(HAVE_CUFFT, release_fft), .own = &spectra_accuracy);
const variant npp_variant =
    VENDOR_VARIANT("npp", "NPP's SqrDistanceValid_Norm", BUILT(HAVE_NPP, launch_npp),
                   .needs = "NPP", .refuse = BUILT(HAVE_NPP, refuse_npp),
                   .plan_once = BUILT(HAVE_NPP, plan_npp_context), .release = BUILT(HAVE_NPP, free),
                   .note = "normalised: R / sqrt(sum I^2 sum T^2), in FP32", .own = &root_accuracy);
