/*
 * device.h - the CUDA device that a program runs on: what it is and what a kernel gets of it.
 */
#ifndef COMMON_DEVICE_H
#define COMMON_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <cuda_runtime_api.h>

#include "occupancy.h"
#include "rows/result.h"

typedef struct device {
    int index;
    bool emulated; /* the kernels run on the CPU: their times say nothing about a GPU */
    struct cudaDeviceProp properties;
    int driver_version, runtime_version; /* 13000 for 13.0 */
} device;

/* Makes device `first`, which may be bad input, the current one; of several ranks on a node each
 * takes one of those from there on. */
device device_open(int first);

/*
 * The mangled name of a kernel, given by its address on the host; NULL if it cannot be told. Asks
 * the runtime (CUDA 12.3 and later), which needs a GPU; on the CPU backend the dynamic symbols,
 * which the program must be linked to keep (-rdynamic).
 */
const char *device_kernel_symbol(const void *kernel);

/* What the compiler gave a kernel. */
typedef struct kernel_figures {
    int registers;         /* per thread */
    int shared_bytes;      /* per block, what the kernel declares: without dynamic shared memory */
    int local_bytes;       /* per thread: spills and arrays indexed at run time */
    int constant_bytes;    /* that the kernel's module declares */
    char architecture[16]; /* that it was compiled for, "sm_90a" */
} kernel_figures;

/* What the binary holds for the current device, by cudaFuncGetAttributes. */
kernel_figures device_kernel_figures(const void *kernel);

/* What nvidia-smi says of the device at the moment; -1 and empty texts for what it does not say. */
typedef struct device_state {
    int sm_clock_mhz, sm_clock_max_mhz, memory_clock_max_mhz;
    int power_limit_w;        /* that the driver holds the board to */
    char ecc[16], driver[32]; /* "Enabled", "580.65.06" */
} device_state;

/* Asks nvidia-smi, where there is one; nothing is known of an emulated device. */
device_state device_state_now(const device *d);

/*
 * How many such blocks the device holds at once by the runtime's occupancy calculator, and what
 * keeps it from holding more, by occupancy.h.
 */
occupancy device_occupancy(const device *d, const void *kernel, const kernel_figures *figures,
                           int threads, size_t dynamic_shared_bytes);

/*
 * Can the device launch this kernel with this block? If not, the reason says why. Raises the
 * kernel's limit of dynamic shared memory where it needs more than the default 48 KiB.
 */
bool device_can_launch(const device *d, const void *kernel, dim3 block, size_t dynamic_shared_bytes,
                       char reason[RESULT_TEXT]);

#endif
