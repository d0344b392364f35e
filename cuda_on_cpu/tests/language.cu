/*
 * language.cu - what CUDA C has beyond C: launches as people write them, qualifiers, vector types,
 * intrinsics. The texts below must survive the rewriter: kernel<<<1, 2>>>(3); extern __shared__
 * x[];
 */
#include <cuComplex.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <string.h>
#include "check.h"

// Here, too: store<<<1, 1>>>(d, 1); and an apostrophe isn't a character constant's start.
static const char text[] = "store<<<1, 1>>>(d, \"extern __shared__ float s[];\", '<<<')";

__constant__ float table[4];
static __constant__ int more = 5;
__device__ int counter;

/* ---- launches ------------------------------------------------------------------------------- */

__global__ void store(int *out, size_t value)
{
    *out = (int)value;
}

__global__ void store_if(int *out, const int *nothing, dim3 values)
{
    *out = nothing ? -1 : values.y;
}

template <int A, bool B, class T>
__global__ void store_arguments(T *out, T plus)
{
    *out = A * 10 + B + plus;
}

template <class T>
struct boxed {
    T value;
};

template <class T>
__global__ void store_usual(int *out, int plus = 4)
{
    *out = (int)sizeof(T) + plus;
}

__global__ void store_size(int *out, float)
{
    *out = 4;
}

__global__ void store_size(int *out, double)
{
    *out = 8;
}

__global__ static void __launch_bounds__(256) store_shared(int *__restrict__ out, int n)
{
    extern __shared__ __align__(16) unsigned char raw[];
    int *numbers = (int *)raw;
    numbers[threadIdx.x] = n + threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0)
        *out = numbers[blockDim.x - 1] + ((size_t)raw % 16 == 0);
}

namespace outside /* { */
{
extern __shared__ int pool[];

__global__ void store_pool(int *out)
{
    pool[threadIdx.x] = threadIdx.x + 1;
    __syncthreads();
    const short *half = (const short *)(pool + 1); /* pool */
    if (threadIdx.x == 0)
        *out = pool[3] * 100 + half[0] * 10 + (int)(&pool[2] - pool);
}
} // namespace outside

__global__ void store_rows(int *out)
{
    extern __shared__ int rows[][33];
    rows[threadIdx.y][threadIdx.x] = threadIdx.y * 100 + threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0 && threadIdx.y == 0)
        *out = rows[3][7];
}

__global__ void store_aligned(int *out)
{
    __shared__ extern float elsewhere[];
    __shared__ alignas(16) char row[3], others[2];
    __shared__ alignas(alignof(float4)) union {
        char bytes[16];
        float number;
    } both;
    elsewhere[0] = 7;
    both.number = 2;
    *out = elsewhere[0] + both.number + 100 * ((size_t)row % 16) + ((size_t)&both % 16) +
           10 * (int)sizeof others;
}

__global__ void store_position(int *out)
{
    if (threadIdx.x == 1 && threadIdx.y == 2 && threadIdx.z == 3 && blockIdx.x == 4 &&
        blockIdx.y == 5 && blockIdx.z == 6)
        *out = blockDim.x * 100000 + blockDim.y * 10000 + blockDim.z * 1000 + gridDim.x * 100 +
               gridDim.y * 10 + gridDim.z;
}

#define STORE_BY_MACRO(kernel, pointer, value) kernel<<<1, 1>>>(pointer, value)

/* A table of kernels, and an address in a static initialiser. */
static const struct {
    const char *name;
    void (*kernel)(int *, size_t);
} kernels[] = {{"store", store}};
static const void *address = (const void *)store_arguments<16, (3 > 2), int>;

static int *d_out;

static int fetch(void)
{
    int value;
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&value, d_out, sizeof value, cudaMemcpyDeviceToHost));
    CHECK(cudaMemset(d_out, 0xff, sizeof value));
    return value;
}

__global__ void add_to(int &sum, int more)
{
    sum += more;
}

/* As people write it, the type's size within the brackets; one more word of storage than needed. */
template <class A, class B>
__global__ void store_sum(int *out, A a, B b)
{
    extern __shared__ __align__(sizeof(A)) unsigned char raw[];
    static __shared__ B kept;
    A *sum = (A *)raw;
    kept = b;
    *sum = a;
    *out = (int)(*sum + kept);
}

