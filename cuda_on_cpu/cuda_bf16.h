/*
 * cuda_bf16.h - floats of 16 bits with FP32's exponents by CUDA's names: 1 sign, 8 bits of
 * exponent, 7 behind the point. Every operation rounds once, to the nearest, ties to even, as a
 * GPU's.
 */
#ifndef CUDA_CPU_CUDA_BF16_H
#define CUDA_CPU_CUDA_BF16_H

#include <bit>
#include <math.h>
#include <stdint.h>
#include <type_traits>
#include "vector_types.h"

#pragma GCC visibility push(default) /* of both sides: host_calls.awk */

struct __nv_bfloat16 {
    uint16_t bits;
    __nv_bfloat16() = default;
    template <class T>
    requires std::is_arithmetic_v<T> __nv_bfloat16(T value)
    {
        const float number = (float)value;
        const uint32_t all = std::bit_cast<uint32_t>(number);
        bits = isnan(number) ? 0x7fff : (uint16_t)((all + 0x7fff + (all >> 16 & 1)) >> 16);
    }
    operator float() const
    {
        return std::bit_cast<float>((uint32_t)bits << 16);
    }
};

struct alignas(4) __nv_bfloat162 {
    __nv_bfloat16 x, y;
    __nv_bfloat162() = default;
    __nv_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) : x(x), y(y)
    {
    }
};

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

inline float __bfloat162float(__nv_bfloat16 value)
{
    return value;
}

#define __float2bfloat16_rn __float2bfloat16
inline __nv_bfloat16 __float2bfloat16(float value)
{
    return value;
}

inline __nv_bfloat162 __float2bfloat162_rn(float value)
{
    return {value, value};
}

inline __nv_bfloat162 __floats2bfloat162_rn(float x, float y)
{
    return {x, y};
}

inline __nv_bfloat162 __float22bfloat162_rn(float2 v)
{
    return {v.x, v.y};
}

inline float2 __bfloat1622float2(__nv_bfloat162 v)
{
    return {v.x, v.y};
}

inline __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 value)
{
    return {value, value};
}

inline __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 x, __nv_bfloat16 y)
{
    return {x, y};
}

inline __nv_bfloat16 __low2bfloat16(__nv_bfloat162 v)
{
    return v.x;
}

inline __nv_bfloat16 __high2bfloat16(__nv_bfloat162 v)
{
    return v.y;
}

inline float __low2float(__nv_bfloat162 v)
{
    return v.x;
}

inline float __high2float(__nv_bfloat162 v)
{
    return v.y;
}

/*
 * What is worked out as a double becomes a float with its last bit set where it is not exact, and
 * that is rounded: once, in effect.
 */
inline __nv_bfloat16 cuda_cpu_bfloat16(double value)
{
    const float number = (float)value;
    uint32_t bits = std::bit_cast<uint32_t>(number);
    if (isfinite(number) && (double)number != value) {
        bits -= fabs((double)number) > fabs(value); /* towards 0 */
        bits |= 1;
    }
    return std::bit_cast<float>(bits);
}

#define CUDA_CPU_BFLOAT(name, sign)                                                                \
    inline __nv_bfloat16 operator sign(__nv_bfloat16 a, __nv_bfloat16 b)                           \
    {                                                                                              \
        return cuda_cpu_bfloat16((double)(float)a sign(double)(float) b);                          \
    }                                                                                              \
    inline __nv_bfloat162 operator sign(__nv_bfloat162 a, __nv_bfloat162 b)                        \
    {                                                                                              \
        return {a.x sign b.x, a.y sign b.y};                                                       \
    }                                                                                              \
    inline __nv_bfloat16 name(__nv_bfloat16 a, __nv_bfloat16 b)                                    \
    {                                                                                              \
        return a sign b;                                                                           \
    }                                                                                              \
    inline __nv_bfloat162 name##2(__nv_bfloat162 a, __nv_bfloat162 b)                              \
    {                                                                                              \
        return a sign b;                                                                           \
    }                                                                                              \
    inline __nv_bfloat16 &operator sign##=(__nv_bfloat16 &a, __nv_bfloat16 b)                      \
    {                                                                                              \
        return a = a sign b;                                                                       \
    }                                                                                              \
    inline __nv_bfloat162 &operator sign##=(__nv_bfloat162 &a, __nv_bfloat162 b)                   \
    {                                                                                              \
        return a = a sign b;                                                                       \
    }
CUDA_CPU_BFLOAT(__hadd, +)
CUDA_CPU_BFLOAT(__hsub, -)
CUDA_CPU_BFLOAT(__hmul, *)
CUDA_CPU_BFLOAT(__hdiv, /)
#undef CUDA_CPU_BFLOAT

inline __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c)
{
    return cuda_cpu_bfloat16((double)(float)a * (float)b + (float)c);
}

inline __nv_bfloat162 __hfma2(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c)
{
    return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}

#pragma GCC visibility pop

#endif
