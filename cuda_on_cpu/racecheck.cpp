/*
 * racecheck.cpp - finds races between threads, whatever order they happened to run in.
 *
 * Kernels are compiled with gcc's -fsanitize=thread, which calls __tsan_readN or __tsan_writeN
 * before each access to memory; this file answers those calls in place of ThreadSanitizer's
 * run-time. Blocks run one after the other, and for each byte the last write and the last read are
 * remembered, with the moment and the thread. Two accesses to a byte, one of them a write and not
 * both atomic, race unless something orders them: a barrier or __syncwarp() between them, the end
 * of a launch, or, between blocks, a fence before an atomic on one side and an atomic on the other.
 *
 * Also found: reads of memory never written, accesses outside every allocation, and kernels that
 * touch the host's memory. A program with findings exits with status 66.
 */
#include "engine.h"
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <link.h>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace cuda_cpu
{
namespace
{

enum { STATUS_OF_FINDINGS = 66, FINDINGS_SHOWN = 20 };

/*
 * The clock ticks at every launch, block, barrier and fence. Cells that the host has written hold
 * HOST_TIME, cells never written 0.
 */
typedef uint32_t moment;
const moment HOST_TIME = 1;

/* One access, as it is remembered. */
struct access_record {
    moment time;
    uint32_t code;           /* where in the program's code, from its start */
    uint32_t thread : 10;    /* number in its block */
    uint32_t warp_time : 12; /* the warp's __syncwarp() calls before it, the lowest bits */
    uint32_t atomic : 1;
    /* A read's: who else has read since the last write or order between threads. */
    uint32_t other_lanes : 1;  /* of the same warp, since its last __syncwarp() */
    uint32_t other_warps : 1;  /* of the same block, since the last barrier */
    uint32_t other_blocks : 1; /* of the launch */
};

/* What is known of one byte of memory. */
struct cell {
    access_record write, read;
};

enum class memory_type { device, variable, shared };

/* A stretch of addresses with a cell for each byte. */
struct shadowed_range {
    uintptr_t begin, end;
    cell *cells;
    memory_type type;
};

enum range_index { DEVICE_MEMORY, STATIC_SHARED, DYNAMIC_SHARED, VARIABLES, RANGES };
shadowed_range ranges[RANGES];

uintptr_t image_begin, image_end; /* the program's code and data */

__thread bool checking; /* this host thread runs a kernel's thread */
moment now = HOST_TIME + 1;
moment launch_start, block_start, barrier_time;
uint32_t warp_time[MAX_THREADS / 32];

/*
 * Orders between threads without a barrier: what came before `released` has been published by some
 * thread with a fence and an atomic; what came before acquired[t] is known to thread t, which has
 * seen an atomic since, or has met a thread that has.
 */
moment released;
moment fenced[MAX_THREADS], acquired[MAX_THREADS];

int findings;

/* ---- reports -------------------------------------------------------------------------------- */

/* FILE:LINE of an address in the program's code, or the command that tells where addr2line is. */
std::string resolve(uint32_t code)
{
    char line[1024] = "";
    std::ostringstream command;
    command << "addr2line -e " << std::filesystem::read_symlink("/proc/self/exe") << " 0x"
            << std::hex << code;
    FILE *pipe = popen((command.str() + " 2>/dev/null").c_str(), "r");
    if (pipe) {
        if (!fgets(line, sizeof line, pipe))
            line[0] = '\0';
        pclose(pipe);
    }
    line[strcspn(line, " \n")] = '\0';
    if (!line[0] || line[0] == '?')
        return command.str();
    std::string place = line, folder = std::filesystem::current_path().string() + "/";
    return place.starts_with(folder) ? place.substr(folder.size()) : place;
}

std::string source_line(uint32_t code)
{
    static std::map<uint32_t, std::string> known;
    std::string &line = known[code];
    if (line.empty())
        line = resolve(code);
    return line;
}

enum class finding { race, never_written, outside, host_memory };

struct access_now {
    uintptr_t address;
    bool reads, writes, atomic;
    uint32_t code;
};

/* The other access of a race. */
struct earlier_access {
    const access_record *record;
    const char *did;
    bool by_several; /* record is only the last of them */
};

/* Reports each kind of finding once for each place in the code. */
void report(finding kind, const access_now &a, const char *what, const earlier_access &earlier = {})
{
    static std::set<std::pair<uint32_t, finding>> seen;
    if (!seen.insert({a.code, kind}).second || ++findings > FINDINGS_SHOWN)
        return;
    const char *does = a.atomic ? "atomic on" : a.writes ? "write to" : "read of";
    fprintf(stderr, "RACECHECK: %s\n  %s: %s this memory in %s\n", what,
            source_line(a.code).c_str(), does, where().c_str());
    if (!earlier.record)
        return;
    const access_record &r = *earlier.record;
    std::string who = "other threads";
    if (!earlier.by_several)
        who = "thread " +
              triple({r.thread % blockDim.x, r.thread / blockDim.x % blockDim.y,
                      r.thread / (blockDim.x * blockDim.y)}) +
              (r.time < block_start ? " of an earlier block" : "");
    fprintf(stderr, "  %s: %s before by %s\n", source_line(r.code).c_str(),
            r.atomic ? "atomic" : earlier.did, who.c_str());
}

/* ---- the check of one access ---------------------------------------------------------------- */

bool same_warp(const access_record &r, unsigned thread)
{
    return r.thread / 32 == thread / 32;
}

bool warp_synced_since(const access_record &r)
{
    return r.warp_time != (warp_time[r.thread / 32] & 0xfff);
}

/* Did this access happen before what the current thread does now? */
bool is_ordered(const access_record &r, unsigned thread)
{
    if (r.time < launch_start || r.time < acquired[thread])
        return true;
    if (r.time < block_start)
        return false; /* by another block of this launch */
    if (r.time < barrier_time || r.thread == thread)
        return true;
    return same_warp(r, thread) && warp_synced_since(r);
}

/* Have others read at the time of the read r, or before, whom nothing orders before this thread? */
bool others_have_read(const access_record &r, unsigned thread)
{
    if (r.time < launch_start || r.time < acquired[thread])
        return false;
    if (r.other_blocks)
        return true;
    return r.time >= barrier_time && (r.other_warps || (r.other_lanes && !warp_synced_since(r)));
}

/* Shared memory starts anew with every block: older records do not count. */
bool counts(const access_record &r, memory_type type)
{
    return r.time > HOST_TIME && (type != memory_type::shared || r.time >= block_start);
}

void check_initialised(const cell &c, memory_type type, const access_now &a)
{
    if (type == memory_type::shared) {
        if (a.reads && c.write.time < block_start)
            report(finding::never_written, a, "shared memory that the block has never written");
    } else if (type == memory_type::device && c.write.time == 0) {
        if (!in_device_memory((const void *)a.address))
            report(finding::outside, a, "device memory outside every allocation");
        else if (a.reads)
            report(finding::never_written, a, "device memory never written");
    }
}

void check_races(const cell &c, memory_type type, unsigned thread, const access_now &a)
{
    earlier_access earlier = {};
    if (counts(c.write, type) && !(a.atomic && c.write.atomic) && !is_ordered(c.write, thread))
        earlier = {&c.write, "written", false};
    else if (a.writes && counts(c.read, type) && others_have_read(c.read, thread))
        earlier = {&c.read, "read", true};
    else if (a.writes && counts(c.read, type) && !is_ordered(c.read, thread))
        earlier = {&c.read, "read", false};
    if (earlier.record)
        report(finding::race, a,
               type == memory_type::shared ? "race on shared memory" : "race on global memory",
               earlier);
}

/* Sets the marks of a new read r that follows the read last. */
void mark_other_readers(access_record &r, const access_record &last, memory_type type,
                        unsigned thread)
{
    if (!counts(last, type) || last.time < launch_start || last.time < acquired[thread])
        return;
    r.other_blocks = last.other_blocks || last.time < block_start;
    if (last.time < barrier_time)
        return;
    r.other_warps = last.other_warps || !same_warp(last, thread);
    r.other_lanes = same_warp(last, thread) && !warp_synced_since(last) &&
                    (last.other_lanes || last.thread != thread);
}

void remember(cell &c, memory_type type, unsigned thread, const access_now &a)
{
    access_record r = {};
    r.time = now;
    r.code = a.code;
    r.thread = thread & 0x3ff;
    r.warp_time = warp_time[thread / 32] & 0xfff;
    r.atomic = a.atomic;
    if (a.writes) {
        c.write = r;
        return;
    }
    mark_other_readers(r, c.read, type, thread);
    c.read = r;
}

/* CUDA's own variables lie among the shared arrays, since both are thread-local. */
bool is_builtin_variable(uintptr_t address)
{
    for (const void *variable :
         {(void *)&threadIdx, (void *)&blockIdx, (void *)&blockDim, (void *)&gridDim})
        if (address - (uintptr_t)variable < sizeof(dim3))
            return true;
    return false;
}

void check(access_now a, size_t size)
{
    if (on_own_stack(a.address) || is_builtin_variable(a.address))
        return;
    for (const shadowed_range &range : ranges) {
        if (a.address < range.begin || a.address >= range.end)
            continue;
        unsigned thread = current_thread();
        cell *c = range.cells + (a.address - range.begin);
        for (size_t i = 0; i < size && a.address < range.end; i++, c++, a.address++) {
            check_initialised(*c, range.type, a);
            check_races(*c, range.type, thread, a);
            remember(*c, range.type, thread, a);
        }
        return;
    }
    if (a.address < image_begin || a.address >= image_end)
        report(finding::host_memory, a, "a kernel touches the host's memory");
}

uint32_t code_offset(void *program_counter)
{
    return (uint32_t)((uintptr_t)program_counter - image_begin - 1);
}

inline void on_access(void *address, size_t size, bool writes, void *program_counter)
{
    if (checking)
        check({(uintptr_t)address, !writes, writes, false, code_offset(program_counter)}, size);
}

/* ---- what the engine tells ------------------------------------------------------------------ */

void on_launch_end()
{
    checking = false;
    now++;
}

void on_block(const void *shared, size_t bytes)
{
    block_start = barrier_time = ++now;
    ranges[DYNAMIC_SHARED].begin = (uintptr_t)shared;
    ranges[DYNAMIC_SHARED].end = (uintptr_t)shared + bytes;
    memset(fenced, 0, sizeof fenced);
    memset(acquired, 0, sizeof acquired);
    checking = true;
}

void on_barrier()
{
    barrier_time = ++now;
    std::ranges::fill(acquired, std::ranges::max(acquired));
    std::ranges::fill(fenced, std::ranges::max(fenced));
}

void on_warp_sync(unsigned warp)
{
    warp_time[warp]++;
}

void on_fence()
{
    fenced[current_thread()] = ++now;
}

void on_atomic(void *address, size_t size, bool reads, void *program_counter)
{
    if (!checking)
        return;
    check({(uintptr_t)address, reads, true, true, code_offset(program_counter)}, size);
    unsigned thread = current_thread();
    acquired[thread] = released = std::max(released, fenced[thread]);
}

void on_host_write(const void *address, size_t size)
{
    uintptr_t a = (uintptr_t)address;
    for (int i : {DEVICE_MEMORY, VARIABLES}) {
        if (a < ranges[i].begin || a >= ranges[i].end)
            continue;
        cell written = {};
        written.write.time = HOST_TIME;
        std::fill_n(ranges[i].cells + (a - ranges[i].begin), size, written);
    }
}

/* ---- device memory: one stretch of addresses, whole pages for each allocation --------------- */

const size_t PAGE = 4096;
std::map<uintptr_t, size_t> taken; /* whole pages, by address */

/* The cells of a byte take many times its space, so only a small part of memory can be device's. */
size_t capacity()
{
    size_t physical = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
    return physical / (sizeof(cell) + 2) / PAGE * PAGE;
}

/* The first gap that is wide enough. A page stays free behind each allocation, so that running over
 * its end is outside. */
void *allocate(size_t size)
{
    size_t wanted = (size + PAGE - 1) / PAGE * PAGE + PAGE;
    uintptr_t begin = ranges[DEVICE_MEMORY].begin;
    for (auto [next, bytes] : taken) {
        if (next - begin >= wanted)
            break;
        begin = next + bytes;
    }
    if (ranges[DEVICE_MEMORY].end - begin < wanted)
        return nullptr;
    taken[begin] = wanted;
    return (void *)begin;
}

/* Both memory and cells read as zeros again: never written. */
void release(void *address)
{
    auto found = taken.find((uintptr_t)address);
    size_t bytes = found->second;
    cell *cells = ranges[DEVICE_MEMORY].cells + (found->first - ranges[DEVICE_MEMORY].begin);
    madvise(cells, bytes * sizeof(cell), MADV_DONTNEED);
    madvise(address, bytes, MADV_DONTNEED);
    taken.erase(found);
}

/* ---- setting up ----------------------------------------------------------------------------- */

/* Zeroed memory that exists only where it is touched. */
void *reserve(size_t bytes)
{
    void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        perror("RACECHECK: address space for the cells");
        _exit(2);
    }
    return memory;
}

void shadow(range_index i, uintptr_t begin, size_t bytes, memory_type type)
{
    ranges[i] = {begin, begin + bytes, (cell *)reserve(bytes * sizeof(cell)), type};
}

/* The first object that the linker lists is the program itself. */
int find_program(dl_phdr_info *info, size_t, void *)
{
    image_begin = image_end = info->dlpi_addr;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) &part = info->dlpi_phdr[i];
        uintptr_t begin = info->dlpi_addr + part.p_vaddr;
        if (part.p_type == PT_LOAD && begin + part.p_memsz > image_end)
            image_end = begin + part.p_memsz;
        if (part.p_type == PT_LOAD && (part.p_flags & PF_W))
            shadow(VARIABLES, begin, part.p_memsz, memory_type::variable);
        if (part.p_type == PT_TLS)
            shadow(STATIC_SHARED, 0, part.p_memsz, memory_type::shared);
    }
    return 1;
}