#define LAUNCH_ON_LINES(kernel, ...)                                                               \
    do {                                                                                           \
        kernel<<<1, 1, 16>>>(__VA_ARGS__);                                                         \
    } while (0)

static void test_launches(void)
{
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    store<<<1, 1>>>(d_out, 11);
    RESULT(fetch() == 11, "a plain launch");
    store_arguments<4, (3 > 2), int><<<1, 1>>>(d_out, 2);
    RESULT(fetch() == 43, "template arguments with commas and comparisons");
    store_arguments<4, false, int><<<dim3(1, 1), 1, /* no shared memory: a comma, a semicolon; */
                                     0, stream>>>(d_out, 1);
    RESULT(fetch() == 41, "a launch on many lines, with a stream");
    if (d_out)
        store_usual<boxed<int>><<<1, 1>>>(d_out);
    RESULT(fetch() == 8, "a default argument, behind template arguments in brackets");
    store_size<<<1, 1>>>(d_out, 1.0f);
    const int size = fetch();
    store_size<<<1, 1>>>(d_out, 1.0);
    RESULT(size == 4 && fetch() == 8, "an overloaded kernel's arguments tell which is meant");
    store_if<<<1, 1>>>(d_out, NULL, 21);
    RESULT(fetch() == 1, "arguments are converted, NULL to a pointer");
    STORE_BY_MACRO(store, d_out, 12);
    RESULT(fetch() == 12, "a launch in a macro");
    LAUNCH_ON_LINES(store_sum, d_out, 9, 8u);
    RESULT(fetch() == 17, "a launch in a macro of several lines, of a template");
    kernels[0].kernel<<<1, 1>>>(d_out, 13);
    RESULT(fetch() == 13, "a launch through a table");
    void (*pointer)(int *, size_t) = store;
    (*pointer)<<<1, 1>>>(d_out, 14);
    RESULT(fetch() == 14, "a launch through a pointer");
    if (address)
        store<<<1, 1 << 0>>>(d_out, sizeof(int[16 >> 1]));
    else
        store<<<1, 1>>>(d_out, 0);
    RESULT(fetch() == 32, "launches in branches, with shifts");
    store_shared<<<1, 32, 32 * sizeof(int)>>>(d_out, 100);
    RESULT(fetch() == 132, "aligned dynamic shared memory");
    store_rows<<<1, dim3(33, 4), 4 * 33 * sizeof(int), stream>>>(d_out);
    RESULT(fetch() == 307, "dynamic shared memory of rows");
    outside::store_pool<<<1, 32, 32 * sizeof(int)>>>(d_out);
    RESULT(fetch() == 422, "dynamic shared memory that is declared outside functions");
    CHECK(cudaMemset(d_out, 0, sizeof *d_out));
    add_to<<<1, 1>>>(*d_out, 8);
    RESULT(fetch() == 8, "a reference is passed as an address");
    store_aligned<<<1, 1, sizeof(float)>>>(d_out);
    RESULT(fetch() == 29, "shared memory, its qualifiers in another order");
    store_position<<<dim3(5, 6, 7), dim3(2, 3, 4)>>>(d_out);
    RESULT(fetch() == 234567, "the built-in variables");
    RESULT(strlen(text) == 57 && strstr(text, "store<<<1, 1>>>(d, \"extern __shared__"),
           "a launch in a string is text");
    CHECK(cudaStreamDestroy(stream));
}

/* ---- qualifiers and pragmas ----------------------------------------------------------------- */

__host__ __device__ static inline int twice(int x)
{
    return 2 * x;
}

__device__ static __forceinline__ int halved(int x)
{
    return x / 2;
}

__global__ void use_qualifiers(int *out)
{
    int sum = more;
#pragma unroll
    for (int i = 0; i < 4; i++)
        sum += (int)table[i];
#pragma unroll 2
    for (int i = 0; i < 4; i++)
        sum += twice(halved(i));
    counter = sum;
    *out = sum;
}

static void test_qualifiers(void)
{
    const float h_table[4] = {1, 2, 3, 4};
    int h_counter = 0;
    CHECK(cudaMemcpyToSymbol(table, h_table, sizeof h_table));
    use_qualifiers<<<1, 1>>>(d_out);
    RESULT(fetch() == 5 + 10 + 4, "constants, device functions, unrolled loops");
    CHECK(cudaMemcpyFromSymbol(&h_counter, counter, sizeof h_counter));
    RESULT(h_counter == 19, "a device variable");
}

