/*
 * racecheck.cpp - finds races between threads, whatever order they happened to run in.
 *
 * Kernels are compiled with gcc's -fsanitize=thread, which calls __tsan_readN or __tsan_writeN
 * before each access to memory; this file answers those calls in place of ThreadSanitizer's
 * run-time. Blocks run one after the other, and for each byte the last write, the last atomic and
 * the last read are remembered, with the moment and the thread. Two accesses to a byte, one of them
 * a write and not both atomic, race unless something orders them: a barrier or __syncwarp() between
 * them, the end of a launch, or, between blocks, a fence before an atomic on one side and an atomic
 * on the other. A read by which a loop of atomicCAS() begins is no race: an old value costs a turn.
 *
 * Also found: reads of memory never written, accesses outside every allocation, kernels that touch
 * the host's memory or write constants, and host code that touches the device's. A program with
 * findings exits with status 66.
 */
#include "engine.h"
#include "places.h"
#include <algorithm>
#include <cstdio>
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

/* How far apart two threads are, or the threads that nothing orders before another one. */
enum reach { NOWHERE, WARP, BLOCK, LAUNCH };

/* One access, as it is remembered. */
struct access_record {
    moment time;
    uint32_t code;           /* where in the program's code, from its start */
    uint32_t thread : 10;    /* number in its block */
    uint32_t warp_time : 12; /* the warp's __syncwarp() calls before it, the lowest bits */
    uint32_t atomic : 1;
    uint32_t others : 2; /* a read's, an atomic's: how far those like it, unordered to it, reach */
};

/* What is known of one byte of memory. An atomic is no write here. */
struct cell {
    access_record write, atomic, read;
};

/* A stretch of addresses with a cell for each byte. */
struct shadowed_range {
    uintptr_t begin, end;
    cell *cells;
};

enum memory_type { DEVICE_MEMORY, VARIABLES, STATIC_SHARED, DYNAMIC_SHARED, MEMORY_TYPES };
shadowed_range ranges[MEMORY_TYPES];

uintptr_t image_begin, image_end; /* the program's code and data */

/* Does the address lie in the section, in which cuda_runtime.h puts variables of one kind? */
#define SECTION(name, is_in)                                                                       \
    extern "C" __attribute__((weak)) const char __start_##name[], __stop_##name[];                 \
    bool is_in(uintptr_t address)                                                                  \
    {                                                                                              \
        return address >= (uintptr_t)__start_##name && address < (uintptr_t)__stop_##name;         \
    }
SECTION(cuda_cpu_device, is_device_variable)
SECTION(cuda_cpu_constant, is_constant)

std::map<uintptr_t, size_t> kernel_heap LASTING; /* what kernels allocated */

bool in_kernel_heap(uintptr_t address)
{
    auto after = kernel_heap.upper_bound(address);
    return after != kernel_heap.begin() &&
           address - std::prev(after)->first < std::prev(after)->second;
}

/* Called by each allocation, of the map's own, too; size 0: it goes. Others may have gone unseen.
 */
void note_heap(void *address, size_t size)
{
    static bool noting;
    if (!in_kernel() || noting)
        return;
    noting = true;
    auto behind = kernel_heap.lower_bound((uintptr_t)address + std::max(size, (size_t)1));
    kernel_heap.erase(kernel_heap.lower_bound((uintptr_t)address), behind);
    if (size > 0)
        kernel_heap[(uintptr_t)address] = size;
    noting = false;
}

const size_t PAGE = 4096;
const size_t ROOM_BEFORE = (size_t)1 << 20;

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

struct access_now {
    uintptr_t address;
    bool reads, writes, atomic;
    uint32_t code;
    unsigned thread;
    memory_type type; /* found by check() */
};

/* Is it told for the first time of this place in the code, and are there not too many already? */
bool is_news(const access_now &a, const std::string &what)
{
    static std::set<std::pair<uint32_t, std::string>> seen;
    return seen.insert({a.code, what}).second && ++findings <= FINDINGS_SHOWN;
}

/* Says what has been found. A race has an earlier access, too: the thread did that, or, when
 * by_several, others before it. */
std::string told(const access_now &a, const std::string &what, const access_record *earlier,
                 const char *did, bool by_several)
{
    const char *does = a.atomic ? "atomic on" : a.writes ? "write to" : "read of";
    std::string text = "RACECHECK: " + what + "\n  " + source_lines({image_begin + a.code}) + ": " +
                       does + " this memory in " + where() + "\n";
    if (!earlier)
        return text;
    std::string who = "other threads";
    if (!by_several)
        who = "thread " +
              triple({earlier->thread % blockDim.x, earlier->thread / blockDim.x % blockDim.y,
                      earlier->thread / (blockDim.x * blockDim.y)}) +
              (earlier->time < block_start ? " of an earlier block" : "");
    return text + "  " + source_lines({image_begin + earlier->code}) + ": " +
           (earlier->atomic ? "atomic" : did) + " before by " + who + "\n";
}

