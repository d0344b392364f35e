/*
 * try_end.cpp - linked to what `make try` runs: tells the error that is left at the program's end.
 * CUDA's headers, which take a second, are not read for two functions.
 */
#include <stdio.h>

extern "C" int cudaPeekAtLastError(void);
extern "C" const char *cudaGetErrorName(int error);
extern "C" const char *cuda_cpu_failure(void);

__attribute__((destructor)) static void tell_error()
{
    int error = cudaPeekAtLastError();
    if (error != 0)
        fprintf(stderr, "CUDA on the CPU: %s is left at the end: %s\n", cudaGetErrorName(error),
                cuda_cpu_failure());
}
