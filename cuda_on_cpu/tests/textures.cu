/*
 * textures.cu - texture objects: what lies where, beyond edges and between texels, and what is
 * refused. The expected values are worked out by hand; they are a GPU's, too.
 */
#include "cuda_runtime.h"
#include <math.h>
#include <string.h>
#include "check.h"

enum { WIDTH = 4, HEIGHT = 3 };

/* Fetches at n places. */
template <class T>
__global__ void fetch_2d(cudaTextureObject_t from, const float2 *places, T *to, int n)
{
    const int i = (int)threadIdx.x;
    if (i < n)
        to[i] = tex2D<T>(from, places[i].x, places[i].y);
}

template <class T>
__global__ void fetch_1d(cudaTextureObject_t from, T *to, int n, bool whole)
{
    const int i = (int)threadIdx.x;
    if (i < n)
        to[i] = whole ? tex1Dfetch<T>(from, i - 1) : tex1D<T>(from, 0.5f * i);
}

static cudaTextureDesc description(cudaTextureAddressMode mode, cudaTextureFilterMode filter,
                                   cudaTextureReadMode read, bool normalized)
{
    cudaTextureDesc how;
    memset(&how, 0, sizeof how);
    how.addressMode[0] = how.addressMode[1] = mode;
    how.filterMode = filter;
    how.readMode = read;
    how.normalizedCoords = normalized;
    return how;
}

/* Returns an array of WIDTH x HEIGHT floats: 10 y + x. */
static cudaArray_t numbered()
{
    float texels[HEIGHT][WIDTH];
    cudaArray_t array;
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            texels[y][x] = (float)(10 * y + x);
    CHECK(cudaMallocArray(&array, &format, WIDTH, HEIGHT));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, texels, sizeof texels[0], sizeof texels[0], HEIGHT,
                              cudaMemcpyHostToDevice));
    return array;
}

static cudaTextureObject_t texture_of(cudaArray_t array, const cudaTextureDesc &how)
{
    cudaResourceDesc of;
    cudaTextureObject_t made;
    memset(&of, 0, sizeof of);
    of.resType = cudaResourceTypeArray;
    of.res.array.array = array;
    CHECK(cudaCreateTextureObject(&made, &of, &how, NULL));
    return made;
}

/* Has the texture these values at these places? */
template <class T, int N>
static bool has(cudaTextureObject_t texture, const float2 (&places)[N], const T (&values)[N])
{
    T got[N], *to;
    float2 *at;
    CHECK(cudaMalloc(&to, sizeof got));
    CHECK(cudaMalloc(&at, sizeof places));
    CHECK(cudaMemcpy(at, places, sizeof places, cudaMemcpyHostToDevice));
    fetch_2d<T><<<1, 32>>>(texture, at, to, N);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got, to, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(to));
    CHECK(cudaFree(at));
    return memcmp(got, values, sizeof got) == 0;
}

static void test_edges(cudaArray_t array)
{
    const float2 beyond[] = {{-0.5f, 0.5f}, {4.5f, 2.5f}, {3.99f, -7}, {1, 2}};
    const cudaTextureObject_t clamped =
        texture_of(array, description(cudaAddressModeClamp, cudaFilterModePoint,
                                      cudaReadModeElementType, false));
    RESULT(has(clamped, beyond, {0.0f, 23.0f, 3.0f, 21.0f}), "clamp: the edge's texels, and floor");
    cudaTextureDesc border =
        description(cudaAddressModeBorder, cudaFilterModePoint, cudaReadModeElementType, false);
    border.borderColor[0] = 7;
    const cudaTextureObject_t bordered = texture_of(array, border);
    RESULT(has(bordered, beyond, {7.0f, 7.0f, 7.0f, 21.0f}), "border: its colour");
    const float2 around[] = {{1.125f, 0.5f}, {-0.125f, 1.5f}, {1.625f, -0.5f}, {0.5f, 0.5f}};
    const cudaTextureObject_t wrapped =
        texture_of(array, description(cudaAddressModeWrap, cudaFilterModePoint,
                                      cudaReadModeElementType, true));
    RESULT(has(wrapped, around, {10.0f, 13.0f, 12.0f, 12.0f}), "wrap: from 0 to 1 again and again");
    const cudaTextureObject_t mirrored =
        texture_of(array, description(cudaAddressModeMirror, cudaFilterModePoint,
                                      cudaReadModeElementType, true));
    RESULT(has(mirrored, around, {13.0f, 10.0f, 11.0f, 12.0f}), "mirror: to and fro");
    CHECK(cudaDestroyTextureObject(clamped));
    CHECK(cudaDestroyTextureObject(bordered));
    CHECK(cudaDestroyTextureObject(wrapped));
    CHECK(cudaDestroyTextureObject(mirrored));
}

static void test_filter(cudaArray_t array)
{
    const float2 between[] = {{1.5f, 1.5f}, {2, 1.5f}, {1.5f, 2.25f}, {0.25f, 0}, {1.501f, 0.5f}};
    const cudaTextureObject_t linear =
        texture_of(array, description(cudaAddressModeClamp, cudaFilterModeLinear,
                                      cudaReadModeElementType, false));
    RESULT(has(linear, between, {11.0f, 11.5f, 18.5f, 0.0f, 1.0f}),
           "linear: by the distance from the texels' middles, in 256 steps");
    CHECK(cudaDestroyTextureObject(linear));
}

