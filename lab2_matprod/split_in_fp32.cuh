/*
 * split_in_fp32.cuh - the fourth kernel of tensor_split, tensor_mixed and tensor_int8_slices, for
 * data that neither their parts nor thirds will do for: infinities, NaN, numbers of any range. It
 * is warp_tile, slice_k or one between, behind a look at the verdict, which it clears for the next
 * run. (With the loop of warp_tile in the third kernel, whose threads are compiled for 168
 * registers, the compiler let a quarter of all FFMA read three numbers from one bank of registers:
 * 361 us at N = 2048, not 343.)
 *
 * It is compiled for whole products in split_in_fp32.cu, for panels in panel_thirds.cu.
 */
#ifndef LAB2_SPLIT_IN_FP32_CUH
#define LAB2_SPLIT_IN_FP32_CUH

#include "split_plan.cuh"

#ifdef HAVE_HOPPER

template <tiling T, class S>
__global__ void __launch_bounds__(THREADS)
    split_in_fp32(verdict *found, const float *a, const float *b, float *c, S s)
{
#ifdef HOPPER_CODE
    extern __shared__ float4 room[];
    griddepcontrol_launch_dependents();
    griddepcontrol_wait();
    const facts known = read_verdict(found);
    const way wanted = way_of(known);
    if (threadIdx.x == 0)
        close_verdict(found, known, wanted, adds(s));
    if (wanted == BY_FP32)
        make_block<T>(room, a, b, c, s);
#endif
}

template <tiling T, class S>
static fp32_product plan_tiles_in_fp32(const S &s)
{
    fp32_product plan;
    plan.kernel = (const void *)split_in_fp32<T, S>;
    plan.blocks = grid_over(s.width, s.height, dim3(T.columns, T.rows));
    plan.shared_bytes = slabs_bytes<T>(NULL, dim3());
    CUDA_CHECK(cudaFuncSetAttribute(plan.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    (int)plan.shared_bytes));
    return plan;
}

/* Takes the tiles whose rounds end first. */
template <class S>
static fp32_product plan_best_in_fp32(const S &s)
{
    const double others =
        fmin(BY_SLICED * results_in_rounds<sliced>(s), results_in_rounds<large>(s));
    if (BY_MIDDLE * results_in_rounds<middle>(s) < others)
        return plan_tiles_in_fp32<middle>(s);
    return are_for_warp_tile(s) ? plan_tiles_in_fp32<large>(s) : plan_tiles_in_fp32<sliced>(s);
}

#endif
#endif
