#include "occupancy.h"
#include "process/die.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#if defined(__has_include)
#if __has_include(<cuda_occupancy.h>)
#include <cuda_occupancy.h>
#define HAVE_CUDA_OCCUPANCY 1
#endif
#endif

enum { WARP = 32 };

/* ---- cards ---------------------------------------------------------------------------------- */

/*
 * CUDA C++ Programming Guide, "Technical Specifications per Compute Capability": 2.0 from the guide
 * of CUDA 4.2 (appendix F), 3.5 and 3.7 from that of CUDA 11, 5.0 to 7.2 from that of CUDA 12, the
 * others from that of CUDA 13. "reserved" is the kibibyte that the guide's sections on 8.x and
 * later say the system takes of each block. A block has at most 1024 threads, and 48 KiB of shared
 * memory unless it asks for more, `optin`; registers are in units of 1024, shared memory in KiB.
 */
#define CARD(x, y, threads, block_registers, registers, optin, shared, reserved)                   \
    {                                                                                              \
        .major = x, .minor = y, .maxThreadsPerBlock = 1024,                                        \
        .maxThreadsPerMultiProcessor = threads, .regsPerBlock = 1024 * block_registers,            \
        .regsPerMultiprocessor = 1024 * registers, .sharedMemPerBlock = 1024 * 48,                 \
        .sharedMemPerBlockOptin = 1024 * optin, .sharedMemPerMultiprocessor = 1024 * shared,       \
        .reservedSharedMemPerBlock = 1024 * reserved                                               \
    }

static const struct cudaDeviceProp capabilities[] = {
    /* capability, threads, registers a block and in all, shared memory a block and in all */
    CARD(2, 0, 1536, 32, 32, 48, 48, 0),    CARD(3, 5, 2048, 64, 64, 48, 48, 0),
    CARD(3, 7, 2048, 64, 128, 48, 112, 0),  CARD(5, 0, 2048, 64, 64, 48, 64, 0),
    CARD(5, 2, 2048, 64, 64, 48, 96, 0),    CARD(5, 3, 2048, 32, 64, 48, 64, 0),
    CARD(6, 0, 2048, 64, 64, 48, 64, 0),    CARD(6, 1, 2048, 64, 64, 48, 96, 0),
    CARD(6, 2, 2048, 32, 64, 48, 64, 0),    CARD(7, 0, 2048, 64, 64, 96, 96, 0),
    CARD(7, 2, 2048, 64, 64, 96, 96, 0),    CARD(7, 5, 1024, 64, 64, 64, 64, 0),
    CARD(8, 0, 2048, 64, 64, 163, 164, 1),  CARD(8, 6, 1536, 64, 64, 99, 100, 1),
    CARD(8, 7, 1536, 64, 64, 163, 164, 1),  CARD(8, 9, 1536, 64, 64, 99, 100, 1),
    CARD(9, 0, 2048, 64, 64, 227, 228, 1),  CARD(10, 0, 2048, 64, 64, 227, 228, 1),
    CARD(10, 3, 2048, 64, 64, 227, 228, 1), CARD(11, 0, 1536, 64, 64, 227, 228, 1),
    CARD(12, 0, 1536, 64, 64, 99, 100, 1),  CARD(12, 1, 1536, 64, 64, 99, 100, 1),
};

/* developer.nvidia.com/cuda-gpus and its page of legacy GPUs. */
static const struct {
    const char *name, *capability;
} named_cards[] = {
    {"tesla-c2050", "sm_20"},  {"tesla-k40", "sm_35"},    {"tesla-k80", "sm_37"},
    {"gtx-980", "sm_52"},      {"tesla-p100", "sm_60"},   {"gtx-1060", "sm_61"},
    {"gtx-1080", "sm_61"},     {"tesla-v100", "sm_70"},   {"nvidia-t4", "sm_75"},
    {"rtx-2060", "sm_75"},     {"rtx-2080", "sm_75"},     {"nvidia-a100", "sm_80"},
    {"nvidia-a10", "sm_86"},   {"nvidia-a40", "sm_86"},   {"rtx-3060", "sm_86"},
    {"rtx-3090", "sm_86"},     {"jetson-orin", "sm_87"},  {"nvidia-l4", "sm_89"},
    {"nvidia-l40s", "sm_89"},  {"rtx-4060", "sm_89"},     {"rtx-4090", "sm_89"},
    {"nvidia-h100", "sm_90"},  {"nvidia-h200", "sm_90"},  {"nvidia-b200", "sm_100"},
    {"nvidia-b300", "sm_103"}, {"jetson-thor", "sm_110"}, {"rtx-5060", "sm_120"},
    {"rtx-5090", "sm_120"},
};

