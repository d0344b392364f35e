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

/*
 * The same for a library whose calls return a status of its own: `success` is the one of a good
 * call, text(status) puts any other in words, for an int.
 */
#define LIBRARY_CHECK(expression, success, text)                                                   \
    do {                                                                                           \
        int library_status_ = (int)(expression);                                                   \
        if (library_status_ != (int)(success))                                                     \
            library_check_fail(text(library_status_), #expression, __FILE__, __LINE__);            \
    } while (0)

/* What CUDA_CHECK and LIBRARY_CHECK call on an error; they do not return. */
#if defined(__GNUC__)
__attribute__((noreturn))
#endif
void cuda_check_fail(cudaError_t error, const char *expression, const char *file, int line);
#if defined(__GNUC__)
__attribute__((noreturn))
#endif
void library_check_fail(const char *text, const char *expression, const char *file, int line);

#ifdef __cplusplus
}
#endif

#endif
