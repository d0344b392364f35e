/*
 * panel_thirds.cu - the third kernel (tensor_thirds.cuh) of panels, for tensor_ring
 * (several_gpus.cu).
 */
#include "tensor_thirds.cuh"

#ifdef HAVE_HOPPER
product_plan plan_thirds(const split_matrices &packed, panel s)
{
    return plan_best(packed, s);
}
#endif