enum {
    N_CAPABILITIES = sizeof capabilities / sizeof capabilities[0],
    N_NAMED_CARDS = sizeof named_cards / sizeof named_cards[0]
};

/* Also with the suffix of code for this capability alone, or for its family: sm_90a, sm_120f. */
static bool is_capability(const struct cudaDeviceProp *card, const char *name)
{
    char code[16];
    int length = snprintf(code, sizeof code, "sm_%d%d", card->major, card->minor);
    const char *rest = name + length;
    return strncmp(name, code, (size_t)length) == 0 &&
           (!*rest || strcmp(rest, "a") == 0 || strcmp(rest, "f") == 0);
}

/* All legal names. */
static const char *card_names(void)
{
    static char text[1024];
    size_t used = 0;
    for (int i = 0; i < N_CAPABILITIES; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "sm_%d%d, ",
                                 capabilities[i].major, capabilities[i].minor);
    for (int i = 0; i < N_NAMED_CARDS; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", i ? ", " : "",
                                 named_cards[i].name);
    return text;
}

const struct cudaDeviceProp *occupancy_card(const char *name)
{
    const char *code = name;
    for (int i = 0; i < N_NAMED_CARDS; i++)
        if (strcmp(name, named_cards[i].name) == 0)
            code = named_cards[i].capability;
    for (int i = 0; i < N_CAPABILITIES; i++)
        if (is_capability(&capabilities[i], code))
            return &capabilities[i];
    die_bad_input("--occupancy-of: '%s' is none of %s", name, card_names());
}

/* ---- what limits ---------------------------------------------------------------------------- */

/* Bit i stands for the i-th name, in the numbers of cuda_occupancy.h. */
static const char *name_limits(unsigned factors)
{
    static char text[64];
    static const char *const names[] = {"warps", "registers", "shared_memory", "blocks",
                                        "barriers"};
    text[0] = '\0';
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        if (factors & 1U << i) {
            if (text[0])
                strcat(text, "+");
            strcat(text, names[i]);
        }
    return text;
}

/* ---- compute capability 2.x ----------------------------------------------------------------- */

static int round_up(int value, int unit)
{
    return (value + unit - 1) / unit * unit;
}

/*
 * Fermi's rules, from the CUDA Occupancy Calculator (the spreadsheet of CUDA 4.x, sheet "GPU Data")
 * and from cuda_occupancy.h of CUDA 6.5 to 8, the last that knew 2.x. At most 8 blocks; at most 63
 * registers a thread; a warp's registers come in units of 64 and from one half of the register
 * file, each half serving one of the two schedulers, so that warps are had in pairs (the
 * spreadsheet's warp allocation granularity of 2); shared memory comes in units of 128 bytes.
 */
static int fermi_blocks(const struct cudaDeviceProp *card, int registers, size_t shared_bytes,
                        int threads, unsigned *factors)
{
    enum {
        BLOCKS = 8,
        REGISTERS_PER_THREAD = 63,
        REGISTER_UNIT = 64,
        SHARED_UNIT = 128,
        HALVES = 2
    };
    int warps = (threads + WARP - 1) / WARP;
    int per_warp = round_up(registers * WARP, REGISTER_UNIT);
    int blocks = BLOCKS;
    int limits[4] = {card->maxThreadsPerMultiProcessor / WARP / warps, INT_MAX, INT_MAX, BLOCKS};
    if (threads > card->maxThreadsPerBlock)
        limits[0] = 0;
    if (registers > REGISTERS_PER_THREAD || per_warp * round_up(warps, HALVES) > card->regsPerBlock)
        limits[1] = 0;
    else if (registers > 0)
        limits[1] = card->regsPerMultiprocessor / HALVES / per_warp * HALVES / warps;
    if (shared_bytes > card->sharedMemPerBlock)
        limits[2] = 0;
    else if (shared_bytes > 0)
        limits[2] =
            (int)card->sharedMemPerMultiprocessor / round_up((int)shared_bytes, SHARED_UNIT);
    for (int i = 0; i < 4; i++)
        blocks = limits[i] < blocks ? limits[i] : blocks;
    for (int i = 0; i < 4; i++)
        if (limits[i] == blocks)
            *factors |= 1U << i;
    return blocks;
}