/* The host thread that launches has its own copy of the shared arrays. */
int find_shared(dl_phdr_info *info, size_t, void *)
{
    size_t bytes = ranges[STATIC_SHARED].end - ranges[STATIC_SHARED].begin;
    ranges[STATIC_SHARED].begin = (uintptr_t)info->dlpi_tls_data;
    ranges[STATIC_SHARED].end = (uintptr_t)info->dlpi_tls_data + bytes;
    return 1;
}

void on_launch_begin()
{
    dl_iterate_phdr(find_shared, nullptr);
    launch_start = ++now;
}

const race_checker this_checker = {
    on_launch_begin, on_launch_end, on_block, on_barrier, on_warp_sync, on_fence,
    on_atomic,       on_host_write, allocate, release,    capacity,
};

struct setup {
    setup()
    {
        size_t bytes = capacity();
        uintptr_t memory = (uintptr_t)reserve(bytes);
        shadow(DEVICE_MEMORY, memory, bytes, memory_type::device);
        shadow(DYNAMIC_SHARED, 0, OPT_IN_SHARED_BYTES, memory_type::shared);
        dl_iterate_phdr(find_program, nullptr);
        checker = &this_checker;
    }

    ~setup()
    {
        if (findings == 0)
            return;
        fprintf(stderr, "RACECHECK: %d finding%s\n", findings, findings == 1 ? "" : "s");
        fflush(nullptr);
        _exit(STATUS_OF_FINDINGS);
    }
} setup_and_summary;

} /* namespace */

