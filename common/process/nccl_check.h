/*
 * nccl_check.h - NCCL for the variants over several GPUs; only in builds with HAVE_RANKS.
 */
#ifndef COMMON_NCCL_CHECK_H
#define COMMON_NCCL_CHECK_H

#include <nccl.h>

#include "cuda_check.h"
#include "ranks.h"

#ifdef __cplusplus
extern "C" {
#endif

/* As CUDA_CHECK, for a call of NCCL. */
#define NCCL_CHECK(expression) LIBRARY_CHECK(expression, ncclSuccess, nccl_text)

const char *nccl_text(int result);

/*
 * The communicator of all ranks, one for the whole run: the first call, by all of them, makes it,
 * and may not be captured. With a single rank there is nothing to communicate and it is NULL.
 */
ncclComm_t ranks_communicator(void);

#ifdef __cplusplus
}
#endif

#endif
