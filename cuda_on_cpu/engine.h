/*
 * engine.h - what the parts of 'CUDA on the CPU' say to each other.
 *
 * The headers that kernels see (cuda_runtime.h and its parts) call the engine: run() for a launch,
 * barrier() and warp_exchange() where threads meet. The engine and the memory functions call the
 * race checker or the lens, where one is linked.
 */
#ifndef CUDA_CPU_ENGINE_H
#define CUDA_CPU_ENGINE_H

#include "cuda_runtime_api.h"
#include <cstdint> /* as little as can be: every kernel's file reads this */

extern __thread uint3 threadIdx, blockIdx;
extern __thread dim3 blockDim, gridDim;
constexpr int warpSize = 32;

/* Added to a function's parameters: the place of the call, for diagnoses. */
#define CUDA_CPU_CALLER const char *file = __builtin_FILE(), int line = __builtin_LINE()

/* Makes an object before the program's own ones, whose constructors may call CUDA, and ends it
 * last. */
#define LASTING __attribute__((init_priority(101)))

namespace cuda_cpu
{

#ifdef __SANITIZE_ADDRESS__
constexpr bool ADDRESS_SANITIZER = true;
#else
constexpr bool ADDRESS_SANITIZER = false;
#endif

enum {
    MAX_THREADS = 1024, /* in a block */
    MAX_BLOCK_Z = 64,
    MAX_GRID_X = 2147483647,
    MAX_GRID_YZ = 65535,
    DEFAULT_SHARED_BYTES = 48 * 1024, /* dynamic shared memory of a kernel that did not opt in */
    OPT_IN_SHARED_BYTES = 227 * 1024, /* and of one that did */
    MULTIPROCESSOR_SHARED_BYTES = 228 * 1024,
    REGISTERS = 65536
};

/* An argument of a launch, as it is passed. */
struct launch_argument {
    const void *address;
    size_t bytes;
};

/* One <<<>>>: run_thread(arguments) runs the kernel's body for the thread that threadIdx names. */
struct kernel_launch {
    const char *name; /* as the launch spells it */
    const char *file; /* where the launch is */
    int line;
    const void *kernel;
    dim3 grid, block;
    size_t shared_bytes;
    cudaStream_t stream;
    void (*run_thread)(void *arguments);
    void *arguments;             /* they live as long as the call */
    bool host_pointer;           /* among the arguments */
    bool cooperative;            /* all blocks run at a time, and may meet */
    const launch_argument *list; /* its end has no address; NULL: called by its name */
    void *(*copy)(const void *arguments);
    void (*discard)(void *copy);
};

/*
 * Pointers to the host's memory in an argument become ones that crash where they are used; returns
 * whether there are any.
 */
bool close_host_pointers(void *argument, size_t size);

/* Puts it into its stream; a launch that a GPU would refuse only sets the last error. */
void run(const kernel_launch &launch);

/* The threads' meeting points, called by a kernel's threads. */
enum class warp_operation { sync, shuffle, vote };

struct warp_request {
    warp_operation operation;
    unsigned mask;        /* the lanes that take part */
    uint64_t value;       /* what this lane offers, or its vote: 0 or 1 */
    unsigned source_lane; /* whose value it wants */
};

/* Waits for the whole block; returns the number of its threads whose predicate was true. */
int barrier(bool predicate, const char *file, int line);
/*
 * Waits for the lanes of the mask. A shuffle gets the source lane's value, all bits set if that
 * lane takes no part; a vote the votes of the lanes that take part.
 */
uint64_t warp_exchange(const warp_request &request, const char *file, int line);
void *dynamic_shared();
/* Waits for all blocks of a cooperative launch. */
void grid_barrier(const char *file, int line);
bool is_cooperative(); /* the launch under way */

/* A copy to shared memory that has been started and not waited for; cuda_pipeline.h carries it out.
 */
struct async_copy {
    void *shared;
    const void *global;
    size_t bytes, zeros; /* zeros behind what is copied */
    const char *file;    /* where it was started */
    int line;
};

/* Put a copy into the calling thread's open group; close that group. */
void start_copy(const async_copy &copy);
void close_copies();
/* Takes out its next copy, if that is of none of the last `groups` closed groups or the open one.
 */
bool next_copy(size_t groups, async_copy *copy);
/* Lets the other threads of the block go on; for loops that wait for one of them. */
void spin_wait(const char *file, int line);
/* Says what is wrong and in which thread of which kernel, and aborts. */
[[noreturn]] void die(const char *file, int line, const char *what);

/* What the variable says; ends the program where that is no number, or is below the lowest. */
double number_from_environment(const char *name, double default_value, double lowest);

unsigned current_thread(); /* its number in the block */
/* Right behind the calling worker's static shared arrays (behind_shared.cpp). Its beginning is
 * looked at after each block, its whole page cannot be touched. */
extern __thread char guard_zone[2 * 4096];
/* Is it there? */
bool in_shared_guard(uintptr_t address);
bool in_kernel(); /* does a kernel's thread run? */
/* And is the address not on its stack? */
bool shared_with_others(uintptr_t address);

/* Has an assertion failed in a kernel? Then the device does nothing more. */
bool is_device_lost();

/* runtime.cpp: returns its argument, having made it the host thread's last error. */
cudaError_t set_error(cudaError_t error);
/* engine.cpp: keeps what has failed and from where it was called, for who asks at the end. */
void note_failure(const char *what);
/* Success, while the device is not lost: what a call that has done its work returns. */
cudaError_t device_error();
/* Success, or else the error, which set_error() then keeps. */
cudaError_t succeed_if(bool right, cudaError_t error);
size_t dynamic_shared_limit(const void *kernel);
bool is_stream(cudaStream_t stream);
size_t physical_memory();
int workers();
bool is_strict(); /* CUDA_CPU_STRICT=1 */
/* Then a program that ends well, and has not released all, fails. */
void watch_leaks();
/* And a launch whose error nobody has asked for when the host next waits ends the
 * program.
 */
void note_launch(const char *file, int line);
void want_asked();

/* library.cpp: does a kernel of another program stand in for it? Then that has run. */
bool run_elsewhere(const kernel_launch &launch);

/* memory.cpp */
/* The allocation that an address is in, or right behind; none has no start. */
struct memory_range {
    char *start;
    size_t bytes;
};
memory_range memory_around(const void *address);
size_t live_allocations();
/* From now on calls take the variable for the device's, or for managed memory. */
bool note_variable(const void *variable, size_t size, bool is_managed);
/* A copy to or from a symbol, if it fits: the direction is `way`, or leaves out the host. */
cudaError_t copy_symbol(void *target, const void *source, size_t count, bool fits,
                        cudaMemcpyKind kind, cudaMemcpyKind way, cudaStream_t stream);
/* Memory that is mapped, but no part of the program, and no allocation or right beside one. */
bool is_host_memory(uintptr_t address);

/* Is there a note of g++'s, whether a __shared__ variable of a class is initialised, in a thread's
 * variables? */
bool is_initialisation_guard(uintptr_t offset);
/* May be managed or pinned, or only what the host may not touch. */
bool in_device_memory(const void *address, bool host_may);
bool in_managed_memory(const void *address);
/* While one lives, its thread may touch the device's memory; a kernel's no constants. */
struct device_access {
    explicit device_access(bool by_kernel);
    ~device_access();
};

/*
 * What a race checker, or the lens, wants to be told. With one linked in, blocks run one after the
 * other in the host thread that launched them, so these calls need no locks.
 */
enum atomic_kind { REPLACES, CHANGES, COMPARES }; /* without reading; by what it reads; if equal */

struct race_checker {
    void (*launch_begins)(const kernel_launch &launch);
    void (*launch_ends)();
    bool (*block_begins)(const void *dynamic_shared, size_t bytes); /* false: it is left out */
    void (*barrier_passed)(const char *file, int line);
    void (*warp_synced)(unsigned warp);
    void (*fence)();
    void (*atomic)(void *address, size_t size, atomic_kind kind, void *program_counter);
    void (*host_wrote)(const void *address, size_t size);
    void *(*allocate)(size_t size);
    void (*release)(void *address, size_t size);
    size_t cost; /* bytes that it takes for each byte of device memory, that byte included */
    unsigned multiprocessors; /* of the card that the lens counts for; 0: none in particular */
    unsigned (*resident)(unsigned threads, size_t shared_bytes); /* blocks of one; NULL likewise */
    /* NULL: not wanted. A launch waits in its stream from now on, which is a moment; it no longer
     * does, and begins unless the device is lost. */
    unsigned (*launch_waits)();
    void (*launch_waited)(unsigned since);
};
extern const race_checker *checker; /* NULL unless racecheck.cpp or lens.cpp is linked */
void pass_l1(bool now);             /* lens.cpp's: loads from now on do, as copies of 16 bytes */

} /* namespace cuda_cpu */

#endif
