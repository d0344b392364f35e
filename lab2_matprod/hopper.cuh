/*
 * hopper.cuh - what compute capability 9.0 has for products of matrices, a PTX instruction a
 * function: barriers in shared memory, the bulk copies that arrive at them (TMA), blocks in a
 * cluster, and products of matrices that lie in shared memory, by a group of four warps (wgmma);
 * what lab 4 has of them, too, is in common/wgmma.cuh.
 * (PTX ISA, "mbarrier", "cp.async.bulk.tensor", "wgmma"; CUTLASS spells the same instructions.)
 *
 * wgmma is of sm_90a alone, no later card has it: kernels have a body in HOPPER_CODE only, and
 * elsewhere none, which hopper_refuses() tells of them.
 */
#ifndef LAB2_HOPPER_CUH
#define LAB2_HOPPER_CUH

#include <cuda_runtime.h>

#include "wgmma.cuh"

/* Does the toolkit know tensor maps and how to ask for the driver's calls? */
#if !defined CUDA_ON_CPU && CUDART_VERSION >= 12050
#define HAVE_HOPPER 1
#endif

#ifdef HAVE_HOPPER
#include <cuda.h>
#include <cuda_fp16.h>
#include <stdint.h>
#include <string.h>

#include "cuda_check.h"

/* ---- late comers ---------------------------------------------------------------------------- */

/*
 * With -DJITTER a warp that has met others goes on late, by up to two microseconds: what works only
 * because somebody always comes first then fails. matprod.t builds it so, too.
 */
__device__ inline void dawdle()
{
#ifdef JITTER
    unsigned now;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(now));
    __nanosleep((now + threadIdx.x / 32 * 40503u) * 2654435761u >> 21);
#endif
}

/* ---- barriers ------------------------------------------------------------------------------- */

/*
 * A barrier has a phase, 0 or 1. It ends when so many threads have arrived and so many bytes have
 * been copied as were announced; wait_for(b, 0) returns once phase 0 has ended. Of a new barrier
 * phase 1 counts as ended: who waits for a slot to become free passes the first time.
 */
__device__ inline void barrier_create(uint32_t barrier, uint32_t arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals)
                 : "memory");
}

/* New barriers are there for the copy engine and for the cluster's other blocks, too. */
__device__ inline void barriers_created()
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

/*
 * Arrives at the barrier that lies at the same place in another block of the cluster. Without
 * .release: who arrives here has read, and has written nothing that somebody must see. (With it the
 * whole product took a fifth longer.)
 */
__device__ inline void barrier_arrive(uint32_t barrier, uint32_t rank)
{
    asm volatile("{ .reg .b32 there;\n"
                 "  mapa.shared::cluster.u32 there, %0, %1;\n"
                 "  mbarrier.arrive.shared::cluster.b64 _, [there]; }" ::"r"(barrier),
                 "r"(rank)
                 : "memory");
}

/* Waits; what would hang, through a mistake in phases or bytes, is an error after seconds. */
__device__ inline void barrier_wait(uint32_t barrier, uint32_t phase)
{
    uint32_t ended = 0;
    for (uint32_t tries = 0; !ended; tries++) {
        asm volatile("{ .reg .pred p;\n"
                     "  mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
                     "  selp.u32 %0, 1, 0, p; }"
                     : "=r"(ended)
                     : "r"(barrier), "r"(phase)
                     : "memory");
        if (tries > 4u * 1000 * 1000)
            __trap();
    }
    dawdle();
}

/* __syncthreads() for some of a block's warps, `threads` in all; barrier 0 is everyone's. */
__device__ inline void named_barrier(int number, int threads)
{
    asm volatile("barrier.sync %0, %1;" ::"r"(number), "r"(threads) : "memory");
    dawdle();
}

/* ---- warps ---------------------------------------------------------------------------------- */

__device__ inline unsigned warp_or(unsigned bits)
{
    unsigned all;
    asm volatile("redux.sync.or.b32 %0, %1, -1;" : "=r"(all) : "r"(bits));
    return all;
}

__device__ inline unsigned warp_largest(unsigned value)
{
    unsigned largest;
    asm volatile("redux.sync.max.u32 %0, %1, -1;" : "=r"(largest) : "r"(value));
    return largest;
}