void report(const access_now &a, const std::string &what, const access_record *earlier = nullptr,
            const char *did = nullptr, bool by_several = false)
{
    if (is_news(a, what))
        fputs(told(a, what, earlier, did, by_several).c_str(), stderr);
}

/*
 * Plain reads beside atomics, by their places. Where a thread compares and exchanges what it has
 * read at such a place, that is how a loop begins; others are races, which the launch's end tells.
 */
struct doubt {
    access_now access;
    std::string what, text;
};
std::map<uint32_t, doubt> doubts LASTING;
std::set<uint32_t> loops_begin_at LASTING;

struct plain_read {
    uintptr_t address;
    unsigned thread;
    uint32_t code;
} last_reads[4];
unsigned reads_seen;

void doubt_read(uint32_t code, const access_now &a, const std::string &what,
                const access_record &earlier, bool by_several)
{
    if (!loops_begin_at.count(code) && !doubts.count(code))
        doubts[code] = {a, what, told(a, what, &earlier, "read", by_several)};
}

/*
 * What host code touches of managed memory while launches wait, by byte: the moment, and the place
 * in the code. A launch that waited already, and touches the same, ought to have been waited for.
 */
struct host_touch {
    moment time;
    uint32_t code;
    bool writes;
};
std::map<uintptr_t, host_touch> host_touches LASTING;
int launches_waiting;
moment launch_waited_since;
const size_t MOST_TOUCHES = 1 << 18;

void note_host_touch(const access_now &a, size_t size)
{
    for (uintptr_t byte = a.address; byte < a.address + size && host_touches.size() < MOST_TOUCHES;
         byte++) {
        host_touch &touch = host_touches[byte];
        touch = {now, a.code, touch.writes || a.writes};
    }
}

void check_touched_by_host(const access_now &a)
{
    const auto touch = host_touches.find(a.address);
    if (touch == host_touches.end() || touch->second.time < launch_waited_since ||
        !(a.writes || touch->second.writes))
        return;
    report(a, source_lines({image_begin + touch->second.code}) +
                  ": host code touches managed memory before it waits for the launch");
    host_touches.erase(touch);
}

void on_launch_end()
{
    for (const auto &[code, d] : doubts)
        if (!loops_begin_at.count(code) && is_news(d.access, d.what))
            fputs(d.text.c_str(), stderr);
    doubts.clear();
    if (launches_waiting == 0)
        host_touches.clear();
}

/* A write that races with another: only when it is done can be told whether their values differ. */
struct racing_write {
    access_now access;
    access_record earlier;
    uint3 thread;
    std::string what;
    std::vector<std::pair<const char *, char>> bytes_before;
};
racing_write undecided LASTING;

/* What the thread wrote last has been done. */
void settle()
{
    racing_write w = {};
    std::swap(w, undecided);
    bool same = std::ranges::all_of(w.bytes_before, [](auto b) { return *b.first == b.second; });
    std::swap(threadIdx, w.thread);
    report(w.access, w.what + (same ? ": writes of the same value" : ""), &w.earlier, "written");
    std::swap(threadIdx, w.thread);
}

/* ---- the check of one access ---------------------------------------------------------------- */

bool warp_synced_since(const access_record &r)
{
    return r.warp_time != (warp_time[r.thread / 32] & 0xfff);
}

bool known_before(const access_record &r, unsigned thread)
{
    return r.time < launch_start || r.time < acquired[thread];
}

/* How far from thread is the one of this access, if nothing orders it before what thread does? */
inline reach unordered(const access_record &r, unsigned thread)
{
    if (known_before(r, thread))
        return NOWHERE;
    if (r.time < block_start)
        return LAUNCH;
    if (r.time < barrier_time || r.thread == thread)
        return NOWHERE;
    if (r.thread / 32 != thread / 32)
        return BLOCK;
    return warp_synced_since(r) ? NOWHERE : WARP;
}

/* Tells as much of those who read before the read r, of atomics before the atomic r. */
inline reach others_unordered(const access_record &r, unsigned thread)
{
    bool ordered = known_before(r, thread) || (r.others <= BLOCK && r.time < barrier_time) ||
                   (r.others <= WARP && warp_synced_since(r));
    return ordered ? NOWHERE : (reach)r.others;
}

bool is_shared(memory_type type)
{
    return type == STATIC_SHARED || type == DYNAMIC_SHARED;
}

/* Shared memory starts anew with every block. */
void forget_earlier_blocks(cell &c)
{
    for (access_record *r : {&c.write, &c.atomic, &c.read})
        if (r->time < block_start)
            *r = {};
}

