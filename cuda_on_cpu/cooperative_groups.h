/*
 * cooperative_groups.h - CUDA's groups of threads: the grid, the block, tiles of a warp, lanes that
 * run together; with what the toolkit has in cooperative_groups/reduce.h and scan.h.
 *
 * A tile has at most 32 threads: larger ones, which span warps, compile and end the program where
 * they are made. The grid meets only in a kernel that cudaLaunchCooperativeKernel() launched.
 */
#ifndef CUDA_CPU_COOPERATIVE_GROUPS_H
#define CUDA_CPU_COOPERATIVE_GROUPS_H

#include "cuda_runtime.h"

#pragma GCC visibility push(default) /* of both sides: host_calls.awk */

namespace cooperative_groups
{

#define CUDA_CPU_GETTER(type, name, expression)                                                    \
    type name() const                                                                              \
    {                                                                                              \
        return expression;                                                                         \
    }

/* Lanes of a warp, or (mask 0) the whole block: what most groups can be passed as. */
class thread_group
{
  public:
    unsigned mask;
    explicit thread_group(unsigned mask) : mask(mask)
    {
    }
    CUDA_CPU_GETTER(unsigned, num_threads,
                    mask ? (unsigned)__popc(mask) : blockDim.x *blockDim.y *blockDim.z)
    CUDA_CPU_GETTER(unsigned, size, num_threads())
    CUDA_CPU_GETTER(unsigned, lane, cuda_cpu::current_thread() % 32)
    CUDA_CPU_GETTER(unsigned, thread_rank,
                    mask ? (unsigned)__popc(mask &((1u << lane()) - 1))
                         : cuda_cpu::current_thread())
    __forceinline__ void sync(CUDA_CPU_CALLER) const
    {
        if (mask)
            __syncwarp(mask, file, line);
        else
            cuda_cpu::barrier(false, file, line);
    }
};

struct thread_block : thread_group {
    thread_block() : thread_group(0)
    {
    }
    CUDA_CPU_GETTER(dim3, group_index, blockIdx)
    CUDA_CPU_GETTER(dim3, thread_index, threadIdx)
    CUDA_CPU_GETTER(dim3, group_dim, blockDim)
    CUDA_CPU_GETTER(dim3, dim_threads, blockDim)
};

/* Room for tiles of more than a warp, which are not there. */
template <unsigned Threads>
struct block_tile_memory {
};

template <class... Memory>
thread_block this_thread_block(Memory &...)
{
    return {};
}

struct grid_group {
    CUDA_CPU_GETTER(unsigned long long, num_blocks, 1ull * gridDim.x * gridDim.y * gridDim.z)
    CUDA_CPU_GETTER(unsigned long long, size, num_blocks() * thread_block().size())
    CUDA_CPU_GETTER(unsigned long long, num_threads, size())
    CUDA_CPU_GETTER(dim3, group_dim, gridDim)
    CUDA_CPU_GETTER(unsigned long long, block_rank,
                    (1ull * blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x)
    CUDA_CPU_GETTER(unsigned long long, thread_rank,
                    block_rank() * thread_block().size() + cuda_cpu::current_thread())
    CUDA_CPU_GETTER(bool, is_valid, cuda_cpu::is_cooperative())
    __forceinline__ void sync(CUDA_CPU_CALLER) const
    {
        cuda_cpu::grid_barrier(file, line);
    }
};

inline grid_group this_grid()
{
    return {};
}

/* Lanes of one warp, and what they say to each other; ranks count within the group. */
struct coalesced_group : thread_group {
    using thread_group::thread_group;
    unsigned lane_of(unsigned rank) const
    {
        unsigned rest = mask;
        for (; rank > 0; rank--)
            rest &= rest - 1;
        return (unsigned)__builtin_ctz(rest);
    }
    /* Values of any size, 8 bytes at a time; from a rank that is none, the caller's own. */
    template <class T>
    T shfl(T value, unsigned rank, CUDA_CPU_CALLER) const
    {
        int source = (int)lane_of(rank < size() ? rank : thread_rank());
        for (size_t at = 0; at < sizeof value; at += sizeof(uint64_t)) {
            uint64_t part = 0;
            size_t bytes = min(sizeof part, sizeof value - at);
            memcpy(&part, (char *)&value + at, bytes);
            part = cuda_cpu::shuffle(mask, part, source, 32, file, line);
            memcpy((char *)&value + at, &part, bytes);
        }
        return value;
    }
    template <class T>
    T shfl_up(T value, unsigned by, CUDA_CPU_CALLER) const
    {
        return shfl(value, thread_rank() - by, file, line);
    }
    template <class T>
    T shfl_down(T value, unsigned by, CUDA_CPU_CALLER) const
    {
        return shfl(value, thread_rank() + by, file, line);
    }
    template <class T>
    T shfl_xor(T value, unsigned with, CUDA_CPU_CALLER) const
    {
        return shfl(value, thread_rank() ^ with, file, line);
    }
    unsigned ranks_of(unsigned lanes) const
    {
        unsigned ranks = 0;
        for (unsigned rank = 0; rank < size(); rank++)
            ranks |= (lanes >> lane_of(rank) & 1) << rank;
        return ranks;
    }
    /* The lanes' votes, or those that hold the caller's value, by rank. */
    unsigned ballot(int predicate, CUDA_CPU_CALLER) const
    {
        return ranks_of(__ballot_sync(mask, predicate, file, line));
    }
    template <class T>
    unsigned match_any(T value, CUDA_CPU_CALLER) const
    {
        return ranks_of(__match_any_sync(mask, value, file, line));
    }
    template <class T>
    unsigned match_all(T value, int &all, CUDA_CPU_CALLER) const
    {
        return ranks_of(__match_all_sync(mask, value, &all, file, line));
    }
    int any(int predicate, CUDA_CPU_CALLER) const
    {
        return __any_sync(mask, predicate, file, line);
    }
    int all(int predicate, CUDA_CPU_CALLER) const
    {
        return __all_sync(mask, predicate, file, line);
    }
};

/* Each lane runs alone here, which every correct caller allows for. */
inline coalesced_group coalesced_threads()
{
    return coalesced_group(__activemask());
}

/* Size neighbours, a power of two, of those that there are. */
template <unsigned Size, class Parent = void>
struct thread_block_tile : coalesced_group {
    static unsigned its_lanes(const char *file, int line)
    {
        if (Size > 32)
            cuda_cpu::die(file, line, "tiles of more than 32 threads are not supported");
        unsigned first = cuda_cpu::current_thread() / Size * Size;
        unsigned count = min(thread_block().size() - first, Size);
        return (count < 32 ? (1u << count) - 1 : ~0u) << first % 32;
    }
    unsigned among; /* threads of the group that was parted */
    template <class Group>
    thread_block_tile(const Group &group, CUDA_CPU_CALLER)
        : coalesced_group(its_lanes(file, line)), among(group.size())
    {
        static_assert(Size > 0 && (Size & (Size - 1)) == 0, "a tile's size is a power of two");
    }
    static constexpr unsigned size()
    {
        return Size;
    }
    CUDA_CPU_GETTER(unsigned, meta_group_rank, cuda_cpu::current_thread() % among / Size)
    CUDA_CPU_GETTER(unsigned, meta_group_size, (among + Size - 1) / Size)
};
#undef CUDA_CPU_GETTER

template <unsigned Size, class Group>
thread_block_tile<Size> tiled_partition(const Group &group, CUDA_CPU_CALLER)
{
    return {group, file, line};
}

/* A tile whose size, a power of two up to 32, the program tells when it runs. */
inline thread_group tiled_partition(const thread_group &, unsigned size, CUDA_CPU_CALLER)
{
    if (size < 1 || size > 32 || (size & (size - 1)) != 0)
        cuda_cpu::die(file, line, "a tile's size is a power of two, up to 32");
    const unsigned self = cuda_cpu::current_thread(), first = self / size * size;
    const unsigned count = min(thread_block().size() - first, size);
    return thread_group((count < 32 ? (1u << count) - 1 : ~0u) << first % 32);
}

/* The lanes of a tile, or of a coalesced group, whose labels are equal. */
template <class T>
coalesced_group labeled_partition(const coalesced_group &group, T label, CUDA_CPU_CALLER)
{
    return coalesced_group(__match_any_sync(group.mask, label, file, line));
}

inline coalesced_group binary_partition(const coalesced_group &group, bool side, CUDA_CPU_CALLER)
{
    return labeled_partition(group, (int)side, file, line);
}

template <class Group>
__forceinline__ void sync(const Group &group, CUDA_CPU_CALLER)
{
    group.sync(file, line);
}

/* ---- collective calls ------------------------------------------------------------------------ */

#define CUDA_CPU_OPERATION(name, expression)                                                       \
    template <class T>                                                                             \
    struct name {                                                                                  \
        T operator()(T a, T b) const                                                               \
        {                                                                                          \
            return expression;                                                                     \
        }                                                                                          \
    };
CUDA_CPU_OPERATION(plus, a + b)
CUDA_CPU_OPERATION(less, b < a ? b : a)
CUDA_CPU_OPERATION(greater, a < b ? b : a)
CUDA_CPU_OPERATION(bit_and, a &b)
CUDA_CPU_OPERATION(bit_or, a | b)
CUDA_CPU_OPERATION(bit_xor, a ^ b)
#undef CUDA_CPU_OPERATION

/* The values of the lanes whose ranks are below end, in their order; without any, value. */
template <class T, class Operation>
T fold(const coalesced_group &group, T value, Operation operation, unsigned end, const char *file,
       int line)
{
    T result = value;
    for (unsigned rank = 0; rank < group.size(); rank++) {
        T other = group.shfl(value, rank, file, line);
        if (rank < end)
            result = rank == 0 ? other : operation(result, other);
    }
    return result;
}

template <class T, class Operation>
T reduce(const coalesced_group &group, T value, Operation operation, CUDA_CPU_CALLER)
{
    unsigned lanes = group.size();
    if ((lanes & (lanes - 1)) != 0)
        return fold(group, value, operation, lanes, file, line);
    for (unsigned far = lanes / 2; far > 0; far /= 2)
        value = operation(value, group.shfl_xor(value, far, file, line));
    return value;
}

template <class T, class Operation = plus<T>>
T inclusive_scan(const coalesced_group &group, T value, Operation operation = {}, CUDA_CPU_CALLER)
{
    return fold(group, value, operation, group.thread_rank() + 1, file, line);
}

template <class T, class Operation = plus<T>>
T exclusive_scan(const coalesced_group &group, T value, Operation operation = {}, CUDA_CPU_CALLER)
{
    T before = fold(group, value, operation, group.thread_rank(), file, line);
    return group.thread_rank() == 0 ? T() : before;
}

} /* namespace cooperative_groups */

#pragma GCC visibility pop

#endif
