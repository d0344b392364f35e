/*
 * groups.cu - cooperative groups: what each lane gets from its block, its tile, the lanes that run
 * with it and the grid; and launches that need more than a kernel's address.
 */
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <string.h>
#include "check.h"

namespace cg = cooperative_groups;

#define THREADS 96
#define TESTS   16

/* Notes for each test how many threads are right. */
__device__ void note(int *right, int test, bool is_right)
{
    atomicAdd(&right[test], (int)is_right);
}

__device__ int sum_of(cg::thread_group group, int *sums, int value)
{
    int rank = (int)group.thread_rank();
    for (int far = (int)group.size() / 2; far > 0; far /= 2) {
        sums[rank] = value;
        group.sync();
        if (rank < far)
            value += sums[rank + far];
        group.sync();
    }
    return value;
}

struct wide {
    int part[4];
};

__global__ void groups(int *right)
{
    __shared__ int sums[THREADS];
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    auto eight = cg::tiled_partition<8>(warp);
    const int t = (int)threadIdx.x, lane = t % 32;
    note(right, 0,
         (int)block.thread_rank() == t && (int)block.size() == THREADS &&
             cg::this_grid().num_threads() == THREADS);
    note(right, 1,
         (int)eight.thread_rank() == t % 8 && (int)warp.meta_group_rank() == t / 32 &&
             (int)eight.meta_group_rank() == t / 8 % 4 && (int)eight.meta_group_size() == 4);
    int sum = sum_of(warp, sums + t / 32 * 32, 1);
    note(right, 2, sum == 32 || lane > 0);
    block.sync();
    sum = sum_of(eight, sums + t / 8 * 8, t);
    note(right, 3, sum == 8 * t + 28 || t % 8 > 0);
    note(right, 4, cg::reduce(warp, lane, cg::plus<int>()) == 496);
    note(right, 5, cg::reduce(eight, t, cg::greater<int>()) == t / 8 * 8 + 7);
    note(right, 6,
         cg::inclusive_scan(warp, 1) == lane + 1 && cg::exclusive_scan(warp, 2) == 2 * lane);
    wide from = warp.shfl(wide{{t, 1, 2, lane}}, 5);
    note(right, 7, from.part[0] == t / 32 * 32 + 5 && from.part[2] == 2 && from.part[3] == 5);
    note(right, 8,
         warp.shfl_down(lane, 1) == (lane < 31 ? lane + 1 : 31) &&
             eight.shfl_up(t, 2) == (t % 8 < 2 ? t : t - 2));
    note(right, 9, eight.ballot(t % 8 == 3) == 8 && warp.any(lane == 9) && !warp.all(lane == 9));
    cg::coalesced_group third = cg::labeled_partition(warp, lane % 3);
    int is_same, is_other;
    unsigned whole = eight.match_all(t / 8, is_same), none = eight.match_all(t, is_other);
    unsigned own =
        third.match_any(lane == 4); /* which alone is 4, by its rank among 1, 4, 7, ... */
    note(right, 10,
         (int)third.thread_rank() == lane / 3 && third.shfl(lane, 0) == lane % 3 &&
             eight.match_any(t % 4) == 0x11u << t % 4 && whole == 255 && is_same && none == 0 &&
             !is_other && (lane == 4 ? own == 2 : (own >> third.thread_rank() & 1)));
    note(right, 11,
         cg::reduce(third, 1, cg::plus<int>()) == (lane % 3 < 2 ? 11 : 10) &&
             cg::reduce(warp, 1u << lane, cg::bit_or<unsigned>()) == ~0u &&
             (int)cg::binary_partition(warp, lane < 9).size() == (lane < 9 ? 9 : 23));
    if (t % 2) {
        cg::coalesced_group active = cg::coalesced_threads();
        if (active.thread_rank() == 0)
            atomicAdd(&right[12], 2 * (int)active.size()); /* each odd thread is in one group */
    }
    __half2 two = __half2(1.5f, 2) * __float2half2_rn(2.0f) + __half2(1, 1);
    note(right, 13, (float)two.x == 4 && (float)two.y == 5);
    cg::thread_group four = cg::tiled_partition(block, 4);
    note(right, 14, (int)four.thread_rank() == t % 4 && (int)four.size() == 4);
    block.sync();
    sum = sum_of(four, sums + t / 4 * 4, t);
    note(right, 15, sum == 4 * t + 6 || t % 4 > 0);
#ifdef CUDA_ON_CPU /* capability 8.0 */
    if (__reduce_add_sync(~0u, lane) != 496 || __reduce_max_sync(~0u, lane) != 31)
        right[13] = -THREADS;
#endif
}