__device__ inline int warp_sum(int value)
{
    int sum;
    asm volatile("redux.sync.add.s32 %0, %1, -1;" : "=r"(sum) : "r"(value));
    return sum;
}

/* ---- clusters ------------------------------------------------------------------------------- */

__device__ inline uint32_t cluster_rank()
{
    uint32_t rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

__device__ inline uint32_t cluster_blocks()
{
    uint32_t blocks;
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
    return blocks;
}

/* All threads of all blocks of the cluster: what they wrote to shared memory is there for all. */
__device__ inline void cluster_arrive()
{
    asm volatile("barrier.cluster.arrive.release;" ::: "memory");
}

__device__ inline void cluster_wait()
{
    asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
    dawdle();
}

__device__ inline void cluster_sync()
{
    cluster_arrive();
    cluster_wait();
}

/* All have come this far, and nothing more: what they wrote need not be there. */
__device__ inline void cluster_meet()
{
    asm volatile("barrier.cluster.arrive.relaxed;\n"
                 "barrier.cluster.wait;" ::
                     : "memory");
}

/* Where an address of shared memory lies in the cluster's block `rank`. */
__device__ inline uint32_t cluster_address(uint32_t address, uint32_t rank)
{
    uint32_t there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
    return there;
}

__device__ inline void cluster_store(uint32_t there, uint32_t value)
{
    asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(there), "r"(value) : "memory");
}

__device__ inline float4 cluster_load4(uint32_t there)
{
    float4 v;
    asm volatile("ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                 : "r"(there)
                 : "memory");
    return v;
}

__device__ inline float shared_load(uint32_t from)
{
    float value;
    asm volatile("ld.shared.f32 %0, [%1];" : "=f"(value) : "r"(from) : "memory");
    return value;
}

__device__ inline void shared_store(uint32_t to, float value)
{
    asm volatile("st.shared.f32 [%0], %1;" ::"r"(to), "f"(value) : "memory");
}

__device__ inline void shared_store4(uint32_t to, const float *from)
{
    asm volatile("st.shared.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(to), "f"(from[0]), "f"(from[1]),
                 "f"(from[2]), "f"(from[3])
                 : "memory");
}

/* ---- copies --------------------------------------------------------------------------------- */

/* The map's box at element x of line y, to shared memory; zeros for what lies beyond the matrix. */
__device__ inline void copy_box(uint32_t to, const CUtensorMap *map, uint32_t barrier, int x, int y)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
                 " [%0], [%1, {%3, %4}], [%2];" ::"r"(to),
                 "l"(map), "r"(barrier), "r"(x), "r"(y)
                 : "memory");
}

/* The same to all blocks of the mask, at the same place in each, whose barriers count the bytes. */
__device__ inline void copy_box_to(uint32_t blocks, uint32_t to, const CUtensorMap *map,
                                   uint32_t barrier, int x, int y)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
                 ".multicast::cluster [%0], [%1, {%3, %4}], [%2], %5;" ::"r"(to),
                 "l"(map), "r"(barrier), "r"(x), "r"(y), "h"((uint16_t)blocks)
                 : "memory");
}

/* A box of shared memory back to the matrix, but for what lies beyond it; in the thread's group. */
__device__ inline void store_box(const CUtensorMap *map, uint32_t from, int x, int y)
{
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group"
                 " [%0, {%2, %3}], [%1];" ::"l"(map),
                 "r"(from), "r"(x), "r"(y)
                 : "memory");
}

/* Those since the last such call are a group. */
__device__ inline void stores_end()
{
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

/* The boxes of all the thread's groups but the last PENDING ones have been read. */
template <int PENDING>
__device__ inline void stores_have_read()
{
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(PENDING) : "memory");
}

/* What this thread has written to shared memory is there for the copy engine. */
__device__ inline void show_to_copies()
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/* ---- a ring of stages ----------------------------------------------------------------------- */

enum { GROUP = 128 }; /* threads of a warpgroup */

/* Where a block stands in the ring of stages; a stage has a barrier for full and one for empty. */
typedef struct ring {
    uint32_t stages, full, empty; /* addresses of the first ones */
    int stage, phase;
} ring;

__device__ inline void create_ring(const ring *r, int stages, int releases)
{
    for (int i = 0; i < stages; i++) {
        barrier_create(r->full + 8 * i, 1);
        barrier_create(r->empty + 8 * i, releases);
    }
    barriers_created();
}

