/*
 * split_in_fp32.cu - the fourth kernel (split_in_fp32.cuh) of whole products.
 */
#include "split_in_fp32.cuh"

#ifdef HAVE_HOPPER
fp32_product plan_in_fp32(const split_matrices &packed, shape s, size_t room)
{
    return plan_best_in_fp32(packed, s, room);
}
#endif
