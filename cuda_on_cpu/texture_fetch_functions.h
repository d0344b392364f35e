/*
 * texture_fetch_functions.h - tex1Dfetch, tex1D and tex2D of texture objects. CUDA C++ Programming
 * Guide, "Texture Fetching": what lies beyond an edge; coordinates from 0 to 1; between texels
 * the weights are of 8 bits.
 */
#ifndef CUDA_CPU_TEXTURE_FETCH_FUNCTIONS_H
#define CUDA_CPU_TEXTURE_FETCH_FUNCTIONS_H

#include "cuda_runtime_api.h"
#include <cmath>
#include <cstring>
#include <type_traits>

#pragma GCC visibility push(default) /* of both sides: host_calls.awk */

namespace cuda_cpu
{

/* What a texture object is the address of. Without rows it has one. */
struct texture {
    const char *texels;
    size_t width, height, pitch;
    cudaChannelFormatDesc format;
    cudaTextureDesc how;
};

inline int channels_of(const cudaChannelFormatDesc &f)
{
    return 1 + (f.y > 0) + (f.z > 0) + (f.w > 0);
}

/* Returns a copy: it is no memory of the kernel's, whose accesses are looked at. */
CUDA_CPU_GLUE inline texture texture_of(cudaTextureObject_t object)
{
    return *(const texture *)object;
}

/* Returns the texel that i stands for, of n; -1: the border's colour. */
inline long texel_at(long i, long n, cudaTextureAddressMode mode, bool normalized)
{
    const long in_two = ((i % (2 * n)) + 2 * n) % (2 * n);
    if (i >= 0 && i < n)
        return i;
    if (mode == cudaAddressModeBorder)
        return -1;
    if (normalized && mode == cudaAddressModeWrap)
        return in_two % n;
    if (normalized && mode == cudaAddressModeMirror)
        return in_two < n ? in_two : 2 * n - 1 - in_two;
    return i < 0 ? 0 : n - 1;
}

/* Reads the first `count` of a texel's channels, which have a size each. */
template <class T>
void read_channels(double (&to)[4], const char *texel, int count, double largest)
{
    for (int c = 0; c < count; c++) {
        const double value = (double)((const T *)texel)[c];
        to[c] = largest == 0 ? value : std::fmax(value / largest, -1.0);
    }
}

/* Reads a texel; channels that it has not are 0. */
inline void read_texel(double (&to)[4], const texture &t, long x, long y)
{
    const cudaChannelFormatDesc &f = t.format;
    const int count = channels_of(f), bytes = f.x / 8;
    const bool as_float = t.how.readMode == cudaReadModeNormalizedFloat;
    const bool has_sign = f.f == cudaChannelFormatKindSigned;
    x = texel_at(x, (long)t.width, t.how.addressMode[0], t.how.normalizedCoords);
    y = texel_at(y, (long)t.height, t.how.addressMode[1], t.how.normalizedCoords);
    for (int c = 0; c < 4; c++)
        to[c] = x < 0 || y < 0 ? (double)t.how.borderColor[c] : 0;
    if (x < 0 || y < 0)
        return;
    const char *texel = t.texels + (size_t)y * t.pitch + (size_t)(x * count * bytes);
    if (f.f == cudaChannelFormatKindFloat)
        read_channels<float>(to, texel, count, 0);
    else if (bytes == 1 && has_sign)
        read_channels<signed char>(to, texel, count, as_float ? 127 : 0);
    else if (bytes == 1)
        read_channels<unsigned char>(to, texel, count, as_float ? 255 : 0);
    else if (bytes == 2 && has_sign)
        read_channels<short>(to, texel, count, as_float ? 32767 : 0);
    else if (bytes == 2)
        read_channels<unsigned short>(to, texel, count, as_float ? 65535 : 0);
    else if (has_sign)
        read_channels<int>(to, texel, count, 0);
    else
        read_channels<unsigned>(to, texel, count, 0);
}

/* A coordinate lies between texels i and i + 1, this far from i. */
struct between {
    long i;
    double weight;
};

inline between place_between(float x, size_t n, const cudaTextureDesc &how)
{
    double at = how.normalizedCoords ? (double)x * (double)n : (double)x;
    if (how.filterMode == cudaFilterModePoint)
        return {(long)std::floor(at), 0};
    at -= 0.5;
    return {(long)std::floor(at), std::round((at - std::floor(at)) * 256) / 256};
}

/* Makes a number, or a short vector, of channels. */
template <class T>
T of_channels(const double (&channels)[4])
{
    if constexpr (std::is_arithmetic_v<T>)
        return (T)channels[0];
    else {
        typedef decltype(T::x) channel;
        channel parts[sizeof(T) / sizeof(channel)];
        T result;
        for (size_t c = 0; c < sizeof(T) / sizeof(channel); c++)
            parts[c] = (channel)channels[c];
        memcpy(&result, parts, sizeof result);
        return result;
    }
}

template <class T>
T fetch(const texture &t, between x, between y)
{
    double sum[4] = {}, texel[4];
    for (int corner = 0; corner < 4; corner++) {
        const int right = corner % 2, below = corner / 2;
        const double weight = (right ? x.weight : 1 - x.weight) * (below ? y.weight : 1 - y.weight);
        if (weight == 0)
            continue;
        read_texel(texel, t, x.i + right, y.i + below);
        for (int c = 0; c < 4; c++)
            sum[c] += weight * texel[c];
    }
    return of_channels<T>(sum);
}

} /* namespace cuda_cpu */

/* Fetches from memory without an array: x is the texel's number; beyond it there are zeros. */
template <class T>
T tex1Dfetch(cudaTextureObject_t object, int x)
{
    cuda_cpu::texture t = cuda_cpu::texture_of(object);
    t.how.addressMode[0] = cudaAddressModeBorder;
    for (float &colour : t.how.borderColor)
        colour = 0;
    return cuda_cpu::fetch<T>(t, {x, 0}, {0, 0});
}

template <class T>
T tex1D(cudaTextureObject_t object, float x)
{
    const cuda_cpu::texture t = cuda_cpu::texture_of(object);
    return cuda_cpu::fetch<T>(t, cuda_cpu::place_between(x, t.width, t.how), {0, 0});
}

template <class T>
T tex2D(cudaTextureObject_t object, float x, float y)
{
    const cuda_cpu::texture t = cuda_cpu::texture_of(object);
    return cuda_cpu::fetch<T>(t, cuda_cpu::place_between(x, t.width, t.how),
                              cuda_cpu::place_between(y, t.height, t.how));
}

#pragma GCC visibility pop

#endif
