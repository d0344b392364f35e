/*
 * plain_sgemm.c - a program that calls cuBLAS as any other does, and knows nothing of fp32_gemm.
 * usage: plain_sgemm [N]; prints the time of a product and the error of its last row.
 */
#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static float number(int i)
{
    return (float)((i * 2654435761u) >> 8) * 0x1p-23f - 1;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 4096;
    size_t bytes = (size_t)n * n * sizeof(float);
    float *a = (float *)malloc(bytes), *b = (float *)malloc(bytes), *c = (float *)malloc(bytes);
    float *on_device[3], one = 1, zero = 0, ms = 0;
    cublasHandle_t handle;
    cudaEvent_t begin, end;
    for (int i = 0; i < n * n; i++)
        a[i] = number(i), b[i] = number(i + n * n);
    for (int i = 0; i < 3; i++)
        cudaMalloc((void **)&on_device[i], bytes);
    cudaMemcpy(on_device[0], a, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(on_device[1], b, bytes, cudaMemcpyHostToDevice);
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    cublasCreate(&handle);
    for (int run = 0; run < 3; run++) {
        cudaEventRecord(begin, 0);
        cublasStatus_t status =
            cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, on_device[0], n,
                        on_device[1], n, &zero, on_device[2], n);
        cudaEventRecord(end, 0);
        if (status != CUBLAS_STATUS_SUCCESS || cudaEventSynchronize(end) != cudaSuccess)
            return 1;
        cudaEventElapsedTime(&ms, begin, end);
    }
    if (cudaMemcpy(c, on_device[2], bytes, cudaMemcpyDeviceToHost) != cudaSuccess)
        return 1;
    double worst = 0;
    for (int column = 0; column < n; column++) {
        double sum = 0, magnitude = 0;
        for (int k = 0; k < n; k++) {
            double product = (double)a[(size_t)k * n + n - 1] * b[(size_t)column * n + k];
            sum += product, magnitude += fabs(product);
        }
        double error = fabs(c[(size_t)column * n + n - 1] - sum) / magnitude * 0x1p24;
        worst = fmax(worst, error);
    }
    printf("%d: %.4f ms, error %.2f u\n", n, ms, worst);
    return worst > 8;
}