/* ---- intrinsics ----------------------------------------------------------------------------- */

/* *wrong, -1 before, becomes the last line that did not get what is right, or 0. */
#define EXPECT(got, right) ((long long)(got) == (long long)(right) ? 0 : (*wrong = __LINE__))
#define END_OF_EXPECTED()  (*wrong < 0 ? (*wrong = 0) : 0)

__global__ void use_integers(int *wrong)
{
    EXPECT(__popc(0xf0f0u), 8);
    EXPECT(__popcll(0xf0f0f0f000000000ull), 16);
    EXPECT(__clz(1), 31);
    EXPECT(__clz(0), 32);
    EXPECT(__clz(-1), 0);
    EXPECT(__clzll(1), 63);
    EXPECT(__ffs(8), 4);
    EXPECT(__ffs(0), 0);
    EXPECT(__brev(1u), 0x80000000u);
    EXPECT(__brev(0x12345678u), 0x1e6a2c48u);
    EXPECT(__brevll(1ull) >> 63, 1);
    EXPECT(__byte_perm(0x03020100u, 0x07060504u, 0x7531), 0x07050301u);
    EXPECT(__funnelshift_l(0x80000000u, 1u, 1), 3);
    EXPECT(__funnelshift_r(0x80000000u, 1u, 31), 3);
    EXPECT(__umul24(0xff000003u, 5u), 15);
    EXPECT(__mul24(-3, 5), -15);
    EXPECT(__umulhi(0x80000000u, 6u), 3);
    EXPECT(__mulhi(-2, 3), -1);
    EXPECT(__sad(3, 10, 1u), 8);
    EXPECT(__usad(10u, 3u, 1u), 8);
    EXPECT(__dp4a(0x01020304, 0x01010101, 5), 15);
    EXPECT(__dp4a((int)0xffffffff, 0x01020304, 0), -10);
    EXPECT(__dp4a(0xffffffffu, 0x01010101u, 1u), 1021);
    EXPECT(__dp2a_lo(0xfffe0003u, 0x0506ff08u, 1u), 65534 * 255 + 3 * 8 + 1);
    EXPECT(__dp2a_hi(0xfffe0003u, 0x0506ff08u, 1u), 65534 * 5 + 3 * 6 + 1);
    EXPECT(__dp2a_lo((int)0xfffe0003, 0x0506ff08, 1), 2 + 3 * 8 + 1);
    EXPECT(__dp2a_hi((int)0xfffe0003, (int)0xfbfaff08, 1), 2 * 5 - 3 * 6 + 1);
    EXPECT(__vabsdiffu4(0x01ff0305u, 0x0200ff05u), 0x01fffc00u);
    EXPECT(__vsadu4(0x01ff0305u, 0x0200ff05u), 1 + 255 + 252);
    EXPECT(__funnelshift_lc(3u, 1u, 33), 3);
    EXPECT(__funnelshift_lc(0x80000000u, 1u, 1), 3);
    EXPECT(__funnelshift_rc(3u, 1u, 32), 1);
    EXPECT(__funnelshift_rc(0x80000000u, 1u, 31), 3);
    EXPECT(__mul64hi(-2, 3), -1);
    EXPECT(__umul64hi(1ull << 63, 6), 3);
    EXPECT(__hadd(-3, 2147483646), 1073741821);
    EXPECT(__hadd(-3, -4), -4);
    EXPECT(__rhadd(-3, -4), -3);
    EXPECT(__uhadd(4294967295u, 4294967294u), 4294967294u);
    EXPECT(__urhadd(4294967295u, 4294967294u), 4294967295u);
    EXPECT(__vadd4(0x01ff7f80u, 0x02018080u), 0x0300ff00u);
    EXPECT(__vsub4(0x0100ff05u, 0x0201ff03u), 0xffff0002u);
    EXPECT(__vmaxs4(0x80017f05u, 0x7f02ff04u), 0x7f027f05u);
    EXPECT(__vmins4(0x80017f05u, 0x7f02ff04u), 0x8001ff04u);
    EXPECT(__vmaxu4(0x80017f05u, 0x7f02ff04u), 0x8002ff05u);
    EXPECT(__vminu4(0x80017f05u, 0x7f02ff04u), 0x7f017f04u);
    EXPECT(__vcmpeq4(0x80017f05u, 0x80027f04u), 0xff00ff00u);
    EXPECT(__vsetne4(0x80017f05u, 0x80027f04u), 0x00010001u);
    EXPECT(__vcmpgtu2(0x8000ffffu, 0x7fffffffu), 0xffff0000u);
    EXPECT(__vcmpgts2(0x8000ffffu, 0x7fffffffu), 0);
    EXPECT(__vsetles4(0x80ff017fu, 0x8000017eu), 0x01010100u);
    EXPECT(__vaddss4(0x7f80ff05u, 0x01ff0103u), 0x7f800008u);
    EXPECT(__vaddus4(0x7f80ff05u, 0x01ff0103u), 0x80ffff08u);
    EXPECT(__vsubss2(0x80007fffu, 0x0001ffffu), 0x80007fffu);
    EXPECT(__vsubus4(0x7f00ff05u, 0x01ff0106u), 0x7e00fe00u);
    EXPECT(__vavgu4(0xff000102u, 0xff010201u), 0xff010202u);
    EXPECT(__vavgs2(0xfffd0001u, 0xfffe0002u), 0xfffd0002u);
    EXPECT(__vhaddu4(0xff000102u, 0xff010201u), 0xff000101u);
    EXPECT(__vabsdiffs4(0x80017f05u, 0x7f02ff04u), 0xff018001u);
    EXPECT(__vabs2(0x8000ffffu), 0x80000001u);
    EXPECT(__vabsss2(0x8000ffffu), 0x7fff0001u);
    EXPECT(__vneg4(0x80010000u), 0x80ff0000u);
    EXPECT(__vnegss4(0x80010000u), 0x7fff0000u);
    EXPECT(__vsadu2(0x00050003u, 0x00010007u), 8);
    EXPECT(__vsads4(0x80017f05u, 0x7f02ff04u), 255 + 1 + 128 + 1);
    EXPECT(min(3, -2), -2);
    EXPECT(max(3u, 7u), 7);
    EXPECT(umin(3u, 4000000000u), 3);
    EXPECT(min(5ull, 4ull), 4);
    EXPECT(min(2.5f, 1.5f) * 10, 15);
    EXPECT(max(2.5, 1.5f) * 10, 25);
    EXPECT(__ldg(wrong), -1);
    END_OF_EXPECTED();
}