/* ---- compute capability 3.5 and later ------------------------------------------------------- */

/* Returns as occupancy_of() does. */
static const char *toolkit_blocks(const struct cudaDeviceProp *card, int registers,
                                  size_t shared_bytes, int threads, int *blocks, unsigned *factors)
{
#ifdef HAVE_CUDA_OCCUPANCY
    cudaOccDeviceProp properties = {
        .computeMajor = card->major,
        .computeMinor = card->minor,
        .maxThreadsPerBlock = card->maxThreadsPerBlock,
        .maxThreadsPerMultiprocessor = card->maxThreadsPerMultiProcessor,
        .regsPerBlock = card->regsPerBlock,
        .regsPerMultiprocessor = card->regsPerMultiprocessor,
        .warpSize = WARP,
        .sharedMemPerBlock = card->sharedMemPerBlock,
        .sharedMemPerMultiprocessor = card->sharedMemPerMultiprocessor,
        .numSms = 1,
        .sharedMemPerBlockOptin = card->sharedMemPerBlockOptin,
        .reservedSharedMemPerBlock = card->reservedSharedMemPerBlock,
    };
    cudaOccFuncAttributes attributes = {
        .maxThreadsPerBlock = INT_MAX,
        .numRegs = registers,
        .partitionedGCConfig = PARTITIONED_GC_OFF,
        .shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN,
        .maxDynamicSharedSizeBytes = card->sharedMemPerBlockOptin,
        .numBlockBarriers = 1,
    };
    /* In C a zero would stand for the least shared memory, SHAREDMEM_CARVEOUT_MAX_L1. */
    cudaOccDeviceState state = {.cacheConfig = CACHE_PREFER_NONE,
                                .carveoutConfig = SHAREDMEM_CARVEOUT_DEFAULT};
    cudaOccResult found;
    cudaOccError status = cudaOccMaxActiveBlocksPerMultiprocessor(&found, &properties, &attributes,
                                                                  &state, threads, shared_bytes);
    if (status != CUDA_OCC_SUCCESS)
        return "this CUDA Toolkit's cuda_occupancy.h does not know the card";
    *blocks = found.activeBlocksPerMultiprocessor;
    *factors = found.limitingFactors;
    return NULL;
#else
    (void)card, (void)registers, (void)shared_bytes, (void)threads, (void)blocks, (void)factors;
    return "this build lacks cuda_occupancy.h, which comes with the CUDA Toolkit";
#endif
}

/* ---- both ----------------------------------------------------------------------------------- */

void occupancy_set_blocks(occupancy *o, const struct cudaDeviceProp *card, int threads, int blocks)
{
    o->blocks_per_sm = blocks;
    o->warps_per_sm = blocks * ((threads + WARP - 1) / WARP);
    o->threads_per_sm = o->warps_per_sm * WARP;
    o->share = (double)o->threads_per_sm / card->maxThreadsPerMultiProcessor;
}

const char *occupancy_of(const struct cudaDeviceProp *card, int registers, size_t shared_bytes,
                         int threads, occupancy *result)
{
    int blocks = -1;
    unsigned factors = 0;
    const char *reason = NULL;
    *result = (occupancy){-1, -1, -1, NAN, ""};
    if (threads < 1 || registers < 0)
        return "a block has at least 1 thread, a thread at least 0 registers";
    if (shared_bytes > INT_MAX / 2)
        shared_bytes = INT_MAX / 2; /* too much for any card, and the rules count in int */
    if (registers > UINT16_MAX)
        registers = UINT16_MAX; /* the same */
    if (card->major == 2)
        blocks = fermi_blocks(card, registers, shared_bytes, threads, &factors);
    else
        reason = toolkit_blocks(card, registers, shared_bytes, threads, &blocks, &factors);
    if (reason)
        return reason;
    occupancy_set_blocks(result, card, threads, blocks);
    result->limiter = name_limits(factors);
    return NULL;
}
