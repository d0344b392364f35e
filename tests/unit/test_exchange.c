/*
 * test_exchange.c - what each rank has comes to all of them, in their order: of one process, and of
 * several where mpirun starts it.
 */
#include "machine/device.h"
#include "process/ranks.h"
#include "tap.h"

#include <stdint.h>

#ifdef HAVE_RANKS
#include "process/nccl_check.h"
#endif

enum { BYTES = 13, MOST = 8 };

/* What a rank has: each its own. */
static void write_words(char words[BYTES], int rank)
{
    for (int i = 0; i < BYTES; i++)
        words[i] = (char)(31 * rank + i + 1);
}

#ifdef HAVE_RANKS
/* NCCL's sum, product, greatest and least of 1, 2, 3 ... */
static bool reduces(ranks all)
{
    int *device, expected[] = {[ncclSum] = 0, [ncclProd] = 1, [ncclMax] = all.count, [ncclMin] = 1};
    bool right = true;
    for (int i = 1; i <= all.count; i++) {
        expected[ncclSum] += i;
        expected[ncclProd] *= i;
    }
    (void)device_open(0);
    CUDA_CHECK(cudaMalloc((void **)&device, sizeof *device));
    for (ncclRedOp_t op = ncclSum; op <= ncclMin; op++) {
        int value = all.rank + 1;
        CUDA_CHECK(cudaMemcpy(device, &value, sizeof value, cudaMemcpyHostToDevice));
        NCCL_CHECK(ncclAllReduce(device, device, 1, ncclInt, op, ranks_communicator(), NULL));
        CUDA_CHECK(cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost));
        right = right && value == expected[op];
    }
    CUDA_CHECK(cudaFree(device));
    return right;
}

/* From the first number of each rank, its own, to those behind it: the last rank's, then all of
 * them, then that of the rank before, in 64 bits. */
static bool moves(ranks all)
{
    enum { NUMBERS = MOST + 3 };
    ncclComm_t comm = ranks_communicator();
    int64_t *device, numbers[NUMBERS] = {all.rank + 1};
    const int last = all.count - 1, after = (all.rank + 1) % all.count,
              before = (all.rank + last) % all.count;
    CUDA_CHECK(cudaMalloc((void **)&device, sizeof numbers));
    CUDA_CHECK(cudaMemcpy(device, numbers, sizeof numbers, cudaMemcpyHostToDevice));
    NCCL_CHECK(ncclBroadcast(device, device + 1, 1, ncclInt64, last, comm, NULL));
    NCCL_CHECK(ncclAllGather(device, device + 2, 1, ncclInt64, comm, NULL));
    NCCL_CHECK(ncclGroupStart());
    NCCL_CHECK(ncclSend(device, 1, ncclInt64, after, comm, NULL));
    NCCL_CHECK(ncclRecv(device + 2 + all.count, 1, ncclInt64, before, comm, NULL));
    NCCL_CHECK(ncclGroupEnd());
    CUDA_CHECK(cudaMemcpy(numbers, device, sizeof numbers, cudaMemcpyDeviceToHost));
    bool right = numbers[0] == all.rank + 1 && numbers[1] == all.count &&
                 numbers[2 + all.count] == before + 1;
    for (int i = 0; i < all.count; i++)
        right = right && numbers[2 + i] == i + 1;
#ifdef CUDA_ON_CPU
    const ncclResult_t bad = ncclInvalidArgument;
    right = right && ncclBroadcast(device, device, 1, ncclInt64, all.count, comm, NULL) == bad &&
            ncclBroadcast(NULL, NULL, 1, ncclInt64, 0, comm, NULL) == bad &&
            ncclAllGather(device, NULL, 1, ncclInt64, comm, NULL) == bad &&
            ncclAllReduce(NULL, device, 1, ncclInt64, ncclSum, comm, NULL) == bad &&
            ncclSend(device, 1, ncclInt64, -1, comm, NULL) == bad &&
            ncclRecv(device, 1, ncclInt64, all.count, comm, NULL) == bad &&
            ncclRecv(device, (size_t)1 << 31, ncclInt64, 0, comm, NULL) == bad &&
            ncclSend(device, 1, ncclInt64, 0, NULL, NULL) == bad &&
            ncclGroupEnd() == ncclInvalidUsage;
#endif
    CUDA_CHECK(cudaFree(device));
    return right;
}

/* A communicator of one's own, with NCCL's numbers for results, which programs compare with 0. */
static bool comes_and_goes(ranks all)
{
    ncclUniqueId own, ids[MOST];
    ncclComm_t comm = NULL;
    NCCL_CHECK(ncclGetUniqueId(&own));
    ranks_exchange(&own, ids, sizeof own);
    return (int)ncclCommInitRank(&comm, all.count, ids[0], all.rank) == 0 && comm &&
           (int)ncclCommDestroy(comm) == 0 && (int)ncclCommInitRank(NULL, 1, own, 0) == 4;
}
#endif

int main(int argc, char **argv)
{
    char own[BYTES], expected[MOST * BYTES] = "", got[MOST * BYTES] = "";
    ranks_start(&argc, &argv);
    const ranks all = ranks_now();
    if (argc > 1) /* as on a node of so many GPUs */
        ranks_need_devices(0, argv[1][0] - '0');
    write_words(own, all.rank);
    for (int rank = 0; rank < all.count && rank < MOST; rank++)
        write_words(expected + (size_t)rank * BYTES, rank);
    ranks_exchange(own, got, BYTES);
    bool differs = memcmp(got, expected, sizeof got) != 0;
    ok(!ranks_any(differs), "%d ranks have what each of them had", all.count);
    bool slowest = ranks_slowest(all.rank + 1.5) == all.count + 0.5;
    ok(!ranks_any(!slowest), "and the time of the slowest");
#ifdef HAVE_RANKS
    if (all.count > 1)
        ok(!ranks_any(!reduces(all)) && !ranks_any(!moves(all)) &&
               !ranks_any(!comes_and_goes(all)) && nccl_text(ncclInvalidUsage)[0],
           "and what NCCL makes of all");
#endif
    tap_start(); /* MPI's files stay open */
    int status = done_testing();
    ranks_end();
    return status;
}
