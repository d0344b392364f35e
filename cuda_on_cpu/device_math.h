/*
 * device_math.h - the device's arithmetic, bit and load/store intrinsics, in plain C++. Part of
 * cuda_runtime.h. The fast forms (__expf and its like) are the accurate functions here.
 */
#ifndef CUDA_CPU_DEVICE_MATH_H
#define CUDA_CPU_DEVICE_MATH_H

#include <bit>
#include <limits>
#include <math.h>
#include <stdint.h>
#include <time.h>
#include "vector_types.h"

/* ---- minimum and maximum: of a number and a NaN, the number ---------------------------------- */

template <class A, class B, class Result = decltype(A() + B())>
constexpr Result min(A a, B b)
{
    return (Result)a < (Result)b || b != b ? (Result)a : (Result)b;
}

template <class A, class B, class Result = decltype(A() + B())>
constexpr Result max(A a, B b)
{
    return (Result)a > (Result)b || b != b ? (Result)a : (Result)b;
}

#define umin min
#define umax max

/* ---- floating point ------------------------------------------------------------------------- */

/* Macros, because glibc's math.h declares functions of these names without offering them. */
#define __expf    expf
#define __exp10f  exp10f
#define __logf    logf
#define __log2f   log2f
#define __log10f  log10f
#define __sinf    sinf
#define __cosf    cosf
#define __tanf    tanf
#define __powf    powf
#define __sincosf sincosf

/* name(parameters) -> expression; the whole of the simple intrinsics below. */
#define CUDA_CPU_FUNCTION(type, name, parameters, expression)                                      \
    inline type name parameters                                                                    \
    {                                                                                              \
        return expression;                                                                         \
    }
CUDA_CPU_FUNCTION(float, __fadd_rn, (float a, float b), a + b)
CUDA_CPU_FUNCTION(float, __fsub_rn, (float a, float b), a - b)
CUDA_CPU_FUNCTION(float, __fmul_rn, (float a, float b), a *b)
CUDA_CPU_FUNCTION(float, __fdiv_rn, (float a, float b), a / b)
CUDA_CPU_FUNCTION(float, __fdividef, (float a, float b), a / b)
CUDA_CPU_FUNCTION(float, fdividef, (float a, float b), a / b)
CUDA_CPU_FUNCTION(float, __fmaf_rn, (float a, float b, float c), fmaf(a, b, c))
CUDA_CPU_FUNCTION(float, __fsqrt_rn, (float x), sqrtf(x))
CUDA_CPU_FUNCTION(float, __frsqrt_rn, (float x), 1.0f / sqrtf(x))
CUDA_CPU_FUNCTION(float, __frcp_rn, (float x), 1.0f / x)
CUDA_CPU_FUNCTION(float, rsqrtf, (float x), 1.0f / sqrtf(x))
CUDA_CPU_FUNCTION(double, rsqrt, (double x), 1.0 / sqrt(x))
CUDA_CPU_FUNCTION(float, __saturatef, (float x), fminf(fmaxf(x, 0.0f), 1.0f))
CUDA_CPU_FUNCTION(double, __dadd_rn, (double a, double b), a + b)
CUDA_CPU_FUNCTION(double, __dmul_rn, (double a, double b), a *b)
CUDA_CPU_FUNCTION(double, __fma_rn, (double a, double b, double c), fma(a, b, c))

/* ---- conversions and reinterpretations ------------------------------------------------------ */

namespace cuda_cpu
{

/* Out of range goes to the nearest value and NaN to 0, as on the device; in C++ it is undefined. */
template <class Integer>
inline Integer to_integer(double x)
{
    typedef std::numeric_limits<Integer> limits;
    return isnan(x) ? 0 : (Integer)fmin(fmax(x, limits::min()), limits::max());
}

} /* namespace cuda_cpu */

CUDA_CPU_FUNCTION(int, __float2int_rn, (float x), cuda_cpu::to_integer<int>(rintf(x)))
CUDA_CPU_FUNCTION(int, __float2int_rz, (float x), cuda_cpu::to_integer<int>(truncf(x)))
CUDA_CPU_FUNCTION(int, __float2int_rd, (float x), cuda_cpu::to_integer<int>(floorf(x)))
CUDA_CPU_FUNCTION(int, __float2int_ru, (float x), cuda_cpu::to_integer<int>(ceilf(x)))
CUDA_CPU_FUNCTION(unsigned, __float2uint_rn, (float x), cuda_cpu::to_integer<unsigned>(rintf(x)))
CUDA_CPU_FUNCTION(unsigned, __float2uint_rz, (float x), cuda_cpu::to_integer<unsigned>(truncf(x)))
CUDA_CPU_FUNCTION(int, __double2int_rn, (double x), cuda_cpu::to_integer<int>(rint(x)))
CUDA_CPU_FUNCTION(float, __int2float_rn, (int x), (float)x)
CUDA_CPU_FUNCTION(float, __uint2float_rn, (unsigned x), (float)x)
CUDA_CPU_FUNCTION(float, __double2float_rn, (double x), (float)x)
CUDA_CPU_FUNCTION(int, __float_as_int, (float x), std::bit_cast<int>(x))
CUDA_CPU_FUNCTION(unsigned, __float_as_uint, (float x), std::bit_cast<unsigned>(x))
CUDA_CPU_FUNCTION(float, __int_as_float, (int x), std::bit_cast<float>(x))
CUDA_CPU_FUNCTION(float, __uint_as_float, (unsigned x), std::bit_cast<float>(x))
CUDA_CPU_FUNCTION(long long, __double_as_longlong, (double x), std::bit_cast<long long>(x))
CUDA_CPU_FUNCTION(double, __longlong_as_double, (long long x), std::bit_cast<double>(x))

