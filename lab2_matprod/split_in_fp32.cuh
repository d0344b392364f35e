/*
 * split_in_fp32.cuh - the fourth kernel of tensor_split, tensor_mixed and tensor_int8_slices, for
 * data that neither their parts nor thirds will do for: infinities, NaN, numbers of any range. It
 * is warp_tile or stream_k, behind a look at the verdict, which it clears for the next run. (With
 * the loop of warp_tile in the third kernel, whose threads are compiled for 168 registers, the
 * compiler let a quarter of all FFMA read three numbers from one bank of registers: 361 us at N =
 * 2048, not 343.)
 *
 * It is compiled for whole products in split_in_fp32.cu, for panels in panel_thirds.cu.
 */
#ifndef LAB2_SPLIT_IN_FP32_CUH
#define LAB2_SPLIT_IN_FP32_CUH

#include "split_plan.cuh"

#ifdef HAVE_HOPPER

template <tiling T, bool SHARED, class S>
__global__ void __launch_bounds__(THREADS, SHARED ? 2 : 1)
    split_in_fp32(verdict *found, const float *a, const float *b, float *c, S s, k_shares of)
{
#ifdef HOPPER_CODE
    extern __shared__ float4 room[];
    griddepcontrol_launch_dependents();
    griddepcontrol_wait();
    const facts known = read_verdict(found);
    const way wanted = way_of(known);
    if (threadIdx.x == 0)
        close_verdict(found, known, wanted, adds(s));
    if (wanted != BY_FP32)
        return;
    if constexpr (SHARED)
        make_share<T>(room, a, b, c, s, of);
    else
        make_block<T>(room, a, b, c, s);
#endif
}

template <tiling T, bool SHARED, class S>
static fp32_product plan_tiles_in_fp32(const split_matrices &packed, const S &s, size_t room)
{
    fp32_product plan = {};
    plan.kernel = (const void *)split_in_fp32<T, SHARED, S>;
    plan.blocks = grid_over(s.width, s.height, dim3(T.columns, T.rows));
    plan.shared_bytes = slabs_bytes<T>(NULL, dim3());
    CUDA_CHECK(cudaFuncSetAttribute(plan.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    (int)plan.shared_bytes));
    if (!SHARED)
        return plan;
    const unsigned resident = resident_blocks(plan.kernel, dim3(THREADS), plan.shared_bytes);
    plan.of = plan_shares<T>(s, std::min((int)resident, SHARED_TILES / 2), room, NULL);
    plan.of.c = (float *)packed.a; /* in FP32 nobody reads what is packed */
    plan.of.there = packed.found->there;
    plan.blocks = dim3(plan.of.whole + plan.of.shares);
    return plan;
}

/* Takes large tiles, unless their last round leaves more of the card idle than they save. A panel's
 * small ones are not shared: its kernel needs registers that it does not have. */
template <class S>
static fp32_product plan_best_in_fp32(const split_matrices &packed, const S &s, size_t room)
{
    return are_for_warp_tile(s)
               ? plan_tiles_in_fp32<large, false>(packed, s, room)
               : plan_tiles_in_fp32<sliced, std::is_same_v<S, shape>>(packed, s, room);
}

#endif
#endif
