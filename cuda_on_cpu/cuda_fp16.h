/*
 * cuda_fp16.h - floats of 16 bits by CUDA's names: 1 sign, 5 bits of exponent, 10 behind the point.
 * Every operation rounds to the nearest, ties to even, as a GPU's. Those that the labs need.
 */
#ifndef CUDA_CPU_CUDA_FP16_H
#define CUDA_CPU_CUDA_FP16_H

#include <bit>
#include <math.h>
#include <stdint.h>
#include <type_traits>
#include "vector_types.h"

#pragma GCC visibility push(default) /* of both sides: host_calls.awk */

/* Converts from any number and to a float. */
struct __half {
    uint16_t bits;
    __half() = default;
    template <class T>
    requires std::is_arithmetic_v<T>
    inline __half(T value);
    inline operator float() const;
};

struct alignas(4) __half2 {
    __half x, y;
    __half2() = default;
    __half2(__half x, __half y) : x(x), y(y)
    {
    }
};

typedef __half half;
typedef __half2 half2;

/* ---- to floats and back --------------------------------------------------------------------- */

inline float __half2float(__half h)
{
    uint32_t sign = (uint32_t)(h.bits & 0x8000) << 16, rest = h.bits & 0x7fff;
    if (rest >= 0x7c00) /* infinity, NaN: the exponent is all ones */
        return std::bit_cast<float>(sign | 0x7f800000 | (rest & 0x3ff) << 13);
    /* 127 - 15 is what the exponents are apart: the product is exact, of subnormals, too */
    return std::bit_cast<float>(sign | rest << 13) * 0x1p112f;
}

/* A double, so that a sum of products is rounded only here, but for those beyond 53 bits. */
inline __half cuda_cpu_half(double value)
{
    uint16_t sign = std::signbit(value) ? 0x8000 : 0;
    double size = fabs(value);
    if (!(size < 65520)) /* rounds to 65536, which there is none of */
        return std::bit_cast<__half>((uint16_t)(sign | (size >= 65520 ? 0x7c00 : 0x7e00)));
    int exponent = size < 0x1p-14 ? -14 : ilogb(size);
    double units = rint(ldexp(size, 10 - exponent)); /* of the last bit: 1024 to 2048, or less */
    return std::bit_cast<__half>((uint16_t)(sign | ((exponent + 14) * 1024 + (int)units)));
}

template <class T>
requires std::is_arithmetic_v<T>
inline __half::__half(T value) : bits(cuda_cpu_half((double)value).bits)
{
}

inline __half::operator float() const
{
    return __half2float(*this);
}

#define __float2half_rn __float2half
inline __half __float2half(float value)
{
    return cuda_cpu_half(value);
}

inline __half2 __float2half2_rn(float x)
{
    return {cuda_cpu_half(x), cuda_cpu_half(x)};
}

inline __half2 __floats2half2_rn(float x, float y)
{
    return {cuda_cpu_half(x), cuda_cpu_half(y)};
}

inline float __low2float(__half2 h)
{
    return __half2float(h.x);
}

inline float __high2float(__half2 h)
{
    return __half2float(h.y);
}

inline __half2 __halves2half2(__half x, __half y)
{
    return {x, y};
}

inline __half2 __half2half2(__half x)
{
    return {x, x};
}

inline __half __low2half(__half2 h)
{
    return h.x;
}

inline __half __high2half(__half2 h)
{
    return h.y;
}

inline float2 __half22float2(__half2 h)
{
    return {__half2float(h.x), __half2float(h.y)};
}

inline __half2 __float22half2_rn(float2 v)
{
    return {cuda_cpu_half(v.x), cuda_cpu_half(v.y)};
}

/* ---- two at once ----------------------------------------------------------------------------- */

inline __half2 __hadd2(__half2 a, __half2 b)
{
    return {cuda_cpu_half((double)__half2float(a.x) + __half2float(b.x)),
            cuda_cpu_half((double)__half2float(a.y) + __half2float(b.y))};
}

inline __half2 __hmul2(__half2 a, __half2 b)
{
    return {cuda_cpu_half((double)__half2float(a.x) * __half2float(b.x)),
            cuda_cpu_half((double)__half2float(a.y) * __half2float(b.y))};
}