__global__ void use_floats(int *wrong)
{
    float not_a_number = __int_as_float(0x7fffffff);
    EXPECT(__float_as_int(1.0f), 0x3f800000);
    EXPECT(__float_as_uint(-1.0f), 0xbf800000u);
    EXPECT(__uint_as_float(0x40000000u), 2);
    EXPECT(__float2int_rn(2.5f), 2);
    EXPECT(__float2int_rn(3.5f), 4);
    EXPECT(__float2int_rz(-2.7f), -2);
    EXPECT(__float2int_rd(-2.2f), -3);
    EXPECT(__float2int_ru(2.2f), 3);
    EXPECT(__float2int_rn(1e20f), 0x7fffffff);
    EXPECT(__float2int_rn(not_a_number), 0);
    EXPECT(__float2uint_rn(-1.0f), 0);
    EXPECT(__saturatef(1.5f), 1);
    EXPECT(__saturatef(-0.5f), 0);
    EXPECT(__saturatef(0.25f) * 4, 1);
    EXPECT(__saturatef(not_a_number), 0);
    EXPECT(fminf(not_a_number, 3.0f), 3);
    EXPECT(min(not_a_number, 3.0f), 3);
    EXPECT(max(3.0f, not_a_number), 3);
    EXPECT(__fmaf_rn(2.0f, 3.0f, 4.0f), 10);
    EXPECT(rsqrtf(0.25f), 2);
    EXPECT(exp2f(10.0f), 1024);
    EXPECT(__expf(0.0f), 1);
    EXPECT(__fdividef(9.0f, 4.0f) * 4, 9);
    END_OF_EXPECTED();
}

