#include "measure/checksum.h"
#include "launching.h"

typedef unsigned long long word; /* that atomicAdd() has */

/* Adds up in any order, as the sum is the same in each. */
static __global__ void add_up(const word *whole, const unsigned char *byte, size_t bytes, word *sum)
{
    const size_t first = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
    const size_t words = bytes / sizeof(word);
    word own = 0;
    for (size_t i = first; i < words; i += step)
        own += checksum_mixed(whole[i], i);
    for (size_t i = words * sizeof(word) + first; i < bytes; i += step)
        own += checksum_mixed(byte[i], i);
    for (int lane = warpSize / 2; lane > 0; lane /= 2)
        own += __shfl_down_sync(~0u, own, lane);
    if (threadIdx.x % warpSize == 0)
        atomicAdd(sum, own);
}

uint64_t checksum_on_device(const void *memory, size_t bytes, uint64_t *sum, cudaStream_t stream)
{
    const dim3 block = {256, 1, 1};
    const size_t piece = 4 * block.x * sizeof(word); /* of a block; of less half the threads idle */
    const size_t pieces = (bytes + piece - 1) / piece;
    const size_t most = resident_blocks((const void *)add_up, block, 0);
    const unsigned grid = (unsigned)(pieces < most ? pieces : most);
    uint64_t seen = 0;
    if (!grid)
        return 0;
    CUDA_CHECK(cudaMemsetAsync(sum, 0, sizeof *sum, stream));
    add_up<<<grid, block, 0, stream>>>((const word *)memory, (const unsigned char *)memory, bytes,
                                       (word *)sum);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpyAsync(&seen, sum, sizeof seen, cudaMemcpyDeviceToHost, stream));
    CUDA_CHECK(cudaStreamSynchronize(stream));
    return seen;
}
