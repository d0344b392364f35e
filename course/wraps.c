/*
 * wraps.c - in the judge's programs for a GPU stands between launches and the CUDA runtime (ld's
 * --wrap): what is for one of the lab's own kernels goes to the one that was handed in
 * (measure/handed_in.h), and constants to those of its file, where it has them.
 */
#include "measure/handed_in.h"

const bool handed_in_wrapped = true;

static const void *other(const void *own)
{
    cudaKernel_t kernel = handed_in_kernel(own);
    return kernel ? (const void *)kernel : own;
}

/* A launch that goes to the file's kernel is as the part declares it. */
static void reshape(bool of_file, dim3 *grid, dim3 block, size_t *shared_bytes)
{
    if (of_file)
        handed_in_reshape(grid, block, shared_bytes);
}

/* real and wrapped: NAME(PARAMETERS) does FIRST, then calls the real one with these ARGUMENTS. */
#define WRAP(name, parameters, first, arguments)                                                   \
    cudaError_t __real_##name parameters;                                                          \
    cudaError_t __wrap_##name parameters;                                                          \
    cudaError_t __wrap_##name parameters                                                           \
    {                                                                                              \
        first;                                                                                     \
        return __real_##name arguments;                                                            \
    }

WRAP(__cudaLaunchKernel,
     (cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments, size_t shared_bytes,
      cudaStream_t stream),
     reshape(handed_in_by_handle(kernel) != kernel, &grid, block, &shared_bytes),
     (handed_in_by_handle(kernel), grid, block, arguments, shared_bytes, stream))
WRAP(cudaLaunchKernel,
     (const void *kernel, dim3 grid, dim3 block, void **arguments, size_t shared_bytes,
      cudaStream_t stream),
     reshape(other(kernel) != kernel, &grid, block, &shared_bytes),
     (other(kernel), grid, block, arguments, shared_bytes, stream))
WRAP(cudaLaunchCooperativeKernel,
     (const void *kernel, dim3 grid, dim3 block, void **arguments, size_t shared_bytes,
      cudaStream_t stream),
     reshape(other(kernel) != kernel, &grid, block, &shared_bytes),
     (other(kernel), grid, block, arguments, shared_bytes, stream))
WRAP(cudaLaunchKernelExC, (const cudaLaunchConfig_t *config, const void *kernel, void **arguments),
     cudaLaunchConfig_t own = *config;
     reshape(other(kernel) != kernel, &own.gridDim, own.blockDim, &own.dynamicSmemBytes),
     (&own, other(kernel), arguments))
WRAP(cudaFuncSetAttribute, (const void *kernel, enum cudaFuncAttribute attribute, int value),
     if (other(kernel) != kernel && attribute == cudaFuncAttributeMaxDynamicSharedMemorySize)
         value = handed_in_shared_limit(value),
     (other(kernel), attribute, value))
WRAP(cudaFuncGetAttributes, (struct cudaFuncAttributes * attributes, const void *kernel), ,
     (attributes, other(kernel)))
WRAP(cudaOccupancyMaxActiveBlocksPerMultiprocessor,
     (int *blocks, const void *kernel, int threads, size_t shared_bytes), ,
     (blocks, other(kernel), threads, shared_bytes))

/* ---- constants ------------------------------------------------------------------------------ */

enum { MOST = 256 };

static struct {
    const void *own;
    const char *name;
} variables[MOST];
static int n_variables;

void __real___cudaRegisterVar(void **library, char *own, char *address, const char *name,
                              int is_extern, size_t bytes, int constant, int global);
void __wrap___cudaRegisterVar(void **library, char *own, char *address, const char *name,
                              int is_extern, size_t bytes, int constant, int global);
void __wrap___cudaRegisterVar(void **library, char *own, char *address, const char *name,
                              int is_extern, size_t bytes, int constant, int global)
{
    if (n_variables < MOST) {
        variables[n_variables].own = own;
        variables[n_variables++].name = name;
    }
    __real___cudaRegisterVar(library, own, address, name, is_extern, bytes, constant, global);
}

cudaError_t __real_cudaMemcpyToSymbolAsync(const void *symbol, const void *source, size_t bytes,
                                           size_t offset, enum cudaMemcpyKind kind,
                                           cudaStream_t stream);
cudaError_t __wrap_cudaMemcpyToSymbolAsync(const void *symbol, const void *source, size_t bytes,
                                           size_t offset, enum cudaMemcpyKind kind,
                                           cudaStream_t stream);
cudaError_t __wrap_cudaMemcpyToSymbolAsync(const void *symbol, const void *source, size_t bytes,
                                           size_t offset, enum cudaMemcpyKind kind,
                                           cudaStream_t stream)
{
    for (int i = 0; i < n_variables; i++) {
        char *there = variables[i].own == symbol ? handed_in_variable(variables[i].name) : NULL;
        if (there)
            return cudaMemcpyAsync(there + offset, source, bytes,
                                   kind == cudaMemcpyDeviceToDevice ? kind : cudaMemcpyHostToDevice,
                                   stream);
    }
    return __real_cudaMemcpyToSymbolAsync(symbol, source, bytes, offset, kind, stream);
}
