#define _GNU_SOURCE /* popen, dladdr, strsep */

#include "device.h"
#include "launching.h"
#include "process/cuda_check.h"
#include "process/die.h"
#include "process/ranks.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* On the CPU all ranks share the one that is not there. */
static int own_device(int first, int count)
{
#ifdef CUDA_ON_CPU
    (void)count;
    return first;
#else
    ranks_need_devices(first, count);
    return first + ranks_now().local;
#endif
}

device device_open(int first)
{
    device d;
    int count = 0;
    memset(&d, 0, sizeof d);
    CUDA_CHECK(cudaGetDeviceCount(&count));
    if (first >= count)
        die_bad_input("--device %d: there %s %d device%s, counted from 0", first,
                      count == 1 ? "is" : "are", count, count == 1 ? "" : "s");
    int index = own_device(first, count);
    CUDA_CHECK(cudaSetDevice(index));
    CUDA_CHECK(cudaGetDeviceProperties(&d.properties, index));
    CUDA_CHECK(cudaDriverGetVersion(&d.driver_version));
    CUDA_CHECK(cudaRuntimeGetVersion(&d.runtime_version));
    d.index = index;
#ifdef CUDA_ON_CPU
    d.emulated = true;
#endif
    return d;
}

/* ---- what nvidia-smi says ------------------------------------------------------------------- */

/* Its answer, one line of `a, b, c`; empty where it has none. */
static void ask_nvidia_smi(const device *d, char *line, int bytes)
{
    char bus_id[32], command[256];
    line[0] = '\0';
    if (d->emulated)
        return;
    if (cudaDeviceGetPCIBusId(bus_id, sizeof bus_id, d->index) != cudaSuccess) {
        (void)cudaGetLastError(); /* handled here; no launch is to be blamed for it */
        return;
    }
    snprintf(command, sizeof command,
             "nvidia-smi --query-gpu=clocks.sm,clocks.max.sm,clocks.max.memory,power.limit,"
             "ecc.mode.current,driver_version --format=csv,noheader,nounits -i '%s' 2>/dev/null",
             bus_id);
    FILE *pipe = popen(command, "r");
    bool is_read = pipe && fgets(line, bytes, pipe);
    if (pipe && (pclose(pipe) != 0 || !is_read))
        line[0] = '\0';
}

/* A whole number, the nearest; -1 for "[N/A]" and the like. */
static int number_in(const char *text)
{
    char *end;
    double number = strtod(text, &end);
    return end > text && number >= 0 && number < INT_MAX ? (int)(number + 0.5) : -1;
}

/* The next field of an answer; empty if it is "[N/A]" or missing. */
static const char *next_field(char **rest)
{
    char *field = strsep(rest, ",");
    if (!field)
        return "";
    field += strspn(field, " ");
    field[strcspn(field, " \r\n")] = '\0';
    return field[0] == '[' ? "" : field;
}

device_state device_state_now(const device *d)
{
    char line[256], *rest = line;
    device_state s;
    ask_nvidia_smi(d, line, sizeof line);
    s.sm_clock_mhz = number_in(next_field(&rest));
    s.sm_clock_max_mhz = number_in(next_field(&rest));
    s.memory_clock_max_mhz = number_in(next_field(&rest));
    s.power_limit_w = number_in(next_field(&rest));
    snprintf(s.ecc, sizeof s.ecc, "%s", next_field(&rest));
    snprintf(s.driver, sizeof s.driver, "%s", next_field(&rest));
    return s;
}

/* ---- occupancy ------------------------------------------------------------------------------ */

const char *device_kernel_symbol(const void *kernel)
{
#if defined(CUDA_ON_CPU) || CUDART_VERSION < 12030
    Dl_info found;
    if (dladdr(kernel, &found) && found.dli_sname && found.dli_saddr == kernel)
        return found.dli_sname;
#else /* nvcc hides kernels from the linker */
    const char *name;
    if (cudaFuncGetName(&name, kernel) == cudaSuccess)
        return name;
    (void)cudaGetLastError(); /* handled here: it has no name */
#endif
    return NULL;
}

kernel_figures device_kernel_figures(const void *kernel)
{
    struct cudaFuncAttributes a;
    CUDA_CHECK(cudaFuncGetAttributes(&a, kernel));
    kernel_figures f = {.registers = a.numRegs,
                        .shared_bytes = (int)a.sharedSizeBytes,
                        .local_bytes = (int)a.localSizeBytes,
                        .constant_bytes = (int)a.constSizeBytes};
    snprintf(f.architecture, sizeof f.architecture, "sm_%d", a.binaryVersion);
    return f;
}

occupancy device_occupancy(const device *d, const void *kernel, const kernel_figures *figures,
                           int threads, size_t dynamic_shared_bytes)
{
    occupancy o;
    int blocks;
    size_t shared_bytes = (size_t)figures->shared_bytes + dynamic_shared_bytes;
    (void)occupancy_of(&d->properties, figures->registers, shared_bytes, threads, &o);
    /* of the number of blocks the runtime's word counts, not the header's */
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads,
                                                             dynamic_shared_bytes));
    occupancy_set_blocks(&o, &d->properties, threads, blocks);
    return o;
}

bool device_can_launch(const device *d, const void *kernel, dim3 block, size_t dynamic_shared_bytes,
                       char reason[RESULT_TEXT])
{
    struct cudaFuncAttributes a = {.maxThreadsPerBlock = INT_MAX};
    int threads = (int)(block.x * block.y * block.z);
    size_t available = d->properties.sharedMemPerBlockOptin;
    if (!d->emulated)
        CUDA_CHECK(cudaFuncGetAttributes(&a, kernel));
    if (threads > a.maxThreadsPerBlock) {
        snprintf(reason, RESULT_TEXT,
                 "%d threads are more than the %d its registers leave room for", threads,
                 a.maxThreadsPerBlock);
        return false;
    }
    if (a.sharedSizeBytes + dynamic_shared_bytes > available) {
        snprintf(reason, RESULT_TEXT, "%zu bytes of shared memory are more than the device's %zu",
                 a.sharedSizeBytes + dynamic_shared_bytes, available);
        return false;
    }
    if (dynamic_shared_bytes > DEFAULT_SHARED_BYTES)
        /* all there is: another block's case must not lower what this one needs */
        CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        (int)(available - a.sharedSizeBytes)));
    return true;
}