static void test_bytes()
{
    uchar4 *rows, texels[2][8] = {};
    size_t pitch;
    texels[1][6] = make_uchar4(255, 51, 0, 102);
    CHECK(cudaMallocPitch(&rows, &pitch, sizeof texels[0], 2));
    CHECK(cudaMemcpy2D(rows, pitch, texels, sizeof texels[0], sizeof texels[0], 2,
                       cudaMemcpyHostToDevice));
    cudaResourceDesc of;
    memset(&of, 0, sizeof of);
    of.resType = cudaResourceTypePitch2D;
    of.res.pitch2D = {rows, cudaCreateChannelDesc<uchar4>(), 8, 2, pitch};
    cudaTextureObject_t as_floats, as_bytes;
    cudaTextureDesc how =
        description(cudaAddressModeClamp, cudaFilterModePoint, cudaReadModeNormalizedFloat, false);
    CHECK(cudaCreateTextureObject(&as_floats, &of, &how, NULL));
    how.readMode = cudaReadModeElementType;
    CHECK(cudaCreateTextureObject(&as_bytes, &of, &how, NULL));
    RESULT(has(as_bytes, {{6.5f, 1.5f}}, {make_uchar4(255, 51, 0, 102)}), "bytes in rows");
    RESULT(has(as_floats, {{6.5f, 1.5f}}, {make_float4(1, 0.2f, 0, 0.4f)}), "from 0 to 1");
    how.filterMode = cudaFilterModeLinear;
    RESULT(cudaCreateTextureObject(&as_bytes, &of, &how, NULL) == cudaErrorInvalidFilterSetting &&
               cudaGetLastError() == cudaErrorInvalidFilterSetting,
           "nothing lies between bytes");
    CHECK(cudaDestroyTextureObject(as_floats));
    CHECK(cudaDestroyTextureObject(as_bytes));
    CHECK(cudaFree(rows));
}

static void test_linear_memory()
{
    enum { N = 6 };
    int *memory, *to, got[N + 2], numbers[N] = {5, -6, 7, -8, 9, -10};
    cudaResourceDesc of;
    memset(&of, 0, sizeof of);
    CHECK(cudaMalloc(&memory, sizeof numbers));
    CHECK(cudaMalloc(&to, sizeof got));
    CHECK(cudaMemcpy(memory, numbers, sizeof numbers, cudaMemcpyHostToDevice));
    of.resType = cudaResourceTypeLinear;
    of.res.linear = {memory, cudaCreateChannelDesc<int>(), sizeof numbers};
    cudaTextureDesc how =
        description(cudaAddressModeClamp, cudaFilterModePoint, cudaReadModeElementType, false);
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &of, &how, NULL));
    fetch_1d<int><<<1, 32>>>(texture, to, N + 2, true);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got, to, sizeof got, cudaMemcpyDeviceToHost));
    RESULT(memcmp(got + 1, numbers, sizeof numbers) == 0 && got[0] == 0 && got[N + 1] == 0,
           "device memory, by the texel's number, and zeros beyond");
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFree(memory));
    CHECK(cudaFree(to));
}

static void test_one_dimension()
{
    enum { N = 8 };
    const float texels[WIDTH] = {1, 2, 4, 8};
    float *to, got[N];
    cudaArray_t array;
    const cudaChannelFormatDesc format =
        cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
    CHECK(cudaMallocArray(&array, &format, WIDTH));
    CHECK(cudaMemcpyToArray(array, 0, 0, texels, sizeof texels, cudaMemcpyHostToDevice));
    CHECK(cudaMalloc(&to, sizeof got));
    const cudaTextureObject_t linear =
        texture_of(array, description(cudaAddressModeClamp, cudaFilterModeLinear,
                                      cudaReadModeElementType, false));
    fetch_1d<float><<<1, 32>>>(linear, to, N, false);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got, to, sizeof got, cudaMemcpyDeviceToHost));
    const float wanted[N] = {1, 1, 1.5f, 2, 3, 4, 6, 8};
    RESULT(memcmp(got, wanted, sizeof got) == 0, "one dimension");
    float back[WIDTH];
    CHECK(cudaMemcpy2DFromArray(back, sizeof back, array, 0, 0, sizeof back, 1,
                                cudaMemcpyDeviceToHost));
    RESULT(memcmp(back, texels, sizeof back) == 0, "an array is copied back");
    RESULT(cudaMemcpyToArray(array, 4, 0, texels, sizeof texels, cudaMemcpyHostToDevice) ==
                   cudaErrorInvalidValue &&
               cudaGetLastError() == cudaErrorInvalidValue,
           "no more than it has room for");
    CHECK(cudaDestroyTextureObject(linear));
    CHECK(cudaFreeArray(array));
    CHECK(cudaFree(to));
}

static void test_refusals(cudaArray_t array)
{
    cudaArray_t none;
    cudaTextureObject_t texture;
    cudaResourceDesc of;
    memset(&of, 0, sizeof of);
    const cudaChannelFormatDesc three =
        cudaCreateChannelDesc(32, 32, 32, 0, cudaChannelFormatKindFloat);
    RESULT(cudaMallocArray(&none, &three, 4, 4) == cudaErrorInvalidChannelDescriptor &&
               cudaGetLastError() == cudaErrorInvalidChannelDescriptor,
           "no texel has three numbers");
    of.resType = cudaResourceTypeArray;
    of.res.array.array = array;
    const cudaTextureDesc how =
        description(cudaAddressModeClamp, cudaFilterModePoint, cudaReadModeNormalizedFloat, false);
    RESULT(cudaCreateTextureObject(&texture, &of, &how, NULL) == cudaErrorInvalidNormSetting &&
               cudaGetLastError() == cudaErrorInvalidNormSetting,
           "floats are what they are");
}

int main(void)
{
    const cudaArray_t array = numbered();
    test_edges(array);
    test_filter(array);
    test_refusals(array);
    CHECK(cudaFreeArray(array));
    test_bytes();
    test_linear_memory();
    test_one_dimension();
    return 0;
}
