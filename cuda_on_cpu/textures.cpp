/*
 * textures.cpp - arrays, whose rows lie one after the other here, and texture objects of them, of
 * device memory in one piece, or of rows.
 */
#include "cuda_runtime.h"
#include "engine.h"

using namespace cuda_cpu;

struct cudaArray {
    cudaChannelFormatDesc format;
    size_t width, height, pitch; /* of one dimension, too, there is a row */
    char *texels;
};

/* A texture begins at such a multiple of bytes from its memory's start; rows are multiples, too. */
enum { TEXTURE_ALIGNMENT = 512, PITCH_ALIGNMENT = 32 };

/* Returns the bytes of a texel; 0: there is no such format here. */
static size_t bytes_of(const cudaChannelFormatDesc &format)
{
    const int count = channels_of(format), bits = format.x;
    const bool size =
        bits == 32 || (format.f != cudaChannelFormatKindFloat && (bits == 8 || bits == 16));
    const bool alike = (count < 2 || format.y == bits) && (count < 3 || format.z == bits) &&
                       (count < 4 || format.w == bits);
    return size && alike && count != 3 && format.f != cudaChannelFormatKindNone
               ? (size_t)(count * bits / 8)
               : 0;
}

cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind f)
{
    return {x, y, z, w, f};
}

cudaError_t cudaMallocArray(cudaArray_t *array, const cudaChannelFormatDesc *desc, size_t width,
                            size_t height, unsigned flags)
{
    const size_t bytes = desc ? bytes_of(*desc) : 0;
    if (!array || !desc || width == 0 || flags != cudaArrayDefault)
        return set_error(cudaErrorInvalidValue);
    if (bytes == 0)
        return set_error(cudaErrorInvalidChannelDescriptor);
    cudaArray made = {*desc, width, height ? height : 1, width * bytes, nullptr};
    const cudaError_t error = cudaMalloc((void **)&made.texels, made.pitch * made.height);
    if (error == cudaSuccess)
        *array = new cudaArray(made);
    return error;
}

cudaError_t cudaFreeArray(cudaArray_t array)
{
    if (!array)
        return cudaSuccess;
    const cudaError_t error = cudaFree(array->texels);
    delete array;
    return error;
}

/* Is this within the array, in bytes and rows? */
static bool is_inside(cudaArray_const_t array, size_t x, size_t y, size_t width, size_t height)
{
    return array && x <= array->pitch && width <= array->pitch - x && y <= array->height &&
           height <= array->height - y;
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src,
                                size_t spitch, size_t width, size_t height, cudaMemcpyKind kind)
{
    if (!is_inside(dst, wOffset, hOffset, width, height))
        return set_error(cudaErrorInvalidValue);
    return cudaMemcpy2D(dst->texels + hOffset * dst->pitch + wOffset, dst->pitch, src, spitch,
                        width, height, kind);
}

cudaError_t cudaMemcpy2DFromArray(void *dst, size_t dpitch, cudaArray_const_t src, size_t wOffset,
                                  size_t hOffset, size_t width, size_t height, cudaMemcpyKind kind)
{
    if (!is_inside(src, wOffset, hOffset, width, height))
        return set_error(cudaErrorInvalidValue);
    return cudaMemcpy2D(dst, dpitch, src->texels + hOffset * src->pitch + wOffset, src->pitch,
                        width, height, kind);
}

/* Copies bytes to where they begin in the array, over the ends of rows. */
cudaError_t cudaMemcpyToArray(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src,
                              size_t count, cudaMemcpyKind kind)
{
    if (!is_inside(dst, wOffset, hOffset, 0, 0) ||
        count > dst->pitch * (dst->height - hOffset) - wOffset)
        return set_error(cudaErrorInvalidValue);
    return cudaMemcpy(dst->texels + hOffset * dst->pitch + wOffset, src, count, kind);
}

/* Describes what the texture is of; its format is not looked at. */
static cudaError_t describe(texture *t, const cudaResourceDesc &of)
{
    if (of.resType == cudaResourceTypeArray && of.res.array.array) {
        const cudaArray &a = *of.res.array.array;
        *t = {a.texels, a.width, a.height, a.pitch, a.format, {}};
    } else if (of.resType == cudaResourceTypeLinear) {
        const size_t bytes = bytes_of(of.res.linear.desc);
        *t = {(const char *)of.res.linear.devPtr,
              bytes ? of.res.linear.sizeInBytes / bytes : 0,
              1,
              0,
              of.res.linear.desc,
              {}};
    } else if (of.resType == cudaResourceTypePitch2D) {
        const auto &rows = of.res.pitch2D;
        *t = {(const char *)rows.devPtr, rows.width, rows.height, rows.pitchInBytes, rows.desc, {}};
        if (rows.pitchInBytes % PITCH_ALIGNMENT != 0 ||
            rows.pitchInBytes < rows.width * bytes_of(rows.desc))
            return cudaErrorInvalidValue;
    } else
        return cudaErrorInvalidValue;
    const memory_range all = memory_around(t->texels);
    const bool aligned = all.start && (t->texels - all.start) % TEXTURE_ALIGNMENT == 0;
    return aligned && t->width && t->height ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *object, const cudaResourceDesc *of,
                                    const cudaTextureDesc *how, const cudaResourceViewDesc *view)
{
    texture t;
    if (!object || !of || !how || view || how->sRGB)
        return set_error(cudaErrorInvalidValue);
    const cudaError_t error = describe(&t, *of);
    if (error != cudaSuccess)
        return set_error(error);
    if (bytes_of(t.format) == 0)
        return set_error(cudaErrorInvalidChannelDescriptor);
    const bool integers = t.format.f != cudaChannelFormatKindFloat;
    const bool as_float = how->readMode == cudaReadModeNormalizedFloat;
    if (as_float && (!integers || t.format.x == 32))
        return set_error(cudaErrorInvalidNormSetting);
    if (how->filterMode == cudaFilterModeLinear &&
        ((integers && !as_float) || of->resType == cudaResourceTypeLinear))
        return set_error(cudaErrorInvalidFilterSetting);
    t.how = *how;
    *object = (cudaTextureObject_t) new texture(t);
    return cudaSuccess;
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object)
{
    delete (texture *)object;
    return cudaSuccess;
}
