/*
 * wgmma.cuh - products of matrices on the tensor cores of compute capability 9.0, by a warpgroup of
 * four warps, from shared memory (PTX ISA, "wgmma"; CUTLASS spells the same instructions). They are
 * of sm_90a alone (hopper.cuh). Not for CUDA on the CPU.
 *
 * D has 64 rows. Lane l of the group's warp w has in d[4 j + 2 i + c] the sum of row
 * 16 w + 8 i + l / 4 and column 8 j + 2 (l % 4) + c.
 */
#ifndef COMMON_WGMMA_CUH
#define COMMON_WGMMA_CUH

#include "hopper.cuh"
#include "shared_memory.cuh"

constexpr int WARPGROUP = 128; /* threads */

#ifndef CUDA_ON_CPU

/* Makes sure that registers that wgmma reads or adds to are written; it comes next. */
__device__ inline void wgmma_fence()
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

/* Commits the products issued since the last commit as a group. */
__device__ inline void wgmma_commit_group()
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

/* Waits until all groups but the last PENDING ones are done. */
template <int PENDING>
__device__ inline void wgmma_wait_group()
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(PENDING) : "memory");
}

/* ---- operands ------------------------------------------------------------------------------- */

/* Returns a number that all lanes of a warp have alike, and lets the compiler know: descriptors
 * made of it are in uniform registers, as wgmma wants them, and need not be brought there each
 * time. */
__device__ inline int warp_uniform(int x)
{
    return __shfl_sync(~0u, x, 0);
}

/*
 * Describes a tile whose rows, of consecutive k, are 128 bytes long and lie one after the other, in
 * the order that the copy with a swizzle of 128 bytes leaves them in: the address in units of 16
 * bytes in bits 0 to 13; 1 in bits 16 to 29, of no account here; 1024 bytes from one group of 8
 * rows to the next, in units of 16, in bits 32 to 45; 1, this swizzle, in bits 62 to 63. The tile
 * starts at a multiple of 1024 bytes. The swizzle works on addresses, so that whoever wants the
 * next 32 bytes of k adds 2, and the next 64 rows are 512 further on.
 *
 * Or a tile of B whose rows are k: 128 bytes of consecutive columns each, `next_columns` bytes from
 * these to those of the next columns, which bits 16 to 29 tell in units of 16.
 */
__device__ inline uint64_t wgmma_swizzled(uint32_t address, uint32_t next_columns = 16)
{
    return (uint64_t)((address & 0x3FFFF) >> 4) | (uint64_t)(next_columns / 16) << 16 |
           64ull << 32 | 1ull << 62;
}

enum { NEXT_32_BYTES = 2, NEXT_ROW_OF_128_BYTES = 8 };

/*
 * Describes an operand without a swizzle, in units of 16 bytes: its address, the way to the next 16
 * of k, and that to the next 8 rows of A or columns of B.
 */
__device__ inline uint64_t wgmma_plain(uint32_t address, uint32_t next_k, uint32_t next_rows)
{
    return (uint64_t)(address & 0x3FFF) | (uint64_t)next_k << 16 | (uint64_t)next_rows << 32;
}

/* ---- products ------------------------------------------------------------------------------- */

/* For asm, sums of a type's kind of registers, "+f" or "+r", and their names. */
#define SUMS_4(type, d, i) type(d[i]), type(d[i + 1]), type(d[i + 2]), type(d[i + 3])
#define SUMS_16(type, d, i)                                                                        \
    SUMS_4(type, d, i), SUMS_4(type, d, i + 4), SUMS_4(type, d, i + 8), SUMS_4(type, d, i + 12)
#define SUMS_48(type, d, i) SUMS_16(type, d, i), SUMS_16(type, d, i + 16), SUMS_16(type, d, i + 32)
#define SUMS_64(type, d, i) SUMS_48(type, d, i), SUMS_16(type, d, i + 48)
#define NAMES_48                                                                                   \
    "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,"   \
    "%25,%26,%27,%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47"
#define NAMES_64 NAMES_48 ",%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63"
#define NAMES_128                                                                                  \
    NAMES_64                                                                                       \
    ",%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76,%77,%78,%79,%80,%81,%82,%83,%84,%85,"    \
    "%86,%87,%88,%89,%90,%91,%92,%93,%94,%95,%96,%97,%98,%99,%100,%101,%102,%103,%104,%105,%106,"  \
    "%107,%108,%109,%110,%111,%112,%113,%114,%115,%116,%117,%118,%119,%120,%121,%122,%123,%124,"   \
    "%125,%126,%127"