/* Looks at the first byte of a read alone: others may lie between a structure's members. */
void check_initialised(const access_now &a, bool first)
{
    if (is_shared(a.type) && a.reads && first)
        report(a, "shared memory that the block has never written");
    else if (a.type == DEVICE_MEMORY && !in_device_memory((const void *)a.address, true))
        report(a, "device memory outside every allocation");
    else if (a.type == DEVICE_MEMORY && a.reads && first)
        report(a, "device memory never written");
}

void check_races(const cell &c, const access_now &a)
{
    const char *what = is_shared(a.type) ? "race on shared memory" : "race on global memory";
    const char *byte = (const char *)a.address;
    const reach writer = unordered(c.write, a.thread);
    if (writer && a.writes && !a.atomic) {
        std::vector<std::pair<const char *, char>> bytes = std::move(undecided.bytes_before);
        bytes.push_back({byte, *byte});
        undecided = {a, c.write, threadIdx, what, bytes};
        return;
    }
    if (writer)
        return report(a, what, &c.write, "written");
    for (const access_record *r : {a.atomic ? nullptr : &c.atomic, a.writes ? &c.read : nullptr}) {
        const bool others = r && others_unordered(*r, a.thread);
        if (!others && (!r || !unordered(*r, a.thread)))
            continue;
        if (a.atomic || !a.writes)
            return doubt_read(a.atomic ? r->code : a.code, a, what, *r, others);
        return report(a, what, r, "read", others);
    }
}

/* Behind a fence an atomic has acquired what those before it have released. */
void remember(cell &c, const access_now &a)
{
    access_record r = {};
    r.time = now;
    r.code = a.code;
    r.thread = a.thread & 0x3ff;
    r.warp_time = warp_time[a.thread / 32] & 0xfff;
    r.atomic = a.atomic;
    if (a.writes && !a.atomic) {
        c.write = r;
        c.atomic = {};
        return;
    }
    access_record &last = a.atomic ? c.atomic : c.read;
    if (!a.atomic || !fenced[a.thread])
        r.others = std::max(unordered(last, a.thread), others_unordered(last, a.thread));
    last = r;
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
    if (is_builtin_variable(a.address))
        return;
    const shadowed_range &dynamic = ranges[DYNAMIC_SHARED];
    if (in_shared_guard(a.address) || (dynamic.begin && a.address - dynamic.end < PAGE))
        return report(a, "shared memory past the end of every array");
    if (a.writes && is_constant(a.address))
        report(a, "a kernel writes __constant__ memory");
    for (int i = 0; i < MEMORY_TYPES; i++) {
        const shadowed_range &range = ranges[i];
        if (a.address < range.begin || a.address >= range.end)
            continue;
        a.type = (memory_type)i;
        if (i == STATIC_SHARED && is_initialisation_guard(a.address - range.begin))
            return;
        cell *c = range.cells + (a.address - range.begin);
        for (size_t left = size; left > 0 && a.address < range.end; left--, c++, a.address++) {
            if (is_shared(a.type))
                forget_earlier_blocks(*c);
            else if (!host_touches.empty())
                check_touched_by_host(a);
            if (c->write.time == 0 && c->atomic.time == 0)
                check_initialised(a, left == size);
            check_races(*c, a);
            remember(*c, a);
        }
        return;
    }
    if ((a.address < image_begin || a.address >= image_end) && !in_kernel_heap(a.address))
        report(a,
               a.address < PAGE ? "a null pointer is used" : "a kernel touches the host's memory");
}

/* Managed and pinned memory is the host's, too. */
void check_host(const access_now &a, size_t size)
{
    const shadowed_range &device = ranges[DEVICE_MEMORY];
    if (is_constant(a.address) || is_device_variable(a.address))
        report(a, "host code touches a variable of the device");
    else if (a.address < device.begin || a.address >= device.end)
        return;
    else if (in_device_memory((const void *)a.address, false))
        report(a, "host code touches device memory");
    else if (launches_waiting > 0 && in_managed_memory((const void *)a.address))
        note_host_touch(a, size);
}

inline access_now note_access(void *address, bool reads, bool writes, bool atomic,
                              void *program_counter)
{
    uint32_t code = (uint32_t)((uintptr_t)program_counter - image_begin - 1);
    return {(uintptr_t)address, reads, writes, atomic, code, current_thread(), {}};
}

inline void on_access(void *address, size_t size, bool reads, bool writes, bool atomic,
                      void *program_counter, bool = false)
{
    if (!undecided.bytes_before.empty())
        settle();
    if (size == 0)
        return;
    access_now a = note_access(address, reads, writes, atomic, program_counter);
    if (!in_kernel())
        check_host(a, size);
    else if (shared_with_others(a.address)) {
        if (!writes)
            last_reads[reads_seen++ % 4] = {a.address, a.thread, a.code};
        check(a, size);
    }
}

