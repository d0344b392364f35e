#include "handed_in.h"
#include "machine/device.h"
#include "process/die.h"
#include "variant.h"

#include <stdio.h>
#include <stdlib.h>
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

/* What a part declares of its launches; zeros: as the lab has it. */
static struct {
    unsigned grid[3];
    bool divides; /* the lab's grid */
    unsigned long shared;
    bool of_threads;
    size_t limit; /* for the block that is bound */
} declared;

/* ---- the launch that is declared ------------------------------------------------------------ */

enum { MOST_BLOCKS = 0x7FFFFFFF, MOST_ROWS = 65535, MOST_SHARED = 227 << 10 };

/* Reads a whole number up to `most` and moves *text behind it; returns 0 where there is none. */
static unsigned long number_at(const char **text, unsigned long most)
{
    char *end;
    const unsigned long value = **text >= '1' && **text <= '9' ? strtoul(*text, &end, 10) : 0;
    if (value == 0 || value > most)
        return 0;
    *text = end;
    return value;
}

static bool read_grid(const char **text)
{
    declared.divides = **text == '/';
    *text += declared.divides;
    for (int i = 0; i < 3; i++) {
        declared.grid[i] = (unsigned)number_at(text, i ? MOST_ROWS : MOST_BLOCKS);
        if (declared.grid[i] == 0)
            return false;
        if (**text != 'x') {
            while (++i < 3)
                declared.grid[i] = 1;
            return true;
        }
        ++*text;
    }
    return false;
}

static bool read_shared(const char **text)
{
    static const char of_threads[] = "/thread";
    declared.shared = number_at(text, MOST_SHARED);
    declared.of_threads = strncmp(*text, of_threads, strlen(of_threads)) == 0;
    *text += declared.of_threads ? strlen(of_threads) : 0;
    return declared.shared != 0;
}

void handed_in_declare(const char *text)
{
    static const struct {
        const char *name;
        bool (*read)(const char **text);
    } words[] = {{"grid:", read_grid}, {"shared:", read_shared}};
    const char *at = text + strspn(text, " ");
    while (*at) {
        bool good = false;
        for (int i = 0; i < 2 && !good; i++)
            if (strncmp(at, words[i].name, strlen(words[i].name)) == 0) {
                at += strlen(words[i].name);
                at += strspn(at, " ");
                good = words[i].read(&at) && (*at == ' ' || !*at);
            }
        if (!good)
            die_bad_input("--declared: '%.80s': `grid: 264`, `264x2`, `/4` or `/2x1`, at most "
                          "%d x %d blocks; `shared: 4096` or `8/thread`, at most %d bytes",
                          text, MOST_BLOCKS, MOST_ROWS, MOST_SHARED);
        at += strspn(at, " ");
    }
}

static size_t declared_bytes(dim3 block)
{
    return declared.shared * (declared.of_threads ? (size_t)block.x * block.y * block.z : 1);
}

void handed_in_reshape(dim3 *grid, dim3 block, size_t *shared_bytes)
{
    const unsigned *by = declared.grid;
    if (declared.shared)
        *shared_bytes = declared_bytes(block);
    if (by[0] && declared.divides)
        *grid =
            (dim3){(grid->x - 1) / by[0] + 1, (grid->y - 1) / by[1] + 1, (grid->z - 1) / by[2] + 1};
    else if (by[0])
        *grid = (dim3){by[0], by[1], by[2]};
}

int handed_in_shared_limit(int value)
{
    return value > (int)declared.limit ? value : (int)declared.limit;
}

/* ---- the file ------------------------------------------------------------------------------- */

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
#else
    cuda_cpu_reshape_launches(handed_in_reshape);
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

/* May a block of the kernel have the dynamic bytes that are declared? */
static bool allows_shared(cudaKernel_t kernel, char reason[RESULT_TEXT])
{
    int most = 0;
    CUDA_CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    cudaError_t error = declared.limit > (size_t)most ? cudaErrorInvalidValue : cudaSuccess;
#ifndef CUDA_ON_CPU
    if (!error)
        error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     (int)declared.limit);
#else
    (void)kernel;
#endif
    if (!error)
        return true;
    (void)cudaGetLastError(); /* handled here */
    snprintf(reason, RESULT_TEXT, "declares %zu bytes of shared memory a block, of at most %d",
             declared.limit, most);
    return false;
}

/* The file's kernel for one of the lab's own, where in the table that is; -1, with the reason. */
static int place_of(const void *own, char reason[RESULT_TEXT])
{
    const char *name = device_kernel_symbol(own);
    int at = 0;
    while (at < handed.count && handed.own[at] != own)
        at++;
    if (at < handed.count)
        return at;
    if (!name || at == MOST ||
        cudaLibraryGetKernel(&handed.kernel[at], handed.library, name) != cudaSuccess) {
        (void)cudaGetLastError();
        snprintf(reason, RESULT_TEXT, "there is no kernel %.160s in what was handed in",
                 name ? name : "with a name");
        return -1;
    }
    handed.own[at] = own;
#ifndef CUDA_ON_CPU
    CUDA_CHECK(cudaGetKernel(&handed.handle[at], own));
#endif
    handed.count++;
    use(own, handed.kernel[at]);
    return at;
}

bool handed_in_bind(const variant *v, dim3 block, char reason[RESULT_TEXT])
{
    const void *own;
    declared.limit = declared_bytes(block);
    for (int i = 0; handed_in_is(v) && (own = variant_kernel(v, block, i)); i++) {
        const int at = place_of(own, reason);
        if (at < 0 || (declared.limit && !allows_shared(handed.kernel[at], reason)))
            return false;
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
