/*
 * tile_in_fp32.cu - the third kernel of tensor_split and of tensor_int8_slices: the product in
 * FP32, without tensor cores, of data that their parts will not do for (split_verdict.cuh). Of
 * other data it leaves at once.
 *
 * Large matrices have warp_tile's tiles, smaller ones slice_k's. Sums run along all of k, as the
 * library's do. (The smallest matrices stay with the second kernel.)
 */
#include "split_verdict.cuh"
#include "warp_tile.cuh"

#ifdef HAVE_HOPPER
template <tiling T, class S>
__global__ void __launch_bounds__(THREADS)
    tile_in_fp32(verdict *v, bool floats, const float *a, const float *b, float *c, S s)
{
#ifdef HOPPER_CODE
    extern __shared__ float4 room[];
    griddepcontrol_launch_dependents();
    griddepcontrol_wait();
    const facts known = read_verdict(v);
    const bool wanted = goes_in_fp32(known, floats);
    if (threadIdx.x == 0)
        close_verdict(v, known, wanted, adds(s));
    if (wanted)
        make_block<T>(room, a, b, c, s);
#endif
}

template <tiling T, class S>
static void launch_instead(verdict *v, bool floats, const float *a, const float *b, float *c, S s,
                           cudaStream_t stream)
{
    void *arguments[] = {&v, &floats, &a, &b, &c, &s};
    cluster_launch((const void *)tile_in_fp32<T, S>, arguments,
                   grid_over(s.width, s.height, dim3(T.columns, T.rows)), THREADS,
                   slabs_bytes<T>(NULL, THREADS), 1, stream);
}

template <tiling T, class S>
static void prepare()
{
    CUDA_CHECK(cudaFuncSetAttribute((const void *)tile_in_fp32<T, S>,
                                    cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    (int)slabs_bytes<T>(NULL, THREADS)));
}

void prepare_fp32()
{
    prepare<large, shape>();
    prepare<sliced, shape>();
    prepare<large, panel>();
    prepare<sliced, panel>();
}

template <class S>
static void launch_best(verdict *v, bool floats, const float *a, const float *b, float *c, S s,
                        cudaStream_t stream)
{
    const dim3 tiles = grid_over(s.width, s.height, dim3(large.columns, large.rows));
    if (4 * (int)(tiles.x * tiles.y) >= 3 * multiprocessors())
        launch_instead<large>(v, floats, a, b, c, s, stream);
    else
        launch_instead<sliced>(v, floats, a, b, c, s, stream);
}

void launch_in_fp32(verdict *v, bool floats, const float *a, const float *b, float *c, shape s,
                    cudaStream_t stream)
{
    launch_best(v, floats, a, b, c, s, stream);
}

void launch_in_fp32(verdict *v, bool floats, const float *a, const float *b, float *c, panel s,
                    cudaStream_t stream)
{
    launch_best(v, floats, a, b, c, s, stream);
}
#endif
