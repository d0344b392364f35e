/*
 * cuda_bf16.h - floats of 16 bits with FP32's exponents by CUDA's names: 1 sign, 8 bits of
 * exponent, 7 behind the point. Conversions alone; they round to the nearest, ties to even, as a
 * GPU's.
 */
#ifndef CUDA_CPU_CUDA_BF16_H
#define CUDA_CPU_CUDA_BF16_H

#include <bit>
#include <math.h>
#include <stdint.h>
#include <type_traits>

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

typedef __nv_bfloat16 nv_bfloat16;

inline float __bfloat162float(__nv_bfloat16 value)
{
    return value;
}

#define __float2bfloat16_rn __float2bfloat16
inline __nv_bfloat16 __float2bfloat16(float value)
{
    return value;
}

#pragma GCC visibility pop

#endif
