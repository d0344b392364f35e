/*
 * nccl.cpp - nccl.h over MPI. Every call starts a transfer of MPI that does not block; a call
 * outside a group waits for it, the end of a group for all that were started in it.
 */
#ifdef HAVE_RANKS

#include "nccl.h"
#include "streams.h"
#include <climits>
#include <cstring>
#include <mpi.h>
#include <vector>

struct ncclComm {
    MPI_Comm mpi;
    int count;
};

namespace
{

const int TAG = 2;

int open_groups;
std::vector<MPI_Request> under_way;

MPI_Datatype type_of(ncclDataType_t type)
{
    switch (type) {
    case ncclInt8:
        return MPI_INT8_T;
    case ncclUint8:
        return MPI_UINT8_T;
    case ncclInt32:
        return MPI_INT32_T;
    case ncclUint32:
        return MPI_UINT32_T;
    case ncclInt64:
        return MPI_INT64_T;
    case ncclUint64:
        return MPI_UINT64_T;
    case ncclFloat32:
        return MPI_FLOAT;
    case ncclFloat64:
        return MPI_DOUBLE;
    }
    return MPI_DATATYPE_NULL;
}

MPI_Op operation_of(ncclRedOp_t op)
{
    return op == ncclSum ? MPI_SUM : op == ncclProd ? MPI_PROD : op == ncclMax ? MPI_MAX : MPI_MIN;
}

ncclResult_t wait_for_all()
{
    cuda_cpu::device_access open(false);
    int status = MPI_Waitall((int)under_way.size(), under_way.data(), MPI_STATUSES_IGNORE);
    under_way.clear();
    return status == MPI_SUCCESS ? ncclSuccess : ncclSystemError;
}

bool is_legal(const void *memory, size_t count, ncclDataType_t type, ncclComm_t comm)
{
    return comm && count <= INT_MAX && (memory || count == 0) && type_of(type) != MPI_DATATYPE_NULL;
}

bool is_rank(ncclComm_t comm, int rank)
{
    return comm && rank >= 0 && rank < comm->count;
}

/* What MPI's call returned; `request` is that of the transfer that it started. */
ncclResult_t started(int status, const MPI_Request &request)
{
    if (status != MPI_SUCCESS)
        return ncclSystemError;
    under_way.push_back(request);
    return open_groups > 0 ? ncclSuccess : wait_for_all();
}

size_t bytes_of(ncclDataType_t type)
{
    int bytes;
    MPI_Type_size(type_of(type), &bytes);
    return (size_t)bytes;
}

} /* namespace */

const char *ncclGetErrorString(ncclResult_t result)
{
    switch (result) {
    case ncclSuccess:
        return "no error";
    case ncclSystemError:
        return "unhandled system error";
    case ncclInvalidArgument:
        return "invalid argument";
    case ncclInvalidUsage:
        return "invalid usage";
    }
    return "unknown result code";
}

ncclResult_t ncclGetVersion(int *version)
{
    *version = 0;
    return ncclSuccess;
}

ncclResult_t ncclGetUniqueId(ncclUniqueId *id)
{
    *id = {};
    return ncclSuccess;
}

ncclResult_t ncclCommInitRank(ncclComm_t *comm, int nranks, ncclUniqueId, int rank)
{
    int is_up, count = 0, own = 0;
    MPI_Initialized(&is_up);
    if (!is_up)
        return ncclInvalidUsage;
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    MPI_Comm_rank(MPI_COMM_WORLD, &own);
    if (!comm || nranks != count || rank != own)
        return ncclInvalidArgument;
    *comm = new ncclComm{MPI_COMM_NULL, count};
    return MPI_Comm_dup(MPI_COMM_WORLD, &(*comm)->mpi) == MPI_SUCCESS ? ncclSuccess
                                                                      : ncclSystemError;
}

ncclResult_t ncclCommDestroy(ncclComm_t comm)
{
    if (!comm)
        return ncclInvalidArgument;
    MPI_Comm_free(&comm->mpi);
    delete comm;
    return ncclSuccess;
}

ncclResult_t ncclCommRegister(ncclComm_t comm, void *memory, size_t bytes, void **handle)
{
    if (!comm || !memory || bytes == 0 || !handle)
        return ncclInvalidArgument;
    *handle = memory;
    return ncclSuccess;
}

ncclResult_t ncclCommDeregister(ncclComm_t comm, void *handle)
{
    return comm && handle ? ncclSuccess : ncclInvalidArgument;
}

ncclResult_t ncclGroupStart()
{
    open_groups++;
    return ncclSuccess;
}

ncclResult_t ncclGroupEnd()
{
    if (open_groups == 0)
        return ncclInvalidUsage;
    return --open_groups > 0 ? ncclSuccess : wait_for_all();
}

ncclResult_t ncclSend(const void *from, size_t count, ncclDataType_t type, int peer,
                      ncclComm_t comm, cudaStream_t stream)
{
    cuda_cpu::finish(stream);
    cuda_cpu::device_access open(false);
    MPI_Request request;
    if (!is_legal(from, count, type, comm) || !is_rank(comm, peer))
        return ncclInvalidArgument;
    return started(MPI_Isend(from, (int)count, type_of(type), peer, TAG, comm->mpi, &request),
                   request);
}

ncclResult_t ncclRecv(void *to, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                      cudaStream_t stream)
{
    cuda_cpu::finish(stream);
    cuda_cpu::device_access open(false);
    MPI_Request request;
    if (!is_legal(to, count, type, comm) || !is_rank(comm, peer))
        return ncclInvalidArgument;
    return started(MPI_Irecv(to, (int)count, type_of(type), peer, TAG, comm->mpi, &request),
                   request);
}

ncclResult_t ncclBroadcast(const void *from, void *to, size_t count, ncclDataType_t type, int root,
                           ncclComm_t comm, cudaStream_t stream)
{
    cuda_cpu::finish(stream);
    cuda_cpu::device_access open(false);
    MPI_Request request;
    int rank;
    if (!is_legal(to, count, type, comm) || !is_rank(comm, root))
        return ncclInvalidArgument;
    MPI_Comm_rank(comm->mpi, &rank);
    if (rank == root && from != to)
        memcpy(to, from, count * bytes_of(type));
    return started(MPI_Ibcast(to, (int)count, type_of(type), root, comm->mpi, &request), request);
}

ncclResult_t ncclAllGather(const void *from, void *to, size_t count, ncclDataType_t type,
                           ncclComm_t comm, cudaStream_t stream)
{
    cuda_cpu::finish(stream);
    cuda_cpu::device_access open(false);
    MPI_Request request;
    int rank;
    if (!is_legal(from, count, type, comm) || !is_legal(to, count, type, comm))
        return ncclInvalidArgument;
    MPI_Comm_rank(comm->mpi, &rank);
    bool in_place = from == (const char *)to + (size_t)rank * count * bytes_of(type);
    return started(MPI_Iallgather(in_place ? MPI_IN_PLACE : from, (int)count, type_of(type), to,
                                  (int)count, type_of(type), comm->mpi, &request),
                   request);
}

ncclResult_t ncclAllReduce(const void *from, void *to, size_t count, ncclDataType_t type,
                           ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream)
{
    cuda_cpu::finish(stream);
    cuda_cpu::device_access open(false);
    MPI_Request request;
    if (!is_legal(from, count, type, comm) || !is_legal(to, count, type, comm))
        return ncclInvalidArgument;
    return started(MPI_Iallreduce(from == to ? MPI_IN_PLACE : from, to, (int)count, type_of(type),
                                  operation_of(op), comm->mpi, &request),
                   request);
}

#endif