/* ---- what -fsanitize=thread calls ----------------------------------------------------------- */

#define CALLER __builtin_return_address(0)

extern "C" {

#define ACCESSES(prefix, size)                                                                     \
    void __tsan_##prefix##read##size(void *address)                                                \
    {                                                                                              \
        on_access(address, size, false, CALLER);                                                   \
    }                                                                                              \
    void __tsan_##prefix##write##size(void *address)                                               \
    {                                                                                              \
        on_access(address, size, true, CALLER);                                                    \
    }
#define ALL_SIZES(prefix)                                                                          \
    ACCESSES(prefix, 1)                                                                            \
    ACCESSES(prefix, 2) ACCESSES(prefix, 4) ACCESSES(prefix, 8) ACCESSES(prefix, 16)
ALL_SIZES()
ALL_SIZES(volatile_)

void __tsan_read_range(void *address, size_t size)
{
    on_access(address, size, false, CALLER);
}

void __tsan_write_range(void *address, size_t size)
{
    on_access(address, size, true, CALLER);
}

#define IGNORED(name, ...)                                                                         \
    void __tsan_##name(__VA_ARGS__)                                                                \
    {                                                                                              \
    }
IGNORED(init)
IGNORED(func_entry, void *)
IGNORED(func_exit)
IGNORED(vptr_update, void **, void *)
IGNORED(atomic_signal_fence, int)

void __tsan_atomic_thread_fence(int)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* The host's atomics (OpenMP's among them): what they say, in sequential consistency. */
#define ATOMIC(T, bits, name, parameters, builtin)                                                 \
    T __tsan_atomic##bits##_##name parameters                                                      \
    {                                                                                              \
        return __atomic_##builtin;                                                                 \
    }
