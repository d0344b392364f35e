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
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <link.h>
#include <map>
#include <set>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

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

std::string program_path()
{
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    return length > 0 ? std::string(path, (size_t)length) : "";
}

std::string below_current_folder(const std::string &path)
{
    char folder[4096];
    if (!getcwd(folder, sizeof folder))
        return path;
    std::string prefix = std::string(folder) + "/";
    return path.compare(0, prefix.size(), prefix) == 0 ? path.substr(prefix.size()) : path;
}

/* FILE:LINE of an address in the program's code, through addr2line where it is there. */
std::string resolve(uint32_t code)
{
    char address[32], line[1024] = "";
    snprintf(address, sizeof address, "0x%x", code);
    std::string program = program_path();
    std::string command = "addr2line -e '" + program + "' " + address + " 2>/dev/null";
    FILE *pipe = popen(command.c_str(), "r");
    if (pipe) {
        if (!fgets(line, sizeof line, pipe))
            line[0] = '\0';
        pclose(pipe);
    }
    line[strcspn(line, " \n")] = '\0';
    if (line[0] && line[0] != '?')
        return below_current_folder(line);
    return std::string(address) + " (addr2line -e " + program + " " + address + " gives the line)";
}

std::string source_line(uint32_t code)
{
    static std::map<uint32_t, std::string> known;
    auto found = known.find(code);
    if (found == known.end())
        found = known.emplace(code, resolve(code)).first;
    return found->second;
}

std::string thread_name(unsigned thread)
{
    return "thread " + triple({thread % blockDim.x, thread / blockDim.x % blockDim.y,
                               thread / (blockDim.x * blockDim.y)});
}

enum class finding { race, never_written, outside, host_memory };

struct access_now {
    uintptr_t address;
    bool reads, writes, atomic;
    uint32_t code;
};

const char *verb(const access_now &a)
{
    return a.atomic ? "atomic on" : a.writes ? "write to" : "read of";
}

/* The other access of a race; record is what is remembered of it. */
struct earlier_access {
    const access_record *record;
    bool was_write;
    bool by_several; /* reads: record is only the last of them */
};

void print_earlier(const earlier_access &earlier)
{
    const access_record &r = *earlier.record;
    const char *did = r.atomic ? "atomic" : earlier.was_write ? "written" : "read";
    std::string who = "other threads";
    if (!earlier.by_several)
        who = thread_name(r.thread) + (r.time < block_start ? " of an earlier block" : "");
    fprintf(stderr, "  %s: %s before by %s\n", source_line(r.code).c_str(), did, who.c_str());
}

/* Reports each kind of finding once for each place in the code. */
void report(finding kind, const access_now &a, const char *what,
            const earlier_access *earlier = nullptr)
{
    static std::set<std::pair<uint32_t, finding>> seen;
    if (!seen.insert({a.code, kind}).second || ++findings > FINDINGS_SHOWN)
        return;
    fprintf(stderr, "RACECHECK: %s\n  %s: %s this memory in %s\n", what,
            source_line(a.code).c_str(), verb(a), where().c_str());
    if (earlier)
        print_earlier(*earlier);
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
    const char *what =
        type == memory_type::shared ? "race on shared memory" : "race on global memory";
    const access_record &write = c.write, &read = c.read;
    if (counts(write, type) && !(a.atomic && write.atomic) && !is_ordered(write, thread)) {
        earlier_access earlier = {&write, true, false};
        report(finding::race, a, what, &earlier);
    }
    if (!a.writes || !counts(read, type))
        return;
    bool others = others_have_read(read, thread);
    if (others || !is_ordered(read, thread)) {
        earlier_access earlier = {&read, false, others};
        report(finding::race, a, what, &earlier);
    }
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
    const uintptr_t variables[] = {(uintptr_t)&threadIdx, (uintptr_t)&blockIdx,
                                   (uintptr_t)&blockDim, (uintptr_t)&gridDim};
    for (uintptr_t variable : variables)
        if (address - variable < sizeof(dim3))
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

void on_launch_begin();

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
    moment latest_acquired = 0, latest_fence = 0;
    for (unsigned t = 0; t < MAX_THREADS; t++) {
        latest_acquired = acquired[t] > latest_acquired ? acquired[t] : latest_acquired;
        latest_fence = fenced[t] > latest_fence ? fenced[t] : latest_fence;
    }
    for (unsigned t = 0; t < MAX_THREADS; t++) {
        acquired[t] = latest_acquired;
        fenced[t] = latest_fence;
    }
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
    if (fenced[thread] > released)
        released = fenced[thread];
    acquired[thread] = released;
}

void on_host_write(const void *address, size_t size)
{
    uintptr_t a = (uintptr_t)address;
    for (int i : {DEVICE_MEMORY, VARIABLES}) {
        if (a < ranges[i].begin || a >= ranges[i].end)
            continue;
        cell written = {};
        written.write.time = HOST_TIME;
        cell *c = ranges[i].cells + (a - ranges[i].begin);
        for (size_t k = 0; k < size; k++)
            c[k] = written;
    }
}

/* ---- device memory: one stretch of addresses, whole pages for each allocation --------------- */