/* ---- integers ------------------------------------------------------------------------------- */

namespace cuda_cpu
{

inline unsigned reverse_bits(unsigned x)
{
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(x);
}

inline unsigned distance(int a, int b)
{
    return a < b ? (unsigned)b - (unsigned)a : (unsigned)a - (unsigned)b;
}

} /* namespace cuda_cpu */

CUDA_CPU_FUNCTION(int, __popc, (unsigned x), __builtin_popcount(x))
CUDA_CPU_FUNCTION(int, __popcll, (unsigned long long x), __builtin_popcountll(x))
CUDA_CPU_FUNCTION(int, __clz, (int x), x ? __builtin_clz((unsigned)x) : 32)
CUDA_CPU_FUNCTION(int, __clzll, (long long x), x ? __builtin_clzll((unsigned long long)x) : 64)
CUDA_CPU_FUNCTION(int, __ffs, (int x), __builtin_ffs(x))
CUDA_CPU_FUNCTION(int, __ffsll, (long long x), __builtin_ffsll(x))
CUDA_CPU_FUNCTION(unsigned, __brev, (unsigned x), cuda_cpu::reverse_bits(x))
/* Products of numbers of 24 bits, with their sign or without. */
CUDA_CPU_FUNCTION(int, __mul24, (int a, int b), (int)((unsigned)(a << 8 >> 8) * (b << 8 >> 8)))
CUDA_CPU_FUNCTION(unsigned, __umul24, (unsigned a, unsigned b), (a & 0xffffff) * (b & 0xffffff))
CUDA_CPU_FUNCTION(int, __mulhi, (int a, int b), (int)((long long)a *b >> 32))
CUDA_CPU_FUNCTION(unsigned, __umulhi, (unsigned a, unsigned b),
                  (unsigned)((unsigned long long)a *b >> 32))
CUDA_CPU_FUNCTION(unsigned, __sad, (int a, int b, unsigned sum), sum + cuda_cpu::distance(a, b))
CUDA_CPU_FUNCTION(unsigned, __usad, (unsigned a, unsigned b, unsigned sum),
                  sum + (a < b ? b - a : a - b))

CUDA_CPU_FUNCTION(unsigned long long, __brevll, (unsigned long long x),
                  (unsigned long long)__brev((unsigned)x) << 32 | __brev((unsigned)(x >> 32)))
/* hi:lo shifted; its upper half after a shift left, its lower half after a shift right. (Two words
 * of memory made one of 64 bits here, gcc would load 64 bits, which the lens would count.) */
CUDA_CPU_FUNCTION(unsigned, __funnelshift_l, (unsigned lo, unsigned hi, unsigned shift),
                  hi << (shift & 31) | lo >> 1 >> (31 - (shift & 31)))
CUDA_CPU_FUNCTION(unsigned, __funnelshift_r, (unsigned lo, unsigned hi, unsigned shift),
                  lo >> (shift & 31) | hi << 1 << (31 - (shift & 31)))

/* Four bytes picked out of y:x by the selector's four digits; bit 3 of one spreads the sign. */
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector)
{
    unsigned result = 0;
    for (int i = 0; i < 4; i++) {
        unsigned digit = selector >> 4 * i & 0xf;
        unsigned byte = (digit & 4 ? y : x) >> 8 * (digit & 3) & 0xff;
        if (digit & 8)
            byte = byte & 0x80 ? 0xff : 0;
        result |= byte << 8 * i;
    }
    return result;
}

/* ---- four bytes at a time ------------------------------------------------------------------- */