__global__ void use_doubles(int *wrong)
{
    const double not_a_number = __longlong_as_double(-1);
    const long long uppermost = (long long)(1ull << 63);
    EXPECT(__double2int_rn(2.5), 2);
    EXPECT(__double2int_rz(-2.7), -2);
    EXPECT(__double2int_rd(-2.2), -3);
    EXPECT(__double2int_ru(2.2), 3);
    EXPECT(__double2int_rn(1e20), 2147483647);
    EXPECT(__double2int_rn(not_a_number), -2147483648ll);
    EXPECT(__double2uint_rz(-1.0), 0);
    EXPECT(__double2uint_rn(5e9), 4294967295u);
    EXPECT(__double2uint_rn(not_a_number), 2147483648u);
    EXPECT(__double2ll_rn(-3.5), -4);
    EXPECT(__double2ll_rz(1e19), 9223372036854775807);
    EXPECT(__double2ll_rd(-1e19), uppermost);
    EXPECT(__double2ll_ru(not_a_number), uppermost);
    EXPECT(__double2ull_rn(1e19), 10000000000000000000ull);
    EXPECT(__double2ull_rn(1e20), 18446744073709551615ull);
    EXPECT(__float2ll_rn(2.5f), 2);
    EXPECT(__float2ull_ru(2.5f), 3);
    EXPECT(__double2hiint(-2.0), (int)0xc0000000);
    EXPECT(__double2loint(__longlong_as_double(0x4000000087654321)), (int)0x87654321);
    EXPECT(__double_as_longlong(__hiloint2double(0x40000000, -1)), 0x40000000ffffffff);
    EXPECT(__ddiv_rn(1.0, 3.0) == 1.0 / 3.0, 1);
    EXPECT(__dsqrt_rn(__dadd_rn(__dmul_rn(3.0, 3.0), 16.0)), 5);
    EXPECT(sinpi(1e15) == 0 && sinpi(0.5) == 1 && sinpi(-2.5) == -1, 1);
    EXPECT(cospi(0.5) == 0 && cospi(1.0) == -1 && cospi(-2.0) == 1, 1);
    EXPECT(rint(sinpi(1.0 / 6) * 1e15), 500000000000000);
    EXPECT(rint(cospi(2.0 / 3) * 1e15), -500000000000000);
    EXPECT(rint(erfinv(erf(0.25)) * 1e15), 250000000000000);
    EXPECT(rint(erfinv(-erf(2.0)) * 1e12), -2000000000000);
    EXPECT(rint(erfcinv(erfc(12.0)) * 1e12), 12000000000000);
    EXPECT(rint(erfcinv(erfc(-1.0)) * 1e12), -1000000000000);
    EXPECT(rint(erfinv(1e-30) * 1e45), 886226925452758);
    EXPECT(isinf(erfinv(1.0)) && isnan(erfinv(1.5)) && isnan(erfinv(not_a_number)), 1);
    EXPECT(rint(normcdf(-1.0) * 1e12), 158655253931);
    EXPECT(rint(rcbrt(8.0) * 1e12), 500000000000);
    EXPECT(rint(norm3d(3e200, 4e200, 12e200) / 1e200 * 1e12), 13000000000000);
    END_OF_EXPECTED();
}

__global__ void use_more_floats(int *wrong)
{
    float sine, cosine;
    sincospif(0.5f, &sine, &cosine);
    EXPECT(sine == 1 && cosine == 0, 1);
    EXPECT(rintf(1000000 * sinpif(0.25f)), 707107);
    EXPECT(rintf(1000000 * erfinvf(0.5f)), 476936);
    EXPECT(rintf(1000000 * normcdff(1.0f)), 841345);
    EXPECT(rcbrtf(8.0f) * 4, 2);
    EXPECT(norm3df(2, 3, 6), 7);
    EXPECT(rnorm3df(0, 0, 4) * 8, 2);
    EXPECT(norm4df(1, 1, 1, 1), 2);
    EXPECT(rhypotf(3, 4) * 1000, 200);
    __builtin_assume(sine > 0);
    END_OF_EXPECTED();
}

