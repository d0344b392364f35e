#include "cuda_check.h"
#include "die.h"

#include <stdio.h>
#include <stdlib.h>

void cuda_check_fail(cudaError_t error, const char *expression, const char *file, int line)
{
    fprintf(stderr, "%s: %s:%d: %s: %s (%s)\n", die_program(), file, line, expression,
            cudaGetErrorName(error), cudaGetErrorString(error));
    exit(EXIT_CUDA_ERROR);
}

void library_check_fail(const char *text, const char *expression, const char *file, int line)
{
    fprintf(stderr, "%s: %s:%d: %s: %s\n", die_program(), file, line, expression, text);
    exit(EXIT_CUDA_ERROR);
}