__device__ inline void ring_advance(ring *r, int by, int stages)
{
    r->stage += by;
    if (r->stage == stages) {
        r->stage = 0;
        r->phase ^= 1;
    }
}

/* ---- kernels that follow one another -------------------------------------------------------- */

/* The next kernel of the stream may be set up while this one still works. */
__device__ inline void next_kernel_may_start()
{
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}

/* The one before is done, and what it wrote is there. */
__device__ inline void wait_for_kernel_before()
{
    asm volatile("griddepcontrol.wait;" ::: "memory");
}

/* ---- products ------------------------------------------------------------------------------- */

/* Hands registers back, or takes more: a warp that only copies needs few. */
template <int REGISTERS>
__device__ inline void give_registers()
{
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(REGISTERS));
}

template <int REGISTERS>
__device__ inline void take_registers()
{
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(REGISTERS));
}

/*
 * What wgmma is told of a tile whose rows, of consecutive k, are 128 bytes long and lie one after
 * the other, in the order that the copy with a swizzle of 128 bytes leaves them in: the address in
 * units of 16 bytes in bits 0 to 13; 1 in bits 16 to 29, of no account here; 1024 bytes from one
 * group of 8 rows to the next, in units of 16, in bits 32 to 45; 1, this swizzle, in bits 62 to 63.
 * The tile starts at a multiple of 1024 bytes. The swizzle works on addresses, so that whoever
 * wants the next 32 bytes of k adds 2, and the next 64 rows are 512 further on.
 */
__device__ inline uint64_t tile_descriptor(uint32_t address)
{
    return (uint64_t)((address & 0x3FFFF) >> 4) | 1ull << 16 | 64ull << 32 | 1ull << 62;
}

enum { NEXT_32_BYTES = 2, NEXT_ROW_OF_128_BYTES = 8 };

/* For asm, sums of a type's kind of registers, "+f" or "+r". */
#define SUMS_4(type, d, i) type(d[i]), type(d[i + 1]), type(d[i + 2]), type(d[i + 3])
#define SUMS_16(type, d, i)                                                                        \
    SUMS_4(type, d, i), SUMS_4(type, d, i + 4), SUMS_4(type, d, i + 8), SUMS_4(type, d, i + 12)
#define SUMS_64(type, d, i)                                                                        \
    SUMS_16(type, d, i), SUMS_16(type, d, i + 16), SUMS_16(type, d, i + 32),                       \
        SUMS_16(type, d, i + 48)
#define NAMES_64                                                                                   \
    "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,"   \
    "%25,%26,%27,%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47," \
    "%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63"
#define NAMES_128                                                                                  \
    NAMES_64                                                                                       \
    ",%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76,%77,%78,%79,%80,%81,%82,%83,%84,%85,"    \
    "%86,%87,%88,%89,%90,%91,%92,%93,%94,%95,%96,%97,%98,%99,%100,%101,%102,%103,%104,%105,%106,"  \
    "%107,%108,%109,%110,%111,%112,%113,%114,%115,%116,%117,%118,%119,%120,%121,%122,%123,%124,"   \
    "%125,%126,%127"

/*
 * d = A B, or d += A B where `add` is not 0: A has 64 rows, B 128 columns, k is 16, of FP16. All
 * four warps of a group call it. Warp w of it has rows 16 w to 16 w + 15: d[4 j + 2 i + c] of lane
 * l is the sum of row 16 w + 8 i + l / 4 and column 8 j + 2 (l % 4) + c.
 */
__device__ inline void multiply_fp16(float (&d)[64], uint64_t a, uint64_t b, int add)
{
    asm volatile("{ .reg .pred p;\n"
                 "  setp.ne.b32 p, %66, 0;\n"
                 "  wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {" NAMES_64 "},\n"
                 "    %64, %65, p, 1, 1, 0, 0; }"
                 : SUMS_64("+f", d, 0)
                 : "l"(a), "l"(b), "r"(add));
}

/* The same of signed 8-bit integers, k being 32, and always added: d += A B. */
__device__ inline void multiply_int8(int (&d)[64], uint64_t a, uint64_t b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n128k32.s32.s8.s8 {" NAMES_64 "}, %64, %65, 1;"
                 : SUMS_64("+r", d, 0)
                 : "l"(a), "l"(b));
}