#define ATOMIC_FETCH(T, bits, name)                                                                \
    ATOMIC(T, bits, name, (T * p, T v, int), name(p, v, __ATOMIC_SEQ_CST))
#define ATOMIC_COMPARE(T, bits, name)                                                              \
    ATOMIC(int, bits, name, (T * p, T * expected, T v, int, int),                                  \
           compare_exchange_n(p, expected, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
#define ATOMICS(T, bits)                                                                           \
    ATOMIC(T, bits, load, (const T *p, int), load_n(p, __ATOMIC_SEQ_CST))                          \
    ATOMIC(void, bits, store, (T * p, T v, int), store_n(p, v, __ATOMIC_SEQ_CST))                  \
    ATOMIC(T, bits, exchange, (T * p, T v, int), exchange_n(p, v, __ATOMIC_SEQ_CST))               \
    ATOMIC_COMPARE(T, bits, compare_exchange_strong)                                               \
    ATOMIC_COMPARE(T, bits, compare_exchange_weak)                                                 \
    ATOMIC_FETCH(T, bits, fetch_add)                                                               \
    ATOMIC_FETCH(T, bits, fetch_sub)                                                               \
    ATOMIC_FETCH(T, bits, fetch_and)                                                               \
    ATOMIC_FETCH(T, bits, fetch_or)                                                                \
    ATOMIC_FETCH(T, bits, fetch_xor)                                                               \
    ATOMIC_FETCH(T, bits, fetch_nand)
ATOMICS(uint8_t, 8)
ATOMICS(uint16_t, 16)
ATOMICS(uint32_t, 32)
ATOMICS(uint64_t, 64)

} /* extern "C" */

} /* namespace cuda_cpu */