namespace cuda_cpu
{

template <class Byte>
inline unsigned dot_of_bytes(unsigned a, unsigned b, unsigned sum)
{
    for (int i = 0; i < 4; i++)
        sum += (unsigned)((int)(Byte)(a >> 8 * i) * (int)(Byte)(b >> 8 * i));
    return sum;
}

/* The bytes of b from bit `from` on and the one above it, times the halves of a. */
template <class Half, class Byte>
inline unsigned dot_of_halves(unsigned a, unsigned b, unsigned sum, int from)
{
    for (int i = 0; i < 2; i++)
        sum += (unsigned)((int)(Half)(a >> 16 * i) * (int)(Byte)(b >> (from + 8 * i)));
    return sum;
}

inline unsigned distance_of_bytes(unsigned a, unsigned b)
{
    unsigned result = 0;
    for (int i = 0; i < 32; i += 8)
        result |= distance((int)(a >> i & 0xff), (int)(b >> i & 0xff)) << i;
    return result;
}

} /* namespace cuda_cpu */

CUDA_CPU_FUNCTION(int, __dp4a, (int a, int b, int sum),
                  (int)cuda_cpu::dot_of_bytes<int8_t>((unsigned)a, (unsigned)b, (unsigned)sum))
CUDA_CPU_FUNCTION(unsigned, __dp4a, (unsigned a, unsigned b, unsigned sum),
                  cuda_cpu::dot_of_bytes<uint8_t>(a, b, sum))
CUDA_CPU_FUNCTION(int, __dp4a, (char4 a, char4 b, int sum),
                  __dp4a(std::bit_cast<int>(a), std::bit_cast<int>(b), sum))
CUDA_CPU_FUNCTION(unsigned, __dp4a, (uchar4 a, uchar4 b, unsigned sum),
                  __dp4a(std::bit_cast<unsigned>(a), std::bit_cast<unsigned>(b), sum))
CUDA_CPU_FUNCTION(unsigned, __dp2a_lo, (unsigned a, unsigned b, unsigned sum),
                  (cuda_cpu::dot_of_halves<uint16_t, uint8_t>(a, b, sum, 0)))
CUDA_CPU_FUNCTION(unsigned, __dp2a_hi, (unsigned a, unsigned b, unsigned sum),
                  (cuda_cpu::dot_of_halves<uint16_t, uint8_t>(a, b, sum, 16)))
CUDA_CPU_FUNCTION(int, __dp2a_lo, (int a, int b, int sum),
                  ((int)cuda_cpu::dot_of_halves<int16_t, int8_t>(a, b, sum, 0)))
CUDA_CPU_FUNCTION(int, __dp2a_hi, (int a, int b, int sum),
                  ((int)cuda_cpu::dot_of_halves<int16_t, int8_t>(a, b, sum, 16)))
CUDA_CPU_FUNCTION(unsigned, __vabsdiffu4, (unsigned a, unsigned b),
                  cuda_cpu::distance_of_bytes(a, b))
CUDA_CPU_FUNCTION(unsigned, __vsadu4, (unsigned a, unsigned b),
                  cuda_cpu::dot_of_bytes<uint8_t>(__vabsdiffu4(a, b), 0x01010101u, 0))

/* ---- two 16-bit values at a time ------------------------------------------------------------ */

namespace cuda_cpu
{

/* What becomes of each half by itself; it may be of either sign, and wraps. */
template <class Half, class Operation>
inline unsigned by_halves(unsigned a, unsigned b, Operation operation)
{
    unsigned low = (unsigned)operation((Half)a, (Half)b) & 0xffff;
    return (unsigned)operation((Half)(a >> 16), (Half)(b >> 16)) << 16 | low;
}

} /* namespace cuda_cpu */

#define CUDA_CPU_BY_HALVES(name, Half, expression)                                                 \
    CUDA_CPU_FUNCTION(unsigned, name, (unsigned x, unsigned y),                                    \
                      cuda_cpu::by_halves<Half>(x, y, [](int a, int b) { return expression; }))
CUDA_CPU_BY_HALVES(__vadd2, int16_t, a + b)
CUDA_CPU_BY_HALVES(__vsub2, int16_t, a - b)
CUDA_CPU_BY_HALVES(__vmaxs2, int16_t, a > b ? a : b)
CUDA_CPU_BY_HALVES(__vmins2, int16_t, a < b ? a : b)
CUDA_CPU_BY_HALVES(__vimax_s16x2_relu, int16_t, a > b ? (a > 0 ? a : 0) : b > 0 ? b : 0)
#undef CUDA_CPU_BY_HALVES

/* ---- loads and stores with a caching hint: plain ones here ---------------------------------- */

template <class T>
inline T __ldg(const T *pointer)
{
    return *pointer;
}
#define __ldca __ldg
#define __ldcg __ldg
#define __ldcs __ldg
#define __ldlu __ldg
#define __ldcv __ldg

template <class T>
inline void __stwb(T *pointer, T value)
{
    *pointer = value;
}
#define __stcg __stwb
#define __stcs __stwb
#define __stwt __stwb

/* ---- the rest ------------------------------------------------------------------------------- */

/* Nanoseconds, where the device counts cycles. */
inline long long clock64()
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

CUDA_CPU_FUNCTION(void, __trap, (), __builtin_trap())
#undef CUDA_CPU_FUNCTION

#endif