inline __half2 __hfma2(__half2 a, __half2 b, __half2 c)
{
    return {cuda_cpu_half((double)__half2float(a.x) * __half2float(b.x) + __half2float(c.x)),
            cuda_cpu_half((double)__half2float(a.y) * __half2float(b.y) + __half2float(c.y))};
}

/* ---- arithmetic's signs, of one and of two ----------------------------------------------------
 */

#define CUDA_CPU_HALF(name, sign)                                                                  \
    inline __half operator sign(__half a, __half b)                                                \
    {                                                                                              \
        return cuda_cpu_half((double)__half2float(a) sign __half2float(b));                        \
    }                                                                                              \
    inline __half2 operator sign(__half2 a, __half2 b)                                             \
    {                                                                                              \
        return {a.x sign b.x, a.y sign b.y};                                                       \
    }                                                                                              \
    inline __half name(__half a, __half b)                                                         \
    {                                                                                              \
        return a sign b;                                                                           \
    }                                                                                              \
    inline __half &operator sign##=(__half &a, __half b)                                           \
    {                                                                                              \
        return a = a sign b;                                                                       \
    }                                                                                              \
    inline __half2 &operator sign##=(__half2 &a, __half2 b)                                        \
    {                                                                                              \
        return a = a sign b;                                                                       \
    }
CUDA_CPU_HALF(__hadd, +)
CUDA_CPU_HALF(__hsub, -)
CUDA_CPU_HALF(__hmul, *)
CUDA_CPU_HALF(__hdiv, /)
#undef CUDA_CPU_HALF

/* ---- the rest of one ------------------------------------------------------------------------- */

inline __half __hfma(__half a, __half b, __half c)
{
    return cuda_cpu_half((double)__half2float(a) * __half2float(b) + __half2float(c));
}

inline __half __hneg(__half h)
{
    return std::bit_cast<__half>((uint16_t)(h.bits ^ 0x8000));
}

inline __half __habs(__half h)
{
    return std::bit_cast<__half>((uint16_t)(h.bits & 0x7fff));
}

inline bool __hisnan(__half h)
{
    return (h.bits & 0x7fff) > 0x7c00;
}

/* With a NaN none holds, __hne neither. */
#define CUDA_CPU_HALF(name, expression)                                                            \
    inline bool name(__half x, __half y)                                                           \
    {                                                                                              \
        const float a = __half2float(x), b = __half2float(y);                                      \
        return expression;                                                                         \
    }
CUDA_CPU_HALF(__heq, a == b)
CUDA_CPU_HALF(__hne, a<b || a> b)
CUDA_CPU_HALF(__hlt, a < b)
CUDA_CPU_HALF(__hle, a <= b)
CUDA_CPU_HALF(__hgt, a > b)
CUDA_CPU_HALF(__hge, a >= b)
#undef CUDA_CPU_HALF

/* Takes the number of a number and a NaN; +0 is more than -0. */
inline __half __hmax(__half a, __half b)
{
    return __hisnan(b) || __hgt(a, b) || (__heq(a, b) && b.bits == 0x8000) ? a : b;
}

inline __half __hmin(__half a, __half b)
{
    return __hisnan(b) || __hlt(a, b) || (__heq(a, b) && a.bits == 0x8000) ? a : b;
}

#define CUDA_CPU_HALF(name, expression)                                                            \
    inline __half name(__half h)                                                                   \
    {                                                                                              \
        const double x = __half2float(h);                                                          \
        return cuda_cpu_half(expression);                                                          \
    }
CUDA_CPU_HALF(hsqrt, sqrt(x))
CUDA_CPU_HALF(hrsqrt, 1 / sqrt(x))
CUDA_CPU_HALF(hrcp, 1 / x)
CUDA_CPU_HALF(hexp, exp(x))
CUDA_CPU_HALF(hexp2, exp2(x))
CUDA_CPU_HALF(hlog, log(x))
CUDA_CPU_HALF(hlog2, log2(x))
CUDA_CPU_HALF(hsin, sin(x))
CUDA_CPU_HALF(hcos, cos(x))
#undef CUDA_CPU_HALF

#pragma GCC visibility pop

#endif
