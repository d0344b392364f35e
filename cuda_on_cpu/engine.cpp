/*
 * engine.cpp - runs the blocks of a launch on the CPU.
 *
 * Blocks go to OpenMP's threads, the workers. A worker runs the threads of a block one after the
 * other, each as a call on the fiber that is current. A thread that has to wait, at a barrier or
 * for its warp, keeps that fiber, and the next thread starts on another one; so a kernel without
 * barriers is a plain loop, and one with barriers costs a switch of stacks per thread and barrier.
 */
#include "streams.h"
#include "fiber.h"
#include "places.h"
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <cxxabi.h>
#include <deque>
#include <dlfcn.h>
#include <link.h>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <omp.h>
#include <random>
#include <sstream>
#include <thread>
#include <unwind.h>
#include <vector>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

/* With the initialised ones, which lie before all shared arrays: none overruns into them. */
#define BEFORE_SHARED __attribute__((section(".tdata")))
__thread uint3 threadIdx BEFORE_SHARED, blockIdx BEFORE_SHARED;
__thread dim3 blockDim, gridDim;

namespace cuda_cpu
{

const race_checker *checker;

extern "C" const char __executable_start, _end; /* the linker's */

const uintptr_t KERNELS_HALF = ~(uintptr_t)0 << 47; /* no program's memory is there */
const unsigned LOOKS = 8;
const unsigned PATIENCE = 4; /* spin_seconds of a block whose threads still meet, or want a lock */

/* ---- options, from the environment ---------------------------------------------------------- */

enum class run_order { forward, reverse, shuffled };

struct engine_options {
    run_order order;  /* of blocks and of threads */
    uint64_t seed;    /* of a shuffled order */
    bool returned_ok; /* a thread that has returned counts as arrived at every barrier */
    size_t stack_bytes;
    double spin_seconds; /* a thread that computes this long by itself never ends */
};

double number_from_environment(const char *name, double default_value, double lowest)
{
    const char *text = getenv(name);
    if (!text)
        return default_value;
    char *end;
    double value = strtod(text, &end);
    if (end != text && !*end && value >= lowest)
        return value;
    fprintf(stderr, "CUDA on the CPU: %s=%s: a number of at least %g is wanted\n", name, text,
            lowest);
    exit(2);
}

static engine_options read_options()
{
    engine_options options = {};
    const char *order = getenv("CUDA_CPU_ORDER");
    if (order && strcmp(order, "reverse") == 0) {
        options.order = run_order::reverse;
    } else if (order && *order && strcmp(order, "forward") != 0) {
        options.order = run_order::shuffled;
        options.seed = (uint64_t)number_from_environment("CUDA_CPU_ORDER", 1, 1);
    }
    options.returned_ok = number_from_environment("CUDA_CPU_RETURNED_OK", 0, 0) != 0;
    options.spin_seconds = number_from_environment("CUDA_CPU_SPIN_SECONDS", 1, 0);
    options.stack_bytes = (size_t)(1024 * number_from_environment("CUDA_CPU_STACK_KB", 64, 16));
    return options;
}

static const engine_options options LASTING = read_options();

/* ---- one worker's engine -------------------------------------------------------------------- */

enum class waiting { not_at_all, for_block, for_warp, for_lock };

/* A thread that waits or has waited; the entry of one that has not is not touched. */
struct thread_state {
    waiting waits;
    fiber *stack;
    const char *file; /* where it waits */
    int line;
    uintptr_t call; /* of a barrier: in the program's code */
};

struct warp_state {
    unsigned arrived; /* the lanes that wait for others */
    warp_request request[warpSize];
    uint64_t answer[warpSize];
};

/* A thread's asynchronous copies, each with the number of its group. */
struct copy_queue {
    std::vector<std::pair<size_t, async_copy>> begun;
    size_t ended = 0, closed = 0; /* how many of these; groups */
};

struct engine {
    engine();
    ~engine();
    void begin(const kernel_launch &launch);
    void place_block(uint64_t position, uint64_t blocks);
    template <class List>
    void shuffle(List &threads, size_t from);
    void run_block(uint64_t position, uint64_t blocks);
    void select(unsigned thread);
    fiber *next_fiber();
    fiber *idle_fiber();
    void switch_to(fiber *to);
    void wait(waiting reason, const char *file, int line, uintptr_t call = 0);
    void release_barrier();
    void release_warp(unsigned warp, unsigned mask, const char *file, int line);
    void check_spin();
    [[noreturn]] void end_thread();
    void start_watch();
    static void run_threads();
    void check_copies();
    void check_guard() const;
    void make_shared(size_t bytes);
    void free_shared();
    const char *shared_end() const;
    bool is_past_dynamic_shared(uintptr_t address) const;

    const kernel_launch *launch = nullptr; /* the one under way */
    unsigned current = 0;                  /* the thread that runs, by its number in the block */
    fiber *running = &root;
    char *shared = nullptr; /* dynamic shared memory */