/* Each block reads what the one behind it has written. */
__global__ void around(int *places, int *right)
{
    cg::grid_group grid = cg::this_grid();
    for (int step = 0; step < 10; step++) {
        if (threadIdx.x == 0)
            places[blockIdx.x] = step + (int)blockIdx.x;
        grid.sync();
        unsigned next = (blockIdx.x + 1) % gridDim.x;
        if (places[next] == step + (int)next && threadIdx.x == 0)
            atomicAdd(right, 1);
        grid.sync();
    }
}

template <class T>
__global__ void deduced(T *out, T value, const int *nothing)
{
    *out = nothing ? T(-1) : value;
}

__global__ void with_default(int *out, int value = 7);

__global__ void with_default(int *out, int value)
{
    *out = value;
}

static void test_grid(int *right)
{
    int blocks = 0, device = 0, got = 0, *places;
    cudaDeviceProp its;
    CHECK(cudaGetDeviceProperties(&its, device));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, around, 64, 0));
    blocks *= its.multiProcessorCount;
    CHECK(cudaMalloc(&places, blocks * sizeof *places));
    CHECK(cudaMemset(right, 0, sizeof *right));
    void *arguments[] = {&places, &right};
    CHECK(cudaLaunchCooperativeKernel((void *)around, dim3(blocks), dim3(64), arguments, 0, 0));
    CHECK(cudaMemcpy(&got, right, sizeof got, cudaMemcpyDeviceToHost));
    RESULT(got == 10 * blocks, "the grid's blocks meet");
    cudaError_t error =
        cudaLaunchCooperativeKernel((void *)around, dim3(blocks + 1), dim3(64), arguments, 0, 0);
    RESULT(error == cudaErrorCooperativeLaunchTooLarge, "more than are resident are refused");
    cudaGetLastError();
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, around, 64, 48 * 1024 + 16));
    RESULT(blocks == 0, "none is resident without opting in to its shared memory");
    CHECK(cudaFree(places));
}

static void test_launches(int *out)
{
    int got[3];
    deduced<<<1, 1>>>(out, 5, NULL);
    with_default<<<1, 1>>>(out + 1);
    with_default<<<1, 1>>>(out + 2, 9);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    RESULT(got[0] == 5, "a template's arguments are deduced, and NULL is a pointer");
    RESULT(got[1] == 7 && got[2] == 9, "a kernel's argument has a default");
    int value = 11;
    void *arguments[] = {&out, &value};
    CHECK(cudaLaunchKernel((const void *)with_default, dim3(1), dim3(1), arguments, 0, 0));
    CHECK(cudaMemcpy(got, out, sizeof *got, cudaMemcpyDeviceToHost));
    RESULT(got[0] == 11, "cudaLaunchKernel takes the arguments' addresses");
}

int main(void)
{
    int got[TESTS], *right;
    char name[40];
    CHECK(cudaMalloc(&right, sizeof got));
    CHECK(cudaMemset(right, 0, sizeof got));
    groups<<<1, THREADS>>>(right);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got, right, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < TESTS; i++) {
        snprintf(name, sizeof name, "groups: %d (%d)", i, got[i]);
        RESULT(got[i] == THREADS, name);
    }
    test_grid(right);
    test_launches(right);
    CHECK(cudaFree(right));
    return 0;
}