/*
 * Waits for all groups but the last PENDING ones, and says so of the sums that they make: no
 * compiler may read one before.
 */
template <int PENDING = 0>
__device__ inline void wgmma_wait_for(float (&d)[64])
{
    asm volatile("wgmma.wait_group.sync.aligned %64;"
                 : SUMS_64("+f", d, 0)
                 : "n"(PENDING)
                 : "memory");
}

__device__ inline void wgmma_wait_for(float (&d)[128])
{
    asm volatile("wgmma.wait_group.sync.aligned 0;"
                 : SUMS_64("+f", d, 0), SUMS_64("+f", d, 64)::"memory");
}

__device__ inline void wgmma_wait_for(int (&d)[64])
{
    asm volatile("wgmma.wait_group.sync.aligned 0;" : SUMS_64("+r", d, 0)::"memory");
}

/* Makes d = A B, or d += A B where `add` is not 0, of FP16: 128 columns, k of 16. */
__device__ inline void wgmma_m64n128k16_f16(float (&d)[64], uint64_t a, uint64_t b, int add)
{
    asm volatile("{ .reg .pred p;\n"
                 "  setp.ne.b32 p, %66, 0;\n"
                 "  wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {" NAMES_64 "},\n"
                 "    %64, %65, p, 1, 1, 0, 0; }"
                 : SUMS_64("+f", d, 0)
                 : "l"(a), "l"(b), "r"(add));
}

/* Makes d = A B, or d += A B where `add` is not 0, of BF16: 128 columns, k of 16; B's rows are k.
 */
__device__ inline void wgmma_m64n128k16_bf16_rows(float (&d)[64], uint64_t a, uint64_t b, int add)
{
    asm volatile("{ .reg .pred p;\n"
                 "  setp.ne.b32 p, %66, 0;\n"
                 "  wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {" NAMES_64 "},\n"
                 "    %64, %65, p, 1, 1, 0, 1; }"
                 : SUMS_64("+f", d, 0)
                 : "l"(a), "l"(b), "r"(add));
}

/* Adds d += A B of signed bytes: 128 columns, k of 32. */
__device__ inline void wgmma_m64n128k32_s8(int (&d)[64], uint64_t a, uint64_t b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n128k32.s32.s8.s8 {" NAMES_64 "}, %64, %65, 1;"
                 : SUMS_64("+r", d, 0)
                 : "l"(a), "l"(b));
}

/* Adds d += A B of bytes: 96 columns, k of 32. */
__device__ inline void wgmma_m64n96k32_u8(uint32_t (&d)[48], uint64_t a, uint64_t b)
{
    asm volatile("{ .reg .pred p;\n"
                 "  setp.ne.b32 p, 1, 0;\n"
                 "  wgmma.mma_async.sync.aligned.m64n96k32.s32.u8.u8 {" NAMES_48 "},\n"
                 "    %48, %49, p; }"
                 : SUMS_48("+r", d, 0)
                 : "l"(a), "l"(b));
}

/* Adds d += A B of bytes: 128 columns, k of 32. */
__device__ inline void wgmma_m64n128k32_u8(uint32_t (&d)[64], uint64_t a, uint64_t b)
{
    asm volatile("{ .reg .pred p;\n"
                 "  setp.ne.b32 p, 1, 0;\n"
                 "  wgmma.mma_async.sync.aligned.m64n128k32.s32.u8.u8 {" NAMES_64 "},\n"
                 "    %64, %65, p; }"
                 : SUMS_64("+r", d, 0)
                 : "l"(a), "l"(b));
}

/*
 * Makes d = A B or d += A B of TF32: 256 columns, k of 8, A from registers: a[0] of lane l is the
 * number of row 16 w + l / 4 and k = l % 4, a[1] that 8 rows further down, a[2] and a[3] those for
 * k + 4.
 */
__device__ inline void wgmma_m64n256k8_tf32(float (&d)[128], const uint32_t (&a)[4], uint64_t b,
                                            int add)
{
    asm volatile("{ .reg .pred p;\n"
                 "  setp.ne.b32 p, %133, 0;\n"
                 "  wgmma.mma_async.sync.aligned.m64n256k8.f32.tf32.tf32 {" NAMES_128 "},\n"
                 "    {%128, %129, %130, %131}, %132, p, 1, 1; }"
                 : SUMS_64("+f", d, 0), SUMS_64("+f", d, 64)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(add));
}

#endif
#endif