    unsigned thread_count = 0;
    unsigned started = 0;     /* threads of this block that have had a first turn */
    unsigned finished = 0;    /* and those that have returned */
    std::vector<uint3> index; /* threadIdx by thread number */
    std::vector<thread_state> threads;
    std::vector<warp_state> warps;
    std::vector<unsigned> start_order; /* empty: 0, 1, 2... */
    std::deque<unsigned> ready;        /* threads that may go on */
    std::vector<unsigned> at_barrier;
    int votes = 0, vote_result = 0;
    std::mt19937 random;
    unsigned spins = 0; /* turns since anything but waiting for locks happened */
    std::chrono::steady_clock::time_point spin_start;
    timer_t watch;
    unsigned long begun = 0, begun_seen = 0; /* blocks */
    unsigned long waits = 0, waits_seen = 0;
    unsigned looks = 0, block_looks = 0; /* without any of these; without a thread that began */

    std::vector<copy_queue> copies; /* by thread number; a queue's memory stays */
    bool has_copies = false;        /* this block */

    fiber root = {}; /* the worker's own stack */
    std::vector<fiber *> fibers, idle;
    size_t shared_bytes = 0;
    char signal_stack[64 * 1024];
};

/* The engine of the calling host thread; it goes when the thread goes. */
static __thread engine *current_engine BEFORE_SHARED;

static engine &this_engine()
{
    static thread_local engine e;
    current_engine = &e;
    return e;
}

bool in_kernel()
{
    return current_engine && current_engine->launch;
}

/* ---- what lies behind static shared memory -------------------------------------------------- */

const char GUARD_BYTE = 0x5a;
static_assert(sizeof guard_zone == 2 * PAGE, "a whole page, wherever it begins");
static const char OVERRUN[] = "access past the end of the __shared__ arrays";
[[noreturn]] static void stuck(const char *why);

bool in_shared_guard(uintptr_t address)
{
    return address - (uintptr_t)guard_zone < sizeof guard_zone ||
           (current_engine && current_engine->is_past_dynamic_shared(address));
}

static char *guard_page()
{
    return (char *)(((uintptr_t)guard_zone + PAGE - 1) / PAGE * PAGE);
}

engine::engine()
{
    /* A stack overflow cannot be reported on the stack that overflowed. */
    stack_t stack = {signal_stack, 0, sizeof signal_stack};
    if (!ADDRESS_SANITIZER)
        sigaltstack(&stack, nullptr);
    start_watch();
    if (checker || ADDRESS_SANITIZER)
        return; /* they name the line */
    memset(guard_zone, GUARD_BYTE, (size_t)(guard_page() - guard_zone));
    mprotect(guard_page(), PAGE, PROT_NONE);
}

void engine::check_guard() const
{
    size_t size = std::min((size_t)(guard_page() - guard_zone), (size_t)256);
    if (size > 0 && !checker && !ADDRESS_SANITIZER &&
        (guard_zone[0] != GUARD_BYTE || memcmp(guard_zone, guard_zone + 1, size - 1) != 0))
        stuck(OVERRUN);
    for (const char *byte = shared + shared_bytes; !checker && byte < shared_end(); byte++)
        if (*byte != GUARD_BYTE)
            stuck(OVERRUN);
}

/* ---- dynamic shared memory ------------------------------------------------------------------ */

/*
 * It begins at a multiple of SHARED_ALIGNMENT and ends, but for what that leaves over, where a page
 * begins that cannot be touched; what is left over is looked at after each block. AddressSanitizer
 * sees every byte by itself.
 */
const size_t SHARED_ALIGNMENT = 1024;

static size_t rounded_up(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

const char *engine::shared_end() const
{
    return shared + (ADDRESS_SANITIZER ? shared_bytes : rounded_up(shared_bytes, SHARED_ALIGNMENT));
}

bool engine::is_past_dynamic_shared(uintptr_t address) const
{
    return !ADDRESS_SANITIZER && shared && address - (uintptr_t)shared_end() < PAGE;
}

void engine::free_shared()
{
    size_t pages = rounded_up(shared_bytes, PAGE);
    if (ADDRESS_SANITIZER)
        free(shared);
    else if (shared)
        munmap((char *)shared_end() - pages, pages + PAGE);
    shared = nullptr;
    shared_bytes = 0;
}

void engine::make_shared(size_t bytes)
{
    void *memory = nullptr;
    size_t pages = rounded_up(bytes, PAGE), room = rounded_up(bytes, SHARED_ALIGNMENT);
    if (ADDRESS_SANITIZER && posix_memalign(&memory, SHARED_ALIGNMENT, bytes) != 0)
        memory = MAP_FAILED;
    if (!ADDRESS_SANITIZER)
        memory =
            mmap(nullptr, pages + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        die(nullptr, 0, "no memory for dynamic shared memory");
    shared = (char *)memory;
    shared_bytes = bytes;
    if (ADDRESS_SANITIZER)
        return;
    shared += pages - room;
    memset(shared + bytes, GUARD_BYTE, room - bytes);
    if (!checker) /* which names the line and goes on */
        mprotect((char *)memory + pages, PAGE, PROT_NONE);
}

engine::~engine()
{
    timer_delete(watch);
    mprotect(guard_page(), PAGE, PROT_READ | PROT_WRITE); /* for the next thread's variables */
    for (fiber *f : fibers)
        fiber_destroy(f);
    free_shared();
    current_engine = nullptr;
}

/* ---- taking turns --------------------------------------------------------------------------- */

/*
 * The processor predicts returns wrongly after a switch of stacks, so there should be as few calls
 * as possible between a kernel and the switch.
 */
#define ALWAYS_INLINE __attribute__((always_inline)) inline

ALWAYS_INLINE void engine::select(unsigned thread)
{
    current = thread;
    threadIdx = index[thread];
}

/* Whom to run next: who is ready, else a new thread, else the root, which sees that all wait. */
ALWAYS_INLINE fiber *engine::next_fiber()
{
    if (!ready.empty()) {
        unsigned thread = ready.front();
        ready.pop_front();
        select(thread);
        threads[thread].waits = waiting::not_at_all;
        return threads[thread].stack;
    }
    return started < thread_count ? idle_fiber() : &root;
}

fiber *engine::idle_fiber()
{
    if (idle.empty()) {
        /* Red zones lie around local arrays, and a race is reported on its thread's stack. */
        size_t factor = ADDRESS_SANITIZER || checker ? 4 : 1;
        fibers.push_back(fiber_create(factor * options.stack_bytes, fibers.size(), run_threads));
        return fibers.back();
    }
    fiber *f = idle.back();
    idle.pop_back();
    return f;
}

ALWAYS_INLINE void engine::switch_to(fiber *to)
{
    fiber *from = running;
    if (to == from)
        return;
    running = to;
    fiber_switch(from, to);
}

ALWAYS_INLINE void engine::wait(waiting reason, const char *file, int line, uintptr_t call)
{
    threads[current] = {reason, running, file, line, call};
    waits++;
    switch_to(next_fiber());
}

/* What a fiber does: it starts threads as long as there are new ones, then lies idle. */
void engine::run_threads()
{
    engine &e = *current_engine;
    for (;;) {
        while (e.started < e.thread_count) {
            unsigned place = e.started++;
            e.select(e.start_order.empty() ? place : e.start_order[place]);
            e.launch->run_thread(e.launch->arguments);
            e.finished++;
            e.spins = 0;
        }
        e.idle.push_back(e.running);
        e.switch_to(e.next_fiber());
    }
}

/* ---- setting up a launch and a block -------------------------------------------------------- */

void engine::begin(const kernel_launch &new_launch)
{
    launch = &new_launch;
    blockDim = new_launch.block;
    gridDim = new_launch.grid;
    thread_count = blockDim.x * blockDim.y * blockDim.z;
    threads.resize(thread_count);
    warps.resize((thread_count + warpSize - 1) / warpSize);
    index.clear();
    for (unsigned z = 0; z < blockDim.z; z++)
        for (unsigned y = 0; y < blockDim.y; y++)
            for (unsigned x = 0; x < blockDim.x; x++)
                index.push_back({x, y, z});
    if (new_launch.shared_bytes == shared_bytes)
        return;
    free_shared();
    if (new_launch.shared_bytes > 0)
        make_shared(new_launch.shared_bytes);
}

/* Sets the block that runs in this place of the order: the same grid and seed, the same block. */
void engine::place_block(uint64_t position, uint64_t blocks)
{
    const dim3 &grid = launch->grid;
    uint64_t number = position;
    if (options.order == run_order::reverse) {
        number = blocks - 1 - position;
    } else if (options.order == run_order::shuffled) {
        uint64_t step = options.seed * 2654435761u % blocks;
        while (std::gcd(step, blocks) != 1)
            step++; /* then position -> position * step visits each block once */
        number = (uint64_t)((unsigned __int128)position * step % blocks);
        random.seed((unsigned)(options.seed + number));
    }
    if (grid.y == 1 && grid.z == 1) /* no division, for grids of many tiny blocks */
        blockIdx = {(unsigned)number, 0, 0};
    else
        blockIdx = {(unsigned)(number % grid.x), (unsigned)(number / grid.x % grid.y),
                    (unsigned)(number / grid.x / grid.y)};
}

template <class List>
void engine::shuffle(List &list, size_t from)
{
    if (options.order == run_order::reverse)
        std::reverse(list.begin() + (long)from, list.end());
    else if (options.order == run_order::shuffled)
        std::shuffle(list.begin() + (long)from, list.end(), random);
}

ALWAYS_INLINE void engine::run_block(uint64_t position, uint64_t blocks)
{
    place_block(position, blocks);
    begun++;
    started = finished = 0;
    if (options.order != run_order::forward) {
        start_order.resize(thread_count);
        std::iota(start_order.begin(), start_order.end(), 0u);
        shuffle(start_order, 0);
    }
    if (shared_bytes > 0)
        memset(shared, 0xff, shared_bytes); /* NaN, -1: nobody may rely on zeros */
    if (checker && !checker->block_begins(shared, shared_bytes))
        return;
    for (;;) {
        switch_to(next_fiber());
        if (is_device_lost())
            return; /* with those that wait for the thread whose assertion failed */
        if (finished == thread_count) {
            if (has_copies)
                check_copies();
            return check_guard();
        }
        release_barrier(); /* the root runs only when every thread waits or has returned */
    }
}

/* The lines of a call in the program's code and of the inlined calls around it. */
static const std::string &calls_around(uintptr_t call)
{
    static std::mutex mutex;
    static std::map<uintptr_t, std::string> known;
    std::lock_guard<std::mutex> lock(mutex);
    if (!known.count(call))
        known[call] = source_lines({call});
    return known[call];
}

/* ---- diagnosis ------------------------------------------------------------------------------ */

std::string triple(uint3 v)
{
    std::string text = "("; /* built by parts: gcc 12 warns of a sum that begins with a literal */
    text += std::to_string(v.x) + "," + std::to_string(v.y) + "," + std::to_string(v.z) + ")";
    return text;
}

std::string kernel_name(const kernel_launch &launch)
{
    Dl_info symbol;
    if (!dladdr(launch.kernel, &symbol) || symbol.dli_saddr != launch.kernel)
        return launch.name;
    char *const demangled = abi::__cxa_demangle(symbol.dli_sname, nullptr, nullptr, nullptr);
    std::string name = demangled ? demangled : symbol.dli_sname;
    free(demangled);
    if (name.starts_with("void ")) /* a template's */
        name.erase(0, strlen("void "));
    return name.substr(0, name.rfind('('));
}

static std::string block_name()
{
    const kernel_launch &launch = *current_engine->launch;
    return "kernel " + kernel_name(launch) + " (launched at " + launch.file + ":" +
           std::to_string(launch.line) + "), block " + triple(blockIdx);
}

std::string where()
{
    return in_kernel() ? block_name() + ", thread " + triple(threadIdx) : "host code";
}

static volatile sig_atomic_t crash = SIGABRT;

/* The place cannot be told: what tells it waits for a lock that nobody will open any more. */
static void end_at_once(int)
{
    static const char text[] = "CUDA on the CPU: a kernel has broken the program's memory\n";
    signal(crash, SIG_DFL);
    if (write(STDERR_FILENO, text, sizeof text - 1) >= 0)
        raise(crash);
    _exit(128 + crash);
}

/* Several workers may find something at a time: the first one tells, the others wait for the end.
 */
static void be_the_one_that_tells()
{
    const unsigned telling_seconds = 10;
    static std::atomic<pid_t> teller;
    pid_t none = 0;
    if (!teller.compare_exchange_strong(none, gettid()) && none != gettid())
        for (;;)
            pause();
    signal(SIGALRM, end_at_once);
    alarm(telling_seconds);
}

[[noreturn]] static void give_up()
{
    fflush(stdout);
    signal(SIGABRT, SIG_DFL); /* all has been said */
    abort();
}

void die(const char *file, int line, const char *what)
{
    std::string place = file ? std::string(file) + ":" + std::to_string(line) + ": " : "";
    be_the_one_that_tells();
    fprintf(stderr, "CUDA on the CPU: %s%s (%s)\n", place.c_str(), what, where().c_str());
    give_up();
}

/* Ends the program with a table of where the block's threads are. */
[[noreturn]] static void stuck(const char *why)
{
    const engine &e = *current_engine;
    static const char *const reasons[] = {nullptr, "wait in __syncthreads()", "wait for their warp",
                                          "wait for a lock"};
    std::map<std::string, std::vector<unsigned>> groups;
    for (unsigned t = 0; t < e.thread_count; t++) {
        const thread_state &state = e.threads[t];
        std::string text =
            e.started < e.thread_count ? "have returned or not begun" : "have returned";
        if (state.waits != waiting::not_at_all)
            text = std::string(reasons[(int)state.waits]) + " at " + state.file + ":" +
                   std::to_string(state.line);
        const std::string calls = state.waits == waiting::for_block ? calls_around(state.call) : "";
        text += calls.substr(std::min(calls.find(','), calls.size()));
        groups[text].push_back(t);
    }
    be_the_one_that_tells();
    fprintf(stderr, "CUDA on the CPU: %s: %s\n", block_name().c_str(), why);
    for (const auto &[text, members] : groups)
        fprintf(stderr, "  %zu of %u threads %s (the first: thread %s)\n", members.size(),
                e.thread_count, text.c_str(), triple(e.index[members[0]]).c_str());
    give_up();
}

/* ---- barriers ------------------------------------------------------------------------------- */

static engine &kernel_engine(const char *file, int line, const char *what)
{
    if (!in_kernel())
        die(file, line, what);
    return *current_engine;
}

/* A helper's barrier is two where it is called from two places and inlined, as a whole or here. */
static bool same_barrier(const thread_state &a, const thread_state &b)
{
    return a.line == b.line && (a.file == b.file || strcmp(a.file, b.file) == 0) &&
           (a.call == b.call || calls_around(a.call).starts_with(calls_around(b.call)) ||
            calls_around(b.call).starts_with(calls_around(a.call)));
}

int barrier(bool predicate, const char *file, int line)
{
    engine &e = kernel_engine(file, line, "__syncthreads() in host code");
    e.at_barrier.push_back(e.current);
    e.votes += predicate;
    e.wait(waiting::for_block, file, line, (uintptr_t)__builtin_return_address(0) - 1);
    return e.vote_result; /* still this barrier's: nobody passes the next before all are here */
}

void engine::release_barrier()
{
    if (at_barrier.size() + finished < thread_count)
        stuck("deadlock: threads wait for others that never come");
    if (finished > 0 && !options.returned_ok)
        stuck("__syncthreads() is not reached by all threads of the block");
    const thread_state &first = threads[at_barrier[0]];
    for (unsigned thread : at_barrier)
        if (!same_barrier(threads[thread], first))
            stuck("divergent __syncthreads(): threads wait at different barriers");
    ready.assign(at_barrier.begin(), at_barrier.end()); /* nobody was, or the root would not run */
    at_barrier.clear();
    if (options.order != run_order::forward) {
        std::sort(ready.begin(), ready.end());
        shuffle(ready, 0);
    }
    vote_result = votes;
    votes = 0;
    spins = 0;
    if (checker)
        checker->barrier_passed(first.file, first.line);
}

/* ---- warps ---------------------------------------------------------------------------------- */

uint64_t warp_exchange(const warp_request &request, const char *file, int line)
{
    engine &e = kernel_engine(file, line, "a warp function in host code");
    unsigned warp = e.current / warpSize, lane = e.current % warpSize;
    unsigned lanes = std::min((unsigned)warpSize, e.thread_count - warp * warpSize);
    unsigned mask = request.mask & (unsigned)((1ull << lanes) - 1);
    if (!(mask >> lane & 1))
        die(file, line, "the mask of a warp function lacks the lane that calls it");
    warp_state &state = e.warps[warp];
    state.request[lane] = request;
    state.arrived |= 1u << lane;
    if ((state.arrived & mask) != mask)
        e.wait(waiting::for_warp, file, line);
    else
        e.release_warp(warp, mask, file, line); /* the last to come works it out for all */
    return state.answer[lane];
}

void engine::release_warp(unsigned warp, unsigned mask, const char *file, int line)
{
    warp_state &state = warps[warp];
    const warp_request &mine = state.request[current % warpSize];
    uint64_t ballot = 0;
    for (unsigned lane = 0; lane < warpSize; lane++) {
        if (!(mask >> lane & 1))
            continue;
        const warp_request &other = state.request[lane];
        if (other.operation != mine.operation)
            die(file, line, "lanes of a warp meet in different warp functions");
        if (other.mask != mine.mask)
            die(file, line, "lanes of a warp meet with different masks");
        ballot |= (other.value & 1) << lane;
    }
    size_t first_ready = ready.size();
    for (unsigned lane = 0; lane < warpSize; lane++) {
        if (!(mask >> lane & 1))
            continue;
        unsigned source = state.request[lane].source_lane;
        if (mine.operation == warp_operation::vote)
            state.answer[lane] = ballot;
        else
            state.answer[lane] = mask >> source & 1 ? state.request[source].value : ~(uint64_t)0;
        if (lane != current % warpSize)
            ready.push_back(warp * warpSize + lane);
    }
    shuffle(ready, first_ready);
    state.arrived &= ~mask;
    spins = 0;
    if (checker && mine.operation == warp_operation::sync)
        checker->warp_synced(warp);
}

/* ---- waiting for a lock --------------------------------------------------------------------- */

void spin_wait(const char *file, int line)
{
    if (!in_kernel())
        return;
    engine &e = *current_engine;
    if (is_device_lost())
        e.end_thread();
    e.ready.push_back(e.current);
    e.threads[e.current] = {waiting::for_lock, e.running, file, line, 0};
    e.waits++;
    e.check_spin();
    /* New threads first: one of them may be the one to wait for. */
    e.switch_to(e.started < e.thread_count ? e.idle_fiber() : e.next_fiber());
}

/* The holder may be in a block of another worker, so only much time without progress tells. */
void engine::check_spin()
{
    const unsigned turns_between_looks = 4096;
    if (spins++ % turns_between_looks != 0)
        return;
    auto now = std::chrono::steady_clock::now();
    if (spins == 1)
        spin_start = now;
    if (std::chrono::duration<double>(now - spin_start).count() > PATIENCE * options.spin_seconds)
        stuck("a lock is never released: threads only wait for it");
    std::this_thread::yield();
}

/* ---- lines of the source -------------------------------------------------------------------- */

std::string source_lines(const std::vector<uintptr_t> &addresses)
{
    std::ostringstream command;
    command << "addr2line -i -e /proc/" << getpid() << "/exe" << std::hex;
    for (uintptr_t address : addresses)
        if (address >= (uintptr_t)&__executable_start && address < (uintptr_t)&_end)
            command << " 0x" << address - _r_debug.r_map->l_addr;
    command << " 2>/dev/null </dev/null | sed -e 's/ (discriminator .*//' -e \"s|^$PWD/||\" -e "
               "'/?/d' -e '/^.usr/d'"
               " -e '/cuda_on_cpu.[a-z_]*[.][ch][p:]/d' | uniq | head -n 3";
    std::string lines;
    FILE *pipe = popen(command.str().c_str(), "r");
    for (char line[1024]; pipe && fgets(line, sizeof line, pipe);)
        lines += (lines.empty() ? "" : ", called at ") + std::string(line, strcspn(line, "\n"));
    if (pipe)
        pclose(pipe);
    return lines;
}

static _Unwind_Reason_Code note_frame(_Unwind_Context *frame, void *list)
{
    auto &addresses = *(std::vector<uintptr_t> *)list;
    int interrupted; /* else the frame's address is behind a call */
    uintptr_t address = _Unwind_GetIPInfo(frame, &interrupted);
    addresses.push_back(address - !interrupted);
    return addresses.size() < 32 ? _URC_NO_REASON : _URC_END_OF_STACK;
}

/* What failed last, and from where it was called; all of it is there at the program's end, too. A
 * thread's own would come between the shared arrays and guard_zone. */
static std::mutex failure_mutex;
static const char *failed;

static std::vector<uintptr_t> &failed_at()
{
    static auto &addresses = *new std::vector<uintptr_t>;
    return addresses;
}

void note_failure(const char *what)
{
    std::lock_guard<std::mutex> lock(failure_mutex);
    failed = what;
    failed_at().clear();
    _Unwind_Backtrace(note_frame, &failed_at());
}

/* try_end.cpp asks. */
extern "C" const char *cuda_cpu_failure()
{
    static std::string told;
    return (told = std::string(failed) + " failed at " + source_lines(failed_at())).c_str();
}

/* ---- crashes -------------------------------------------------------------------------------- */

/* Says where a kernel (or the host) was when something ended it, and lets out what it printed. */
static void tell_place(const char *what)
{
    be_the_one_that_tells();
    fflush(stdout);
    fprintf(stderr, "CUDA on the CPU: %s in %s\n", what, where().c_str());
    std::vector<uintptr_t> addresses;
    _Unwind_Backtrace(note_frame, &addresses);
    const std::string lines = source_lines(addresses);
    if (!lines.empty())
        fprintf(stderr, "  at %s\n", lines.c_str());
}

/* A thread that runs too long is seen at several looks, each after so much processor time. */
static void look(int)
{
    engine *e = current_engine;
    if (!e)
        return;
    const unsigned long begun = e->begun * MAX_THREADS + e->started;
    e->block_looks = e->launch && begun == e->begun_seen ? e->block_looks + 1 : 0;
    e->looks = e->block_looks && e->waits == e->waits_seen ? e->looks + 1 : 0;
    e->begun_seen = begun;
    e->waits_seen = e->waits;
    const unsigned most = LOOKS * (ADDRESS_SANITIZER || checker ? 4 : 1); /* which take longer */
    if ((e->looks < most && e->block_looks < PATIENCE * most) || e->running == &e->root)
        return;
    tell_place("an endless loop (or CUDA_CPU_SPIN_SECONDS is too short)");
    give_up();
}

void engine::start_watch()
{
    struct sigevent event = {};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = SIGVTALRM;
    event._sigev_un._tid = gettid();
    const double period = std::max(options.spin_seconds, 0.1) / LOOKS;
    const timespec time = {(time_t)period, (long)(1e9 * (period - (double)(time_t)period))};
    const itimerspec often = {time, time};
    if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &watch) == 0)
        timer_settime(watch, 0, &often, nullptr);
}

#ifdef __SANITIZE_ADDRESS__
static void on_sanitizer_death()
{
    if (!__asan_report_present())
        return; /* of leaks at the program's end, where little is left to ask */
    const void *address = __asan_get_report_address();
    if (!in_kernel() && in_device_memory(address, false))
        tell_place("device memory is touched");
    else if (in_kernel() && current_engine->launch->host_pointer)
        tell_place("this happened, perhaps through a pointer to the host's memory,");
    else if (in_kernel())
        tell_place("this happened");
}

/* Before a report of undefined behaviour, whose run-time does not know the death callback. */
extern "C" void __ubsan_on_report()
{
    if (in_kernel())
        tell_place("undefined behaviour");
}

/* A failed assertion or a trap in a kernel gets a report, too. */
extern "C" const char *__asan_default_options()
{
    return "handle_abort=1:handle_sigill=1";
}
#else
static const char *overrun_at(uintptr_t address)
{
    const bool none = in_kernel() && current_engine->launch->shared_bytes == 0;
    return none && current_engine->is_past_dynamic_shared(address)
               ? "dynamic shared memory, of which the launch gives none, is used"
               : OVERRUN;
}

/* Says where, then lets the crash be what it is. */
static void on_crash(int number, siginfo_t *info, void *)
{
    const fiber *f = current_engine ? current_engine->running : nullptr;
    be_the_one_that_tells();
    crash = number;
    bool overflow =
        f && number == SIGSEGV && info->si_addr >= f->memory && info->si_addr < f->bottom;
    bool overrun = number == SIGSEGV && in_shared_guard((uintptr_t)info->si_addr);
    bool closed = number == SIGSEGV && info->si_code == SEGV_PKUERR;
    const uintptr_t address = (uintptr_t)info->si_addr;
    bool host =
        number == SIGSEGV && address > KERNELS_HALF && is_host_memory(address & ~KERNELS_HALF);
    tell_place(overflow      ? "stack overflow (CUDA_CPU_STACK_KB raises the limit)"
               : overrun     ? overrun_at(address)
               : !closed     ? host ? "a kernel touches the host's memory" : strsignal(number)
                   : in_kernel() ? "a kernel writes __constant__ memory"
                             : "device memory, or a variable of the device, is touched");
    signal(number, SIG_DFL);
    raise(number);
}
#endif

static const bool installed = [] {
    struct sigaction action = {};
    action.sa_flags = SA_RESTART | SA_ONSTACK;
    action.sa_handler = look;
    sigaction(SIGVTALRM, &action, nullptr);
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_set_death_callback(on_sanitizer_death);
#else
    action.sa_sigaction = on_crash;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    for (int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
        sigaction(number, &action, nullptr);
#endif
    return true;
}();

/* ---- failed assertions ---------------------------------------------------------------------- */

/*
 * As on a GPU the thread ends, the others of its block go on as far as they can, no block begins
 * any more, and cudaErrorAssert is all that the runtime says from then on. A forked process is one
 * that a lab gives its kernels, which they may end: the next ones have another.
 */
static std::atomic<bool> device_lost;
static bool is_forked;
[[maybe_unused]] static const int at_fork =
    pthread_atfork(nullptr, nullptr, [] { is_forked = true; });

bool is_device_lost()
{
    return device_lost.load(std::memory_order_relaxed);
}

/* Its stack stays as it is: no kernel wants it any more. */
void engine::end_thread()
{
    finished++;
    spins = 0;
    switch_to(next_fiber());
    abort(); /* nobody comes back */
}

/* What assert() calls, in the place of the C library's, with CUDA's words. */
extern "C" void __assert_fail(const char *assertion, const char *file, unsigned int line,
                              const char *function) noexcept
{
    typedef void failing(const char *, const char *, unsigned int, const char *);
    if (!in_kernel()) {
        ((failing *)dlsym(RTLD_NEXT, "__assert_fail"))(assertion, file, line, function);
        abort();
    }
    fprintf(stderr, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n",
            file, line, function, blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y,
            threadIdx.z, assertion);
    if (is_forked) {
        tell_place("an assertion fails");
        give_up();
    }
    if (!device_lost.exchange(true))
        fprintf(stderr, "CUDA on the CPU: an assertion fails in %s; at %s:%u\n", where().c_str(),
                file, line);
    current_engine->end_thread();
}

/* ---- what the headers and the race checker call --------------------------------------------- */

/* Returns an array without elements where the launch gives none: who touches it is past its end. */
void *dynamic_shared()
{
    engine &e = kernel_engine(nullptr, 0, "extern __shared__ belongs inside a kernel");
    if (!e.shared)
        e.make_shared(0);
    return e.shared;
}

static copy_queue &current_copies()
{
    engine &e = kernel_engine(nullptr, 0, "an asynchronous copy in host code");
    e.has_copies = true;
    if (e.copies.size() < e.thread_count)
        e.copies.resize(e.thread_count);
    return e.copies[e.current];
}

void start_copy(const async_copy &copy)
{
    copy_queue &copies = current_copies();
    if (2 * copies.ended > copies.begun.size()) { /* those that go on for ever need little memory */
        copies.begun.erase(copies.begun.begin(), copies.begun.begin() + (long)copies.ended);
        copies.ended = 0;
    }
    copies.begun.push_back({copies.closed, copy});
}

void close_copies()
{
    current_copies().closed++;
}

bool next_copy(size_t groups, async_copy *copy)
{
    copy_queue &copies = current_copies();
    if (copies.ended == copies.begun.size() ||
        copies.begun[copies.ended].first + groups >= copies.closed)
        return false;
    *copy = copies.begun[copies.ended++].second;
    return true;
}

/* Behind a block: what was not waited for would be written to memory that others may have by now.
 */
void engine::check_copies()
{
    for (copy_queue &queue : copies) {
        if (queue.ended < queue.begun.size())
            die(queue.begun[queue.ended].second.file, queue.begun[queue.ended].second.line,
                "a thread has returned without waiting for this asynchronous copy");
        queue.begun.clear();
        queue.ended = queue.closed = 0;
    }
    has_copies = false;
}

unsigned current_thread()
{
    return current_engine ? current_engine->current : 0;
}

bool shared_with_others(uintptr_t address)
{
    if (!in_kernel())
        return false;
    const fiber *f = current_engine->running;
    return address < (uintptr_t)f->bottom || address >= (uintptr_t)f->memory + f->memory_bytes;
}

bool close_host_pointers(void *argument, size_t size)
{
    bool any = false;
    uintptr_t *words = (uintptr_t *)argument;
    for (size_t i = 0; !checker && i < size / sizeof *words; i++)
        if (is_host_memory(words[i])) {
            words[i] |= KERNELS_HALF;
            any = true;
        }
    return any;
}

/* ---- launches ------------------------------------------------------------------------------- */

static cudaError_t check_launch(const kernel_launch &launch)
{
    if (is_device_lost())
        return cudaErrorAssert;
    const dim3 &grid = launch.grid, &block = launch.block;
    uint64_t blocks = (uint64_t)grid.x * grid.y * grid.z;
    uint64_t threads = (uint64_t)block.x * block.y * block.z;
    if (blocks == 0 || grid.x > MAX_GRID_X || grid.y > MAX_GRID_YZ || grid.z > MAX_GRID_YZ ||
        threads == 0 || threads > MAX_THREADS || block.x > MAX_THREADS || block.y > MAX_THREADS ||
        block.z > MAX_BLOCK_Z)
        return cudaErrorInvalidConfiguration;
    if (launch.shared_bytes > dynamic_shared_limit(launch.kernel))
        return cudaErrorInvalidValue;
    if (!is_stream(launch.stream))
        return cudaErrorInvalidResourceHandle;
    if (launch.cooperative && blocks > (uint64_t)workers())
        return cudaErrorCooperativeLaunchTooLarge;
    return cudaSuccess;
}

/* ---- the grid's barrier ---------------------------------------------------------------------- */

static std::mutex grid_mutex;
static std::condition_variable grid_passed;
static uint64_t grid_waiting, grid_finished, grid_times; /* blocks, blocks, barriers passed */

bool is_cooperative()
{
    return in_kernel() && current_engine->launch->cooperative;
}

/* Thread 0 waits for the other blocks while its block's threads wait for it. */
void grid_barrier(const char *file, int line)
{
    if (!is_cooperative())
        die(file, line,
            "grid.sync() in a kernel that cudaLaunchCooperativeKernel() did not launch");
    const dim3 &grid = current_engine->launch->grid;
    barrier(false, file, line);
    if (current_engine->current == 0) {
        std::unique_lock<std::mutex> lock(grid_mutex);
        const uint64_t time = grid_times;
        if (++grid_waiting == (uint64_t)grid.x * grid.y * grid.z) {
            grid_waiting = 0;
            grid_times++;
            grid_passed.notify_all();
        }
        while (grid_times == time && grid_finished == 0)
            grid_passed.wait(lock);
        if (is_device_lost()) {
            lock.unlock();
            current_engine->end_thread();
        }
        if (grid_times == time)
            die(file, line, "grid.sync() is not reached by all blocks of the grid");
    }
    barrier(false, file, line);
}

static void run_resident_block(engine &e, uint64_t position, uint64_t blocks)
{
    e.run_block(position, blocks);
    std::lock_guard<std::mutex> lock(grid_mutex);
    grid_finished = (grid_finished + 1) % blocks; /* the last one leaves all as it was */
    grid_passed.notify_all();
}

static void run_blocks(const kernel_launch &launch)
{
    const uint64_t blocks = (uint64_t)launch.grid.x * launch.grid.y * launch.grid.z;
    const uint64_t portion = blocks / 1024 + 1; /* enough portions for balance, few to hand out */
    const uint64_t portions = (blocks + portion - 1) / portion;
    const int most =
        launch.cooperative ? (int)blocks : workers(); /* a block each, at the same time */
#pragma omp parallel if (blocks > 1) num_threads(most)
    {
        if (launch.cooperative && omp_get_num_threads() < most)
            die(launch.file, launch.line, "too few threads for the blocks of a cooperative launch");
        engine &e = this_engine();
        device_access access(true);
        e.begin(launch);
        if (launch.cooperative)
            run_resident_block(e, (uint64_t)omp_get_thread_num(), blocks);
#pragma omp for schedule(dynamic)
        for (uint64_t p = launch.cooperative ? portions : 0; p < portions; p++)
            for (uint64_t b = p * portion;
                 b < std::min(blocks, (p + 1) * portion) && !is_device_lost(); b++)
                e.run_block(b, blocks);
        e.launch = nullptr;
    }
}

static void run_grid(const kernel_launch &launch)
{
    if (!checker && !ADDRESS_SANITIZER)
        return run_blocks(launch);
    static std::mutex one_launch; /* whose state a checker keeps, asan's build its shared arrays */
    std::lock_guard<std::mutex> lock(one_launch);
    if (!checker)
        return run_blocks(launch);
    checker->launch_begins(launch);
    run_blocks(launch);
    checker->launch_ends();
}

void run(const kernel_launch &launch)
{
    if (in_kernel())
        die(nullptr, 0, "a kernel launches a kernel, which is not supported");
    note_launch(launch.file, launch.line);
    cudaError_t error = check_launch(launch);
    if (succeed_if(error == cudaSuccess, error) != cudaSuccess) {
        spoil_capture(launch.stream);
        return note_failure("a launch");
    }
    if (run_elsewhere(launch))
        return;
    std::shared_ptr<void> arguments(launch.copy(launch.arguments), launch.discard);
    kernel_launch later = launch;
    later.arguments = arguments.get();
    later.list = nullptr; /* of the call's own */
    enqueue(
        launch.stream, [later, arguments] { run_grid(later); }, launch.file, launch.line);
}

} /* namespace cuda_cpu */
