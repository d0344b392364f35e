/*
 * cuComplex.h - complex numbers by CUDA's names, in plain C (C11 and C++): pairs of floats or
 * doubles. Quotients and absolute values do not overflow on their way.
 */
#ifndef CUDA_CPU_CUCOMPLEX_H
#define CUDA_CPU_CUCOMPLEX_H

#include <math.h>
#include "vector_types.h"

#pragma GCC visibility push(default) /* of both sides: host_calls.awk */

#ifdef __cplusplus
#define CUDA_CPU_INLINE inline
#else
#define CUDA_CPU_INLINE static inline
#endif

/* All of one type; f: what its functions' names end with. */
#define CUDA_CPU_COMPLEX(complex, pair, real, f)                                                   \
    typedef pair complex;                                                                          \
    CUDA_CPU_INLINE complex make_##complex(real r, real i)                                         \
    {                                                                                              \
        complex z;                                                                                 \
        z.x = r;                                                                                   \
        z.y = i;                                                                                   \
        return z;                                                                                  \
    }                                                                                              \
    CUDA_CPU_INLINE real cuCreal##f(complex z)                                                     \
    {                                                                                              \
        return z.x;                                                                                \
    }                                                                                              \
    CUDA_CPU_INLINE real cuCimag##f(complex z)                                                     \
    {                                                                                              \
        return z.y;                                                                                \
    }                                                                                              \
    CUDA_CPU_INLINE complex cuConj##f(complex z)                                                   \
    {                                                                                              \
        return make_##complex(z.x, -z.y);                                                          \
    }                                                                                              \
    CUDA_CPU_INLINE complex cuCadd##f(complex a, complex b)                                        \
    {                                                                                              \
        return make_##complex(a.x + b.x, a.y + b.y);                                               \
    }                                                                                              \
    CUDA_CPU_INLINE complex cuCsub##f(complex a, complex b)                                        \
    {                                                                                              \
        return make_##complex(a.x - b.x, a.y - b.y);                                               \
    }                                                                                              \
    CUDA_CPU_INLINE complex cuCmul##f(complex a, complex b)                                        \
    {                                                                                              \
        return make_##complex(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);                       \
    }                                                                                              \
    CUDA_CPU_INLINE complex cuCfma##f(complex a, complex b, complex c)                             \
    {                                                                                              \
        return cuCadd##f(cuCmul##f(a, b), c);                                                      \
    }                                                                                              \
    CUDA_CPU_INLINE complex cuCdiv##f(complex a, complex b)                                        \
    {                                                                                              \
        const real size = fabs##f(b.x) + fabs##f(b.y);                                             \
        const real r = b.x / size, i = b.y / size, square = r * r + i * i;                         \
        const complex to = make_##complex(a.x / size, a.y / size);                                 \
        return make_##complex((to.x * r + to.y * i) / square, (to.y * r - to.x * i) / square);     \
    }                                                                                              \
    CUDA_CPU_INLINE real cuCabs##f(complex z)                                                      \
    {                                                                                              \
        return hypot##f(z.x, z.y);                                                                 \
    }
CUDA_CPU_COMPLEX(cuFloatComplex, float2, float, f)
CUDA_CPU_COMPLEX(cuDoubleComplex, double2, double, )
#undef CUDA_CPU_COMPLEX

typedef cuFloatComplex cuComplex;
#define make_cuComplex make_cuFloatComplex

CUDA_CPU_INLINE cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z)
{
    return make_cuDoubleComplex(z.x, z.y);
}

CUDA_CPU_INLINE cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z)
{
    return make_cuFloatComplex((float)z.x, (float)z.y);
}

#undef CUDA_CPU_INLINE
#pragma GCC visibility pop

#endif
