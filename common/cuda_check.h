/*
 * cuda_check.h - no CUDA call goes unchecked.
 */
#ifndef COMMON_CUDA_CHECK_H
#define COMMON_CUDA_CHECK_H

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Exits with status 3 and one line: file:line, the expression, the error's name and its text. */
#define CUDA_CHECK(expression)                                                                     \
    do {                                                                                           \
        cudaError_t cuda_check_error_ = (expression);                                              \
        if (cuda_check_error_ != cudaSuccess)                                                      \
            cuda_check_fail(cuda_check_error_, #expression, __FILE__, __LINE__);                   \
    } while (0)

/* What CUDA_CHECK calls on an error; does not return. */
#if defined(__GNUC__)
__attribute__((noreturn))
#endif
void cuda_check_fail(cudaError_t error, const char *expression, const char *file, int line);

#ifdef __cplusplus
}
#endif

#endif
