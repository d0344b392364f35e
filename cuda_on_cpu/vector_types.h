/*
 * vector_types.h - dim3 and CUDA's short vectors, with CUDA's sizes and alignments (C11 and C++).
 *
 * In C++ dim3 has its constructors and every vector its make_* function.
 */
#ifndef CUDA_CPU_VECTOR_TYPES_H
#define CUDA_CPU_VECTOR_TYPES_H

#ifdef __cplusplus
#define CUDA_CPU_MAKE_VECTORS(type, name)                                                          \
    inline constexpr name##1 make_##name##1(type x)                                                \
    {                                                                                              \
        return {x};                                                                                \
    }                                                                                              \
    inline constexpr name##2 make_##name##2(type x, type y)                                        \
    {                                                                                              \
        return {x, y};                                                                             \
    }                                                                                              \
    inline constexpr name##3 make_##name##3(type x, type y, type z)                                \
    {                                                                                              \
        return {x, y, z};                                                                          \
    }                                                                                              \
    inline constexpr name##4 make_##name##4(type x, type y, type z, type w)                        \
    {                                                                                              \
        return {x, y, z, w};                                                                       \
    }
#else
#define CUDA_CPU_MAKE_VECTORS(type, name)
#endif

/* Vectors of 2 and 4 are aligned to their size, up to 16 bytes, so that one instruction moves one.
 */
#define CUDA_CPU_VECTORS(type, name, align2, align4)                                               \
    typedef struct name##1                                                                         \
    {                                                                                              \
        type x;                                                                                    \
    }                                                                                              \
    name##1;                                                                                       \
    typedef struct __attribute__((aligned(align2))) name##2                                        \
    {                                                                                              \
        type x, y;                                                                                 \
    }                                                                                              \
    name##2;                                                                                       \
    typedef struct name##3                                                                         \
    {                                                                                              \
        type x, y, z;                                                                              \
    }                                                                                              \
    name##3;                                                                                       \
    typedef struct __attribute__((aligned(align4))) name##4                                        \
    {                                                                                              \
        type x, y, z, w;                                                                           \
    }                                                                                              \
    name##4;                                                                                       \
    CUDA_CPU_MAKE_VECTORS(type, name)

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
#undef CUDA_CPU_MAKE_VECTORS

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

#endif
