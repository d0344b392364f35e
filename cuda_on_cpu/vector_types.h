/*
 * vector_types.h - dim3 and CUDA's short vectors, with CUDA's sizes and alignments (C11 and C++).
 *
 * In C++ dim3 has its constructors and every vector its make_* function.
 */
#ifndef CUDA_CPU_VECTOR_TYPES_H
#define CUDA_CPU_VECTOR_TYPES_H

#pragma GCC visibility push(default) /* of both sides: host_calls.awk */

#define CUDA_CPU_VECTOR(name, type, alignment, ...)                                                \
    typedef struct __attribute__((aligned(alignment))) name {                                      \
        type __VA_ARGS__;                                                                          \
    } name;
#ifdef __cplusplus
#define CUDA_CPU_MAKE(name, parameters, ...)                                                       \
    inline constexpr name make_##name parameters                                                   \
    {                                                                                              \
        return {__VA_ARGS__};                                                                      \
    }
#else
#define CUDA_CPU_MAKE(...)
#endif

/* Vectors of 2 and 4 are aligned to their size, up to 16 bytes: one instruction moves one. */
#define CUDA_CPU_VECTORS(type, name, align2, align4)                                               \
    CUDA_CPU_VECTOR(name##1, type, __alignof__(type), x)                                           \
    CUDA_CPU_VECTOR(name##2, type, align2, x, y)                                                   \
    CUDA_CPU_VECTOR(name##3, type, __alignof__(type), x, y, z)                                     \
    CUDA_CPU_VECTOR(name##4, type, align4, x, y, z, w)                                             \
    CUDA_CPU_MAKE(name##1, (type x), x)                                                            \
    CUDA_CPU_MAKE(name##2, (type x, type y), x, y)                                                 \
    CUDA_CPU_MAKE(name##3, (type x, type y, type z), x, y, z)                                      \
    CUDA_CPU_MAKE(name##4, (type x, type y, type z, type w), x, y, z, w)
CUDA_CPU_VECTORS(signed char, char, 2, 4)
CUDA_CPU_VECTORS(unsigned char, uchar, 2, 4)
CUDA_CPU_VECTORS(short, short, 4, 8)
CUDA_CPU_VECTORS(unsigned short, ushort, 4, 8)
CUDA_CPU_VECTORS(int, int, 8, 16)
CUDA_CPU_VECTORS(unsigned int, uint, 8, 16)
CUDA_CPU_VECTORS(long, long, 16, 16)
CUDA_CPU_VECTORS(unsigned long, ulong, 16, 16)
CUDA_CPU_VECTORS(long long, longlong, 16, 16)
CUDA_CPU_VECTORS(unsigned long long, ulonglong, 16, 16)
CUDA_CPU_VECTORS(float, float, 8, 16)
CUDA_CPU_VECTORS(double, double, 16, 16)

#undef CUDA_CPU_VECTORS
#undef CUDA_CPU_VECTOR
#undef CUDA_CPU_MAKE

typedef struct dim3 {
    unsigned int x, y, z;
#ifdef __cplusplus
    constexpr dim3(unsigned int x = 1, unsigned int y = 1, unsigned int z = 1) : x(x), y(y), z(z)
    {
    }
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z)
    {
    }
    constexpr operator uint3() const
    {
        return {x, y, z};
    }
#endif
} dim3;

#pragma GCC visibility pop

#endif
