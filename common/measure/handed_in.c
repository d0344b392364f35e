#include "handed_in.h"
#include "machine/device.h"
#include "process/die.h"
#include "variant.h"

#include <stdio.h>
#include <string.h>

/* Before, there are no libraries, and nothing can be handed in. */
#if !defined CUDA_ON_CPU && CUDART_VERSION < 12080
typedef struct CUlib_st *cudaLibrary_t;
#define cudaLibraryLoadFromFile(...) cudaErrorNotSupported
#define cudaLibraryUnload(...)       cudaErrorNotSupported
#define cudaLibraryGetKernel(...)    cudaErrorNotSupported
#define cudaLibraryGetGlobal(...)    cudaErrorNotSupported
#define cudaGetKernel(...)           cudaErrorNotSupported
#endif

enum { MOST = 64 };

static struct {
    const variant *variant;
    const char *file;
    cudaLibrary_t library;
    bool idle; /* the lab's own kernels run */
    int count;
    const void *own[MOST];
    cudaKernel_t handle[MOST]; /* of that */
    cudaKernel_t kernel[MOST];
} handed;

/* The variant that VARIANT=FILE names; the file goes to *file. */
static const variant *variant_of(const lab *definition, const char *text, const char **file)
{
    const char *sign = strchr(text, '=');
    *file = sign ? sign + 1 : "";
    for (int i = 0; sign && i < definition->n_variants; i++) {
        const variant *v = &definition->variants[i];
        if (strlen(v->name) == (size_t)(sign - text) && !strncmp(v->name, text, strlen(v->name)) &&
            v->kind == VARIANT_GPU)
            return v;
    }
    die_bad_input("--kernel: '%s' is no VARIANT=FILE with a variant that has a kernel", text);
}

bool handed_in_names(const lab *definition, const char *text, const dim3 *blocks, int count)
{
    const char *file;
    const void *kernel;
    const variant *v = variant_of(definition, text, &file);
    dim3 block;
    if (strcmp(file, "?") != 0)
        return false;
    for (int b = 0; variant_block(v, blocks, count, b, &block); b++)
        for (int i = 0; (kernel = variant_kernel(v, block, i)); i++)
            if (device_kernel_symbol(kernel))
                puts(device_kernel_symbol(kernel));
    return true;
}

static void load(void)
{
    CUDA_CHECK(cudaLibraryLoadFromFile(&handed.library, handed.file, NULL, NULL, 0, NULL, NULL, 0));
}

void handed_in_open(const lab *definition, const char *text)
{
    handed.variant = variant_of(definition, text, &handed.file);
#ifndef CUDA_ON_CPU
    if (!&handed_in_wrapped)
        die_bad_input("--kernel: on a GPU this is for the programs of `make judges`");
#endif
    load();
}

bool handed_in_is(const variant *v)
{
    return handed.variant == v;
}

static void use(const void *own, cudaKernel_t kernel)
{
#ifdef CUDA_ON_CPU
    cuda_cpu_replace_kernel(own, kernel);
#else
    (void)own;
    (void)kernel; /* wraps.c asks */
#endif
}

bool handed_in_bind(const variant *v, dim3 block, char reason[RESULT_TEXT])
{
    const void *own;
    for (int i = 0; handed_in_is(v) && (own = variant_kernel(v, block, i)); i++) {
        const char *name = device_kernel_symbol(own);
        cudaKernel_t kernel = NULL;
        int at = 0;
        while (at < handed.count && handed.own[at] != own)
            at++;
        if (at < handed.count || at == MOST)
            continue;
        if (!name || cudaLibraryGetKernel(&kernel, handed.library, name) != cudaSuccess) {
            (void)cudaGetLastError();
            snprintf(reason, RESULT_TEXT, "there is no kernel %.160s in what was handed in",
                     name ? name : "with a name");
            return false;
        }
        handed.own[handed.count] = own;
#ifndef CUDA_ON_CPU
        CUDA_CHECK(cudaGetKernel(&handed.handle[handed.count], own));
#endif
        handed.kernel[handed.count++] = kernel;
        use(own, kernel);
    }
    return true;
}

void handed_in_reload(void)
{
    handed.count = 0;
    CUDA_CHECK(cudaLibraryUnload(handed.library));
    load();
}

void handed_in_use(bool file)
{
    handed.idle = !file;
    for (int i = 0; i < handed.count; i++)
        use(handed.own[i], file ? handed.kernel[i] : NULL);
}

#ifndef CUDA_ON_CPU
cudaKernel_t handed_in_kernel(const void *own)
{
    for (int i = 0; i < handed.count && !handed.idle; i++)
        if (handed.own[i] == own)
            return handed.kernel[i];
    return NULL;
}

cudaKernel_t handed_in_by_handle(cudaKernel_t own)
{
    for (int i = 0; i < handed.count && !handed.idle; i++)
        if (handed.handle[i] == own)
            return handed.kernel[i];
    return own;
}

char *handed_in_variable(const char *name)
{
    void *start = NULL;
    size_t bytes;
    if (!handed.variant || handed.idle ||
        cudaLibraryGetGlobal(&start, &bytes, handed.library, name) != cudaSuccess) {
        (void)cudaGetLastError(); /* handled here: the file has none of that name */
        return NULL;
    }
    return start;
}
#endif