/*
 * d = A B or d += A B of TF32 for 256 columns and k of 8, A from registers: a[0] of lane l is the
 * number of row 16 w + l / 4 and k = l % 4, a[1] that 8 rows further down, a[2] and a[3] those for
 * k + 4.
 */
__device__ inline void multiply_tf32(float (&d)[128], const uint32_t (&a)[4], uint64_t b, int add)
{
    asm volatile("{ .reg .pred p;\n"
                 "  setp.ne.b32 p, %133, 0;\n"
                 "  wgmma.mma_async.sync.aligned.m64n256k8.f32.tf32.tf32 {" NAMES_128 "},\n"
                 "    {%128, %129, %130, %131}, %132, p, 1, 1; }"
                 : SUMS_64("+f", d, 0), SUMS_64("+f", d, 64)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(add));
}

/* ---- on the host ---------------------------------------------------------------------------- */

/* Why this build or card cannot run such a kernel, which has static shared memory if it has a body.
 */
static inline const char *hopper_refuses(const void *kernel)
{
    cudaFuncAttributes figures;
    if (cudaFuncGetAttributes(&figures, kernel) == cudaSuccess)
        return figures.sharedSizeBytes ? NULL : "needs code for sm_90a: make ARCH=sm_90a";
    (void)cudaGetLastError(); /* handled here: there is no GPU, or no code for this one */
    return NULL;
}

/* A CUtensorMap, wherever it lies: the type itself wants to be aligned to 64 bytes. */
typedef struct tensor_map {
    unsigned char bytes[sizeof(CUtensorMap)];
} tensor_map;

/*
 * Describes a matrix of `lines` lines to the copy engine: `width` elements a line, FP16 of 2 bytes
 * or FP32 of 4, `pitch` bytes from one to the next (a multiple of 16), boxes of 128 bytes by
 * `box_lines` lines with the swizzle that tile_descriptor() speaks of.
 */
static inline tensor_map tensor_map_of(const void *matrix, size_t element, size_t width,
                                       size_t lines, size_t pitch, int box_lines)
{
    typedef CUresult encode(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *,
                            const cuuint64_t *, const cuuint64_t *, const cuuint32_t *,
                            const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
                            CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
    const CUtensorMapDataType type =
        element == 2 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16 : CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
    const cuuint64_t sizes[] = {width, lines}, pitches[] = {pitch};
    const cuuint32_t box[] = {(cuuint32_t)(128 / element), (cuuint32_t)box_lines}, steps[] = {1, 1};
    cudaDriverEntryPointQueryResult found;
    void *call = NULL;
    CUtensorMap map;
    tensor_map kept;
    CUDA_CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &call, 12000,
                                                cudaEnableDefault, &found));
    CUresult status =
        ((encode *)call)(&map, type, 2, (void *)matrix, sizes, pitches, box, steps,
                         CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                         CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    CUDA_CHECK(status == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue);
    memcpy(kept.bytes, &map, sizeof map);
    return kept;
}

/*
 * Launches a kernel in clusters of `cluster` blocks. It is set up while the kernel before still
 * works, and calls wait_for_kernel_before().
 */
static inline void cluster_launch(const void *kernel, void **arguments, int blocks, int threads,
                                  size_t shared_bytes, int cluster, cudaStream_t stream)
{
    cudaLaunchAttribute attributes[2];
    attributes[0].id = cudaLaunchAttributeClusterDimension;
    attributes[0].val.clusterDim = {(unsigned)cluster, 1, 1};
    attributes[1].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[1].val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((unsigned)blocks);
    config.blockDim = dim3((unsigned)threads);
    config.dynamicSmemBytes = shared_bytes;
    config.stream = stream;
    config.attrs = attributes;
    config.numAttrs = 2;
    CUDA_CHECK(cudaLaunchKernelExC(&config, kernel, arguments));
}

#define HOPPER_KERNEL(...) (const void *)__VA_ARGS__
#else
#define HOPPER_KERNEL(...) NULL
#endif

/* What variants of it have in common: three warpgroups are a block. */
#define HOPPER_ONLY    .architecture = "sm_90a", .own_block = 3 * 128
#define HOPPER_VARIANT .needs = "the tensor cores of a GPU", HOPPER_ONLY
#endif