const size_t PAGE = 4096;
std::map<uintptr_t, size_t> holes; /* free ranges by address, never adjacent */

size_t whole_pages(size_t size)
{
    return (size + PAGE - 1) / PAGE * PAGE;
}

/* The cells of a byte take many times its space, so only a small part of memory can be device's. */
size_t capacity()
{
    size_t physical = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
    return physical / (sizeof(cell) + 2) / PAGE * PAGE;
}

/* A page stays free behind each allocation, so that running over its end is outside. */
void *allocate(size_t size)
{
    size_t wanted = whole_pages(size) + PAGE;
    for (auto hole = holes.begin(); hole != holes.end(); ++hole) {
        auto [begin, bytes] = *hole;
        if (bytes < wanted)
            continue;
        holes.erase(hole);
        if (bytes > wanted)
            holes[begin + wanted] = bytes - wanted;
        return (void *)begin;
    }
    return nullptr;
}

void release(void *address, size_t size)
{
    uintptr_t begin = (uintptr_t)address;
    size_t bytes = whole_pages(size) + PAGE;
    cell *cells = ranges[DEVICE_MEMORY].cells + (begin - ranges[DEVICE_MEMORY].begin);
    madvise(cells, bytes * sizeof(cell), MADV_DONTNEED); /* reads as zeros again: never written */
    madvise(address, bytes, MADV_DONTNEED);
    auto after = holes.lower_bound(begin);
    if (after != holes.end() && begin + bytes == after->first) {
        bytes += after->second;
        after = holes.erase(after);
    }
    if (after != holes.begin() && std::prev(after)->first + std::prev(after)->second == begin)
        std::prev(after)->second += bytes;
    else
        holes[begin] = bytes;
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
        holes[memory] = bytes;
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
ALL_SIZES(unaligned_)
ALL_SIZES(volatile_)
ALL_SIZES(unaligned_volatile_)

void __tsan_read_range(void *address, size_t size)
{
    on_access(address, size, false, CALLER);
}

void __tsan_write_range(void *address, size_t size)
{
    on_access(address, size, true, CALLER);
}

void __tsan_init()
{
}

void __tsan_func_entry(void *)
{
}

void __tsan_func_exit()
{
}

void __tsan_vptr_update(void **, void *)
{
}

void __tsan_vptr_read(void **)
{
}

void __tsan_atomic_thread_fence(int)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

void __tsan_atomic_signal_fence(int)
{
}

/* The host's atomics (OpenMP's among them): what they say, in sequential consistency. */
#define ATOMIC_UPDATE(bits, name)                                                                  \
    uint##bits##_t __tsan_atomic##bits##_fetch_##name(uint##bits##_t *p, uint##bits##_t v, int)    \
    {                                                                                              \
        return __atomic_fetch_##name(p, v, __ATOMIC_SEQ_CST);                                      \
    }
#define ATOMICS(bits)                                                                              \
    uint##bits##_t __tsan_atomic##bits##_load(const uint##bits##_t *p, int)                        \
    {                                                                                              \
        return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                               \
    }                                                                                              \
    void __tsan_atomic##bits##_store(uint##bits##_t *p, uint##bits##_t v, int)                     \
    {                                                                                              \
        __atomic_store_n(p, v, __ATOMIC_SEQ_CST);                                                  \
    }                                                                                              \
    uint##bits##_t __tsan_atomic##bits##_exchange(uint##bits##_t *p, uint##bits##_t v, int)        \
    {                                                                                              \
        return __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST);                                        \
    }                                                                                              \
    int __tsan_atomic##bits##_compare_exchange_strong(uint##bits##_t *p, uint##bits##_t *expected, \
                                                      uint##bits##_t v, int, int)                  \
    {                                                                                              \
        return __atomic_compare_exchange_n(p, expected, v, false, __ATOMIC_SEQ_CST,                \
                                           __ATOMIC_SEQ_CST);                                      \
    }                                                                                              \
    int __tsan_atomic##bits##_compare_exchange_weak(uint##bits##_t *p, uint##bits##_t *expected,   \
                                                    uint##bits##_t v, int, int)                    \
    {                                                                                              \
        return __atomic_compare_exchange_n(p, expected, v, false, __ATOMIC_SEQ_CST,                \
                                           __ATOMIC_SEQ_CST);                                      \
    }                                                                                              \
    uint##bits##_t __tsan_atomic##bits##_compare_exchange_val(                                     \
        uint##bits##_t *p, uint##bits##_t expected, uint##bits##_t v, int, int)                    \
    {                                                                                              \
        __atomic_compare_exchange_n(p, &expected, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);   \
        return expected;                                                                           \
    }                                                                                              \
    ATOMIC_UPDATE(bits, add)                                                                       \
    ATOMIC_UPDATE(bits, sub)                                                                       \
    ATOMIC_UPDATE(bits, and)                                                                       \
    ATOMIC_UPDATE(bits, or)                                                                        \
    ATOMIC_UPDATE(bits, xor)                                                                       \
    ATOMIC_UPDATE(bits, nand)
ATOMICS(8)
ATOMICS(16)
ATOMICS(32)
ATOMICS(64)

} /* extern "C" */

} /* namespace cuda_cpu */
