/*
 * cooperative_groups.h - CUDA's groups of threads: the grid, the block, tiles of a warp, the lanes that
 * run together. Their collective calls are in cooperative_groups/reduce.h, scan.h and memcpy_async.h of
 * the toolkit, here all in this file.
 *
 * A tile has at most 32 threads: larger ones, which span warps, compile and end the program where they
 * meet. The grid meets only in a kernel that cudaLaunchCooperativeKernel() launched.
 */
#ifndef CUDA_CPU_COOPERATIVE_GROUPS_H
#define CUDA_CPU_COOPERATIVE_GROUPS_H

#include "cuda_runtime.h"

namespace cooperative_groups
{

/* Lanes of a warp, or (mask 0) the whole block: what the groups below can all be passed as. */
class thread_group
{
protected:
    unsigned mask;
    explicit thread_group(unsigned mask) : mask(mask)
    {
    }
    unsigned lanes_before() const
    {
        return mask & ((1u << cuda_cpu::current_thread() % 32) - 1);
    }

public:
    unsigned size() const
    {
        return mask ? (unsigned)__popc(mask) : blockDim.x * blockDim.y * blockDim.z;
    }
    unsigned num_threads() const
    {
        return size();
    }
    unsigned thread_rank() const
    {
        return mask ? (unsigned)__popc(lanes_before()) : cuda_cpu::current_thread();
    }
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
    static dim3 group_index()
    {
        return blockIdx;
    }
    static dim3 thread_index()
    {
        return threadIdx;
    }
    static dim3 group_dim()
    {
        return blockDim;
    }
};

template <unsigned THREADS>
struct block_tile_memory {
};

inline thread_block this_thread_block()
{
    return {};
}

template <unsigned THREADS>
thread_block this_thread_block(block_tile_memory<THREADS> &)
{
    return {};
}

struct grid_group {
    static unsigned long long num_blocks()
    {
        return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
    }
    static unsigned long long block_rank()
    {
        return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    }
    static unsigned long long size()
    {
        return num_blocks() * thread_block().size();
    }
    static unsigned long long thread_rank()
    {
        return block_rank() * thread_block().size() + cuda_cpu::current_thread();
    }
    static bool is_valid()
    {
        return cuda_cpu::is_cooperative();
    }
    __forceinline__ static void sync(CUDA_CPU_CALLER)
    {
        cuda_cpu::grid_barrier(file, line);
    }
};

inline grid_group this_grid()
{
    return {};
}

/* Lanes of one warp, and what they say to each other; ranks count within the group. */
class lane_group : public thread_group
{
    unsigned lane_of(unsigned rank) const
    {
        unsigned rest = mask;
        for (; rank > 0; rank--)
            rest &= rest - 1;
        return rest ? (unsigned)__ffs((int)rest) - 1 : cuda_cpu::current_thread() % 32;
    }

public:
    explicit lane_group(unsigned mask) : thread_group(mask)
    {
    }
    unsigned lanes() const
    {
        return mask;
    }
    /* Values of any size, 8 bytes at a time. */
    template <class T>
    T shfl(T value, unsigned rank, CUDA_CPU_CALLER) const
    {
        int lane = (int)lane_of(rank % size());
        for (size_t at = 0; at < sizeof value; at += sizeof(uint64_t)) {
            uint64_t part = 0;
            size_t bytes = min(sizeof part, sizeof value - at);
            memcpy(&part, (char *)&value + at, bytes);
            part = cuda_cpu::shuffle(mask, part, lane, 32, file, line);
            memcpy((char *)&value + at, &part, bytes);
        }
        return value;
    }
    template <class T>
    T shfl_up(T value, unsigned by, CUDA_CPU_CALLER) const
    {
        unsigned self = thread_rank();
        return shfl(value, self >= by ? self - by : self, file, line);
    }
    template <class T>
    T shfl_down(T value, unsigned by, CUDA_CPU_CALLER) const
    {
        unsigned self = thread_rank();
        return shfl(value, self + by < size() ? self + by : self, file, line);
    }
    /* The lanes' votes, by rank. */
    unsigned ballot(int predicate, CUDA_CPU_CALLER) const
    {
        unsigned votes = __ballot_sync(mask, predicate, file, line), ranks = 0;
        for (unsigned rank = 0; rank < size(); rank++)
            ranks |= (votes >> lane_of(rank) & 1) << rank;
        return ranks;
    }
    int any(int predicate, CUDA_CPU_CALLER) const
    {
        return __any_sync(mask, predicate, file, line);
    }
    int all(int predicate, CUDA_CPU_CALLER) const
    {
        return __all_sync(mask, predicate, file, line);
    }
    template <class T>
    unsigned match_any(T value, CUDA_CPU_CALLER) const
    {
        unsigned same = 0;
        for (unsigned rank = 0; rank < size(); rank++) {
            T other = shfl(value, rank, file, line);
            same |= (unsigned)(memcmp(&other, &value, sizeof value) == 0) << rank;
        }
        return same;
    }
};

/* SIZE neighbours, a power of two, of those that there are. */
template <unsigned SIZE, class Parent = void>
class thread_block_tile : public lane_group
{
    static_assert(SIZE > 0 && (SIZE & (SIZE - 1)) == 0, "a tile's size is a power of two");
    static unsigned its_lanes(unsigned threads, const char *file, int line)
    {
        if (SIZE > 32)
            cuda_cpu::die(file, line, "tiles of more than 32 threads are not supported");
        unsigned first = cuda_cpu::current_thread() / SIZE * SIZE;
        unsigned count = threads - first < SIZE ? threads - first : SIZE;
        return (count < 32 ? (1u << count) - 1 : ~0u) << first % 32;
    }

public:
    explicit thread_block_tile(const thread_block &block, CUDA_CPU_CALLER)
        : lane_group(its_lanes(block.size(), file, line))
    {
    }
    template <unsigned LARGER, class Its>
    thread_block_tile(const thread_block_tile<LARGER, Its> &, CUDA_CPU_CALLER)
        : thread_block_tile(thread_block(), file, line)
    {
        static_assert(SIZE <= LARGER, "a tile is a part of its parent");
    }
    static constexpr unsigned size()
    {
        return SIZE;
    }
    static constexpr unsigned num_threads()
    {
        return SIZE;
    }
    static unsigned meta_group_rank()
    {
        return cuda_cpu::current_thread() / SIZE;
    }
    static unsigned meta_group_size()
    {
        return (thread_block().size() + SIZE - 1) / SIZE;
    }
    template <class T>
    T shfl_xor(T value, unsigned with, CUDA_CPU_CALLER) const
    {
        return shfl(value, thread_rank() ^ with, file, line);
    }
};

/* Each lane runs alone here, which every correct caller of coalesced_threads() allows for. */
struct coalesced_group : lane_group {
    explicit coalesced_group(unsigned mask) : lane_group(mask)
    {
    }
};

inline coalesced_group coalesced_threads()
{
    return coalesced_group(__activemask());
}

template <unsigned SIZE, class Parent>
thread_block_tile<SIZE> tiled_partition(const Parent &parent, CUDA_CPU_CALLER)
{
    return thread_block_tile<SIZE>(parent, file, line);
}

/* The lanes of a tile, or of a coalesced group, whose labels are equal. */
template <class T>
coalesced_group labeled_partition(const lane_group &group, T label, CUDA_CPU_CALLER)
{
    return coalesced_group(__match_any_sync(group.lanes(), label, file, line));
}

inline coalesced_group binary_partition(const lane_group &group, bool side, CUDA_CPU_CALLER)
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

/* The values of the lanes with the ranks from first on and below end, in their order. */
template <class T, class Operation>
T fold(const lane_group &group, T value, Operation operation, unsigned first, unsigned end,
       const char *file, int line)
{
    T result = value;
    for (unsigned rank = 0, lanes = group.size(); rank < lanes; rank++) {
        T other = group.shfl(value, rank, file, line);
        if (rank >= first && rank < end)
            result = rank == first ? other : operation(result, other);
    }
    return result;
}

template <class T, class Operation>
T reduce(const lane_group &group, T value, Operation operation, CUDA_CPU_CALLER)
{
    unsigned lanes = group.size(), self = group.thread_rank();
    if ((lanes & (lanes - 1)) == 0) {
        for (unsigned far = lanes / 2; far > 0; far /= 2)
            value = operation(value, group.shfl(value, self ^ far, file, line));
        return value;
    }
    return fold(group, value, operation, 0, 32, file, line);
}

template <class T, class Operation = plus<T>>
T inclusive_scan(const lane_group &group, T value, Operation operation = {}, CUDA_CPU_CALLER)
{
    return fold(group, value, operation, 0, group.thread_rank() + 1, file, line);
}

template <class T, class Operation = plus<T>>
T exclusive_scan(const lane_group &group, T value, Operation operation = {}, CUDA_CPU_CALLER)
{
    T before = fold(group, value, operation, 0, group.thread_rank(), file, line);
    return group.thread_rank() == 0 ? T() : before;
}

/* The group's threads copy a part each, at once; the wait is what makes it known to all. */
template <class Group, class T, class Source>
void memcpy_async(const Group &group, T *target, const Source *source, size_t bytes)
{
    for (size_t i = group.thread_rank(); i < bytes / sizeof(T); i += group.size())
        target[i] = ((const T *)source)[i];
}

template <class Group>
__forceinline__ void wait(const Group &group, CUDA_CPU_CALLER)
{
    group.sync(file, line);
}

} /* namespace cooperative_groups */

#endif