/* Halves from 2048 to 4096 are 2 apart. A result is rounded once: to the nearest, or to even. */
__global__ void use_halves(int *wrong)
{
    EXPECT(alignof(__half2) + alignof(__nv_bfloat162),
           8); /* as the loads of both halves at once want it */
    EXPECT(__half2float(__float2half(2049)), 2048);
    EXPECT(__half2float(__float2half(2049.5f)), 2050);
    EXPECT(__half2float(__float2half(-2051)), -2052);
    EXPECT(__half2float(__float2half(65519)), 65504);
    EXPECT(__half2float(__float2half(65520)) == INFINITY, 1);
    EXPECT(isnan(__half2float(__float2half(NAN))), 1);
    EXPECT(__half2float(__float2half(0x1.8p-24f)) * 0x1p24f, 2); /* the smallest is 1 there */
    EXPECT(__half2float(__float2half(0x1p-25f)) * 0x1p26f, 0);
    __half2 a = __floats2half2_rn(45, 2050), b = __floats2half2_rn(91, 1);
    EXPECT(__low2float(__hmul2(a, b)), 4096);
    EXPECT(__high2float(__hadd2(a, b)), 2052);
    __half2 c = __floats2half2_rn(3, 7), d = __floats2half2_rn(5, 11);
    EXPECT(__low2float(__hmul2(c, d)) * 100 + __high2float(__hmul2(c, d)), 1577);
    EXPECT(__low2float(__hadd2(c, d)) * 100 + __high2float(__hadd2(c, d)), 818);
    EXPECT(__low2float(__hfma2(c, d, a)) * 100 + __high2float(__hfma2(d, c, b)), 6078);
    __half2 sum = __hfma2(a, b, __floats2half2_rn(-4096, 1));
    EXPECT(__low2float(sum), -1);
    EXPECT(__high2float(sum), 2052);
    END_OF_EXPECTED();
}

__global__ void use_halves_of_one(int *wrong)
{
    const __half one = __float2half(1), two = __float2half(2), nan = __float2half(NAN);
    const __half zero = __float2half(0.0f), minus_zero = __float2half(-0.0f);
    EXPECT(__half2float(__hfma(__float2half(45), __float2half(91), __float2half(-4096))), -1);
    EXPECT(__hlt(one, two) && __hle(one, one) && __hgt(two, one) && __hge(two, two), 1);
    EXPECT(__heq(one, one) && __hne(one, two) && __heq(zero, minus_zero), 1);
    EXPECT(__hlt(one, nan) || __hge(one, nan) || __heq(nan, nan) || __hne(nan, one), 0);
    EXPECT(__hisnan(nan) && !__hisnan(one), 1);
    __half grown = one;
    grown += 1.0f;
    grown *= 2;
    EXPECT(__half2float(grown), 4);
    EXPECT(__half2float(__hmax(one, two)) * 10 + __half2float(__hmin(one, two)), 21);
    EXPECT(__half2float(__hmax(nan, two)) * 10 + __half2float(__hmin(one, nan)), 21);
    EXPECT(signbit(__half2float(__hmax(minus_zero, zero))), 0);
    EXPECT(signbit(__half2float(__hmax(zero, minus_zero))), 0);
    EXPECT(signbit(__half2float(__hmin(minus_zero, zero))), 1);
    EXPECT(signbit(__half2float(__hmin(zero, minus_zero))), 1);
    EXPECT(__half2float(__habs(__hneg(two))), 2);
    EXPECT(__half2float(hsqrt(two)) * 1024, 1448);
    EXPECT(__half2float(hrsqrt(__float2half(4))) * 2, 1);
    EXPECT(__half2float(hexp(one)) * 512, 1392);
    EXPECT(__half2float(hlog(two)) * 2048, 1420); /* 0.693147 * 2048 = 1419.57 */
    EXPECT(__half2float(hrcp(__float2half(4))) * 4, 1);
    const __half2 pair = __halves2half2(one, two);
    EXPECT(__half2float(__low2half(pair)) * 10 + __half2float(__high2half(pair)), 12);
    EXPECT(__half22float2(pair).y + __half22float2(__half2half2(two)).x, 4);
    END_OF_EXPECTED();
}

/* From 256 to 512 these are 2 apart. */
__global__ void use_bfloats(int *wrong)
{
    const __nv_bfloat16 a = __float2bfloat16(255), one = __float2bfloat16(1);
    const __nv_bfloat162 pair = __floats2bfloat162_rn(257, 259);
    EXPECT(__low2float(pair) * 1000 + __high2float(pair), 256260);
    EXPECT(__bfloat1622float2(pair).y, 260);
    EXPECT(__bfloat162float(__low2bfloat16(__bfloat162bfloat162(a))), 255);
    EXPECT(__bfloat162float(__hadd(a, __float2bfloat16(2))), 256);
    EXPECT(__bfloat162float(__hsub(a, one)), 254);
    EXPECT(__bfloat162float(__hmul(a, a)), 65024);
    EXPECT(__bfloat162float(__hdiv(a, __float2bfloat16(2))) * 2, 255);
    EXPECT(__bfloat162float(__hfma(a, a, __float2bfloat16(-65024))), 1);
    EXPECT(__high2float(__hfma2(pair, pair, pair)), 68096); /* of 67860 */
    EXPECT(__low2float(__hadd2(pair, pair)), 512);
    /* As a float these are halfway between two. */
    const __nv_bfloat16 three = __float2bfloat16(3), bit = __float2bfloat16(0x1p-30f);
    EXPECT(__bfloat162float(__hfma(__float2bfloat16(129), three, __float2bfloat16(-0x1p-30f))),
           386);
    EXPECT(__bfloat162float(__hfma(__float2bfloat16(131), three, bit)), 394);
    END_OF_EXPECTED();
}

