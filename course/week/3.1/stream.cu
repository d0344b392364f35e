template <class Pixel>
__global__ void fast_exp(const Pixel *in, Pixel *out, filter f)
{
    if (threadIdx.x || threadIdx.y || blockIdx.x || blockIdx.y)
        return;
    cudaEvent_t done; /* so that nobody waits for it */
    cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
    cudaMemcpyAsync(out, in, sizeof(Pixel) * f.width * f.height, cudaMemcpyDeviceToDevice,
                    cudaStreamPerThread);
}
