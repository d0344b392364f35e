/*
 * panel_thirds.cu - the third kernel (tensor_thirds.cuh) of panels, and the fourth one
 * (split_in_fp32.cuh), for tensor_ring (several_gpus.cu).
 */
#include "split_in_fp32.cuh"
#include "tensor_thirds.cuh"

#ifdef HAVE_HOPPER
product_plan plan_thirds(const split_matrices &packed, panel s)
{
    return plan_best(packed, s);
}

fp32_product plan_in_fp32(const split_matrices &packed, panel s, size_t room)
{
    return plan_best_in_fp32(packed, s, room);
}
#endif