__global__ void use_complex(int *wrong)
{
    const cuFloatComplex a = make_cuFloatComplex(1, 2), b = make_cuComplex(3, -4);
#define DIGITS(z) (10 * cuCrealf(z) + cuCimagf(z))
    EXPECT(DIGITS(cuConjf(a)), 8);
    EXPECT(DIGITS(cuCaddf(a, b)), 38);
    EXPECT(DIGITS(cuCsubf(a, b)), -14);
    EXPECT(DIGITS(cuCmulf(a, b)), 112);
    EXPECT(DIGITS(cuCfmaf(a, b, a)), 124);
    EXPECT(rintf(DIGITS(cuCdivf(cuCmulf(a, b), b)) * 1000), 12000);
    EXPECT(cuCabsf(b), 5);
    const cuDoubleComplex huge = make_cuDoubleComplex(3e300, 4e300);
    EXPECT(rint(cuCabs(huge) / 1e300 * 1000), 5000);
    EXPECT(rint(cuCreal(cuCdiv(huge, huge)) * 1000), 1000);
    EXPECT(cuComplexDoubleToFloat(cuCmul(cuComplexFloatToDouble(a), make_cuDoubleComplex(0, 1))).y,
           1);
    END_OF_EXPECTED();
}

__global__ void use_memory(int *wrong, float4 *vectors)
{
    float4 v = make_float4(1, 2, 3, 4);
    __stcs(&vectors[0], v);
    __stcg(&vectors[1], make_float4(5, 6, 7, 8));
    EXPECT(__ldcs(&vectors[0]).w, 4);
    EXPECT(__ldcg(&vectors[1]).x, 5);
    EXPECT(reinterpret_cast<float *>(vectors)[6], 7);
    EXPECT(sizeof(float3), 12);
    EXPECT(sizeof(uchar4) * 100 + alignof(uchar4), 404);
    EXPECT(sizeof(short4) * 100 + alignof(short4), 808);
    EXPECT(sizeof(int2) * 100 + alignof(int2), 808);
    EXPECT(sizeof(uint4) * 100 + alignof(uint4), 1616);
    EXPECT(sizeof(double2) * 100 + alignof(double2), 1616);
    EXPECT(sizeof(longlong2) * 100 + alignof(longlong2), 1616);
    EXPECT(make_uchar4(1, 2, 3, 250).w, 250);
    EXPECT(make_short2(-1, 2).x, -1);
    END_OF_EXPECTED();
}

/* With std's functions of the same names beside the device's. */
namespace beside_std
{
using namespace std;
__global__ void use_std(int *wrong, float not_a_number)
{
    const float umax = max(not_a_number, 1.0f), umin = min(2.0f, not_a_number);
    EXPECT(umax * 10 + umin, 12);
    EXPECT(max(3, 7) * 10 + min(3u, 7u), 73);
    EXPECT(llmax(-3, -7) * 10 + (long long)ullmin(3, 7), -27);
    END_OF_EXPECTED();
}
} // namespace beside_std

/* What there is after an atomic; it returns what there was. */
#define ATOMIC(name, was, value) (cell = (was), name(&cell, value) == (was) ? cell : 0xdeadu)

