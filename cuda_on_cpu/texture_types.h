/*
 * texture_types.h - arrays and texture objects of one and two dimensions, as the toolkit has them
 * (C11 and C++); the calls are in textures.cpp, what kernels call in texture_fetch_functions.h.
 */
#ifndef CUDA_CPU_TEXTURE_TYPES_H
#define CUDA_CPU_TEXTURE_TYPES_H

#include <stddef.h>

enum cudaChannelFormatKind {
    cudaChannelFormatKindSigned,
    cudaChannelFormatKindUnsigned,
    cudaChannelFormatKindFloat,
    cudaChannelFormatKindNone
};
struct cudaChannelFormatDesc {
    int x, y, z, w; /* bits */
    enum cudaChannelFormatKind f;
};

enum cudaTextureAddressMode {
    cudaAddressModeWrap,
    cudaAddressModeClamp,
    cudaAddressModeMirror,
    cudaAddressModeBorder
};
enum cudaTextureFilterMode { cudaFilterModePoint, cudaFilterModeLinear };
enum cudaTextureReadMode { cudaReadModeElementType, cudaReadModeNormalizedFloat };
struct cudaTextureDesc {
    enum cudaTextureAddressMode addressMode[3];
    enum cudaTextureFilterMode filterMode;
    enum cudaTextureReadMode readMode;
    int sRGB;
    float borderColor[4];
    int normalizedCoords;
};

typedef struct cudaArray *cudaArray_t;
typedef const struct cudaArray *cudaArray_const_t;
enum { cudaArrayDefault };
enum cudaResourceType {
    cudaResourceTypeArray,
    cudaResourceTypeMipmappedArray, /* refused */
    cudaResourceTypeLinear,
    cudaResourceTypePitch2D
};
struct cudaResourceDesc {
    enum cudaResourceType resType;
    union {
        struct {
            cudaArray_t array;
        } array;
        struct {
            void *devPtr;
            struct cudaChannelFormatDesc desc;
            size_t sizeInBytes;
        } linear;
        struct {
            void *devPtr;
            struct cudaChannelFormatDesc desc;
            size_t width, height, pitchInBytes;
        } pitch2D;
    } res;
};
struct cudaResourceViewDesc; /* NULL: there are no other views */
typedef unsigned long long cudaTextureObject_t;

#endif