/* ---- what the engine tells ------------------------------------------------------------------ */

bool on_block(const void *shared, size_t bytes)
{
    block_start = barrier_time = ++now;
    ranges[DYNAMIC_SHARED].begin = (uintptr_t)shared;
    ranges[DYNAMIC_SHARED].end = (uintptr_t)shared + bytes;
    memset(fenced, 0, sizeof fenced);
    memset(acquired, 0, sizeof acquired);
    memset(last_reads, 0, sizeof last_reads);
    return true;
}

void on_barrier(const char *, int)
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

void on_atomic(void *address, size_t size, atomic_kind kind, void *program_counter)
{
    unsigned thread = current_thread();
    for (const plain_read &r : last_reads)
        if (kind == COMPARES && r.address == (uintptr_t)address && r.thread == thread)
            loops_begin_at.insert(r.code);
    on_access(address, size, kind != REPLACES, true, true, program_counter);
    acquired[thread] = released = std::max(released, fenced[thread]);
}

void on_host_write(const void *address, size_t size)
{
    uintptr_t a = (uintptr_t)address;
    for (memory_type i : {DEVICE_MEMORY, VARIABLES}) {
        if (a < ranges[i].begin || a >= ranges[i].end)
            continue;
        cell written = {};
        written.write.time = HOST_TIME;
        std::fill_n(ranges[i].cells + (a - ranges[i].begin), size, written);
    }
}

/* ---- device memory: one stretch of addresses, none used twice ------------------------------- */

const size_t ADDRESSES = (size_t)1 << 40;
uintptr_t next_address;

/* A page stays free behind each allocation, so that running over its end is outside. */
size_t pages(size_t size)
{
    return (size + PAGE - 1) / PAGE * PAGE + PAGE;
}

void *allocate(size_t size)
{
    if (ranges[DEVICE_MEMORY].end - next_address < pages(size))
        return nullptr;
    void *memory = (void *)next_address;
    next_address += pages(size);
    return memory;
}

/* Whatever touches the memory from now on is outside, too. */
void release(void *address, size_t size)
{
    cell *cells = ranges[DEVICE_MEMORY].cells + ((uintptr_t)address - ranges[DEVICE_MEMORY].begin);
    madvise(cells, pages(size) * sizeof(cell), MADV_DONTNEED);
    madvise(address, pages(size), MADV_DONTNEED);
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

void shadow(memory_type i, uintptr_t begin, size_t bytes)
{
    ranges[i] = {begin, begin + bytes, (cell *)reserve(bytes * sizeof(cell))};
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
            shadow(VARIABLES, begin, part.p_memsz);
        if (part.p_type == PT_TLS)
            shadow(STATIC_SHARED, 0, part.p_memsz);
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

void on_launch_begin(const kernel_launch &)
{
    dl_iterate_phdr(find_shared, nullptr);
    launch_start = ++now;
}

unsigned on_launch_waits()
{
    launches_waiting++;
    return ++now;
}

void on_launch_waited(unsigned since)
{
    launches_waiting--;
    launch_waited_since = since;
}

const race_checker this_checker = {
    on_launch_begin, on_launch_end,   on_block,         on_barrier, on_warp_sync,     on_fence,
    on_atomic,       on_host_write,   allocate,         release,    sizeof(cell) + 2, 0,
    nullptr,         on_launch_waits, on_launch_waited,
};

struct setup {
    setup()
    {
        next_address = (uintptr_t)reserve(ADDRESSES);
        shadow(DEVICE_MEMORY, next_address, ADDRESSES);
        next_address += ROOM_BEFORE; /* an index below 0 is no pointer to the host's memory */
        shadow(DYNAMIC_SHARED, 0, OPT_IN_SHARED_BYTES);
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
} setup_and_summary LASTING;

} /* namespace */

} /* namespace cuda_cpu */

#include "tsan.h"

namespace cuda_cpu
{

extern "C" {

/* Is called by -fsanitize=alignment where an address is no multiple of what its type asks for. */
void __ubsan_handle_type_mismatch_v1(void *, void *address)
{
    access_now a = note_access(address, true, false, false, CALLER);
    if (in_kernel() && shared_with_others(a.address))
        report(a, "misaligned address");
}

/* In place of the C library's, for all that allocates: new, too. */
void *__libc_malloc(size_t size);
void __libc_free(void *address);

void *malloc(size_t size)
{
    void *memory = __libc_malloc(size);
    note_heap(memory, size);
    return memory;
}

void free(void *address)
{
    note_heap(address, 0);
    __libc_free(address);
}

void __tsan_func_exit()
{
    if (!undecided.bytes_before.empty())
        settle();
}

} /* extern "C" */

} /* namespace cuda_cpu */