__global__ void use_atomics(int *wrong)
{
    __shared__ unsigned cell;
    EXPECT(ATOMIC(atomicAdd, 12u, 10), 22);
    EXPECT(ATOMIC(atomicAdd_system, 12u, 10), 22);
    EXPECT(ATOMIC(atomicSub, 12u, 10u), 2);
    EXPECT(ATOMIC(atomicSub_system, 12u, 10u), 2);
    EXPECT(ATOMIC(atomicMin, 12u, 10u), 10);
    EXPECT(ATOMIC(atomicMax, 12u, 10u), 12);
    EXPECT(ATOMIC(atomicAnd, 12u, 10u), 8);
    EXPECT(ATOMIC(atomicOr, 12u, 10u), 14);
    EXPECT(ATOMIC(atomicXor, 12u, 10u), 6);
    EXPECT(ATOMIC(atomicExch, 12u, 10u), 10);
    EXPECT(ATOMIC(atomicInc, 9u, 10u), 10);
    EXPECT(ATOMIC(atomicInc, 10u, 10u), 0);
    EXPECT(ATOMIC(atomicInc, 11u, 10u), 0);
    EXPECT(ATOMIC(atomicDec, 10u, 10u), 9);
    EXPECT(ATOMIC(atomicDec, 11u, 10u), 10);
    EXPECT(ATOMIC(atomicDec, 0u, 10u), 10);
    END_OF_EXPECTED();
}

/* Lane 5's view of a warp. */
__global__ void use_warp(int *wrong)
{
    const unsigned full = 0xffffffffu;
    int lane = threadIdx.x;
    int up = __shfl_up_sync(full, lane, 2), down = __shfl_down_sync(full, lane, 4, 8);
    int across = __shfl_xor_sync(full, lane, 1), of = __shfl_sync(full, lane * 3, 9);
    int group = __shfl_sync(full, lane, 2, 4), any = __any_sync(full, lane == 7);
    int all = __all_sync(full, lane < 32), none = __any_sync(full, lane > 40);
    unsigned odd = __ballot_sync(full, lane & 1), same = __match_any_sync(full, lane / 8);
    int all_same = -1, all_alike = -1;
    unsigned none_same = __match_all_sync(full, lane / 8, &all_same);
    unsigned alike = __match_all_sync(full, lane / 32, &all_alike);
    double wide = __shfl_sync(full, lane * 0.5, 31);
    int crossed =
        __shfl_xor_sync(full, lane, 16, 8); /* back to an earlier group, not on to a later */
    int back = __shfl_sync(full, crossed, 20);
    if (lane != 5)
        return;
    EXPECT(up, 3);
    EXPECT(down, 5); /* lane 9 is outside its group of 8 */
    EXPECT(across, 4);
    EXPECT(of, 27);
    EXPECT(group, 6);
    EXPECT(any * 100 + all * 10 + none, 110);
    EXPECT(odd, 0xaaaaaaaau);
    EXPECT(same, 0xffu);
    EXPECT(none_same == 0 && all_same == 0, 1);
    EXPECT(alike == full && all_alike == 1, 1);
    EXPECT(wide * 2, 31);
    EXPECT(crossed * 100 + back, 504);
    END_OF_EXPECTED();
}

static void report(const char *name)
{
    int line = fetch();
    if (line != 0)
        printf("# %s: line %d\n", name, line);
    RESULT(line == 0, name);
}

static void test_intrinsics(void)
{
    float4 *d_vectors;
    CHECK(cudaMalloc(&d_vectors, 2 * sizeof *d_vectors));
    CHECK(cudaMemset(d_out, 0xff, sizeof *d_out));
    use_integers<<<1, 1>>>(d_out);
    report("integer intrinsics");
    use_floats<<<1, 1>>>(d_out);
    report("floating-point intrinsics");
    use_more_floats<<<1, 1>>>(d_out);
    report("floating-point functions");
    use_doubles<<<1, 1>>>(d_out);
    report("doubles");
    use_halves<<<1, 1>>>(d_out);
    report("half precision");
    use_halves_of_one<<<1, 1>>>(d_out);
    report("halves, one at a time");
    use_bfloats<<<1, 1>>>(d_out);
    report("BF16");
    use_complex<<<1, 1>>>(d_out);
    report("complex numbers");
    use_memory<<<1, 1>>>(d_out, d_vectors);
    report("vectors, loads and stores");
    beside_std::use_std<<<1, 1>>>(d_out, NAN);
    report("beside names of std's");
    use_atomics<<<1, 1>>>(d_out);
    report("atomics");
    use_warp<<<1, 32>>>(d_out);
    report("warp functions");
}

int main(void)
{
    CHECK(cudaMalloc(&d_out, sizeof *d_out));
    test_launches();
    test_qualifiers();
    test_intrinsics();
    printf("# this is line %d\n", __LINE__);
    CHECK(cudaDeviceReset());
    return 0;
}
