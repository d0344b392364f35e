/*
 * check.h - what the test programs share: a CUDA call that must succeed, and a result line that
 * cuda_on_cpu.t numbers.
 */
#ifndef CUDA_CPU_TESTS_CHECK_H
#define CUDA_CPU_TESTS_CHECK_H

#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t check_error = (call);                                                          \
        if (check_error != cudaSuccess) {                                                          \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call,                          \
                    cudaGetErrorString(check_error));                                              \
            exit(3);                                                                               \
        }                                                                                          \
    } while (0)

/* Prints the result of one test; condition holds or the test has failed. */
#define RESULT(condition, name) printf("%s - %s\n", (condition) ? "ok" : "not ok", name)

#endif
