/*
 * memory.cpp - the device's memory: ordinary memory, remembered, so that the calls can refuse what
 * a device would refuse. Fresh memory is filled with 0xff (NaN, -1), since on a GPU it holds
 * nothing to rely on either.
 */
#include "streams.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

namespace cuda_cpu
{

static const size_t ALIGNMENT = 256;
static const size_t PAGE = 4096;
static const size_t HUGE_PAGE = (size_t)2 << 20;
static const size_t SLICE = (size_t)4 << 20; /* what one thread fills at a time */

enum class memory_kind { device, managed, pinned, registered, pageable }; /* the last: no call's */

struct allocation {
    size_t size;
    memory_kind kind;
};

/* All live allocations by their address; the mutex guards both. */
static std::recursive_mutex mutex;
static std::map<const char *, allocation> allocations LASTING;
static size_t allocated_bytes;

typedef std::lock_guard<std::recursive_mutex> guard;

/* What of `known` holds [address, address + size), or NULL; mutex held. */
static const allocation *find_in(const std::map<const char *, allocation> &known,
                                 const void *address, size_t size)
{
    auto after = known.upper_bound((const char *)address);
    if (after == known.begin())
        return nullptr;
    const auto &[start, found] = *std::prev(after);
    size_t offset = (size_t)((const char *)address - start);
    return offset <= found.size && size <= found.size - offset ? &found : nullptr;
}

static const allocation *find(const void *address, size_t size)
{
    return find_in(allocations, address, size);
}

/* The program's variables that calls may be given the address of. Its constructors note some. */
static std::map<const char *, allocation> &variables()
{
    static std::map<const char *, allocation> known;
    return known;
}

bool note_variable(const void *variable, size_t size, bool is_managed)
{
    guard lock(mutex);
    return variables()
        .insert({(const char *)variable,
                 {size, is_managed ? memory_kind::managed : memory_kind::device}})
        .second;
}

/* Looks among allocations and variables. */
static const allocation *find_any(const void *address, size_t size)
{
    const allocation *found = find(address, size);
    return found ? found : find_in(variables(), address, size);
}

memory_range memory_around(const void *address)
{
    guard lock(mutex);
    if (!find(address, 0))
        return {nullptr, 0};
    const auto &[start, found] = *std::prev(allocations.upper_bound((const char *)address));
    return {(char *)start, found.size};
}

size_t live_allocations()
{
    guard lock(mutex);
    return allocations.size();
}

bool in_device_memory(const void *address, bool host_may)
{
    guard lock(mutex);
    const allocation *found = find(address, 1);
    return found && (host_may || found->kind == memory_kind::device);
}

bool in_managed_memory(const void *address)
{
    guard lock(mutex);
    const allocation *found = find(address, 1);
    return found && found->kind == memory_kind::managed;
}

/* ---- who may touch what --------------------------------------------------------------------- */

extern "C" const char __executable_start, _end; /* the linker's: the program */

bool is_host_memory(uintptr_t address)
{
    const uintptr_t lowest = (uintptr_t)1 << 45; /* of heap, mappings and stack */
    if (address < lowest || address >> 47 ||
        (address >= (uintptr_t)&__executable_start && address < (uintptr_t)&_end))
        return false;
    unsigned char resident;
    guard lock(mutex);
#ifdef __SANITIZE_ADDRESS__ /* there allocations lie among the host's, with poison around */
    char name[8];
    void *start = nullptr;
    size_t size = 0;
    __asan_locate_address((void *)address, name, sizeof name, &start, &size);
    bool beside = __asan_address_is_poisoned((void *)address) || address - (uintptr_t)start >= size;
#else /* where a pointer may begin that a kernel is given without the apron of its array */
    auto after = allocations.upper_bound((const char *)address);
    bool beside = find((const char *)address - PAGE, 0) ||
                  (after != allocations.end() && (uintptr_t)after->first - address < 16 * PAGE);
#endif
    return !beside && !find((const void *)address, 0) &&
           mincore((void *)(address / PAGE * PAGE), 1, &resident) == 0;
}

/* By the program's table of symbols; the guards' names are the C++ ABI's. */
static std::set<uintptr_t> initialisation_guards()
{
    std::set<uintptr_t> guards;
    const int program = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    struct stat file = {};
    fstat(program, &file);
    char *image = (char *)mmap(nullptr, (size_t)file.st_size, PROT_READ, MAP_PRIVATE, program, 0);
    close(program);
    if (image == MAP_FAILED)
        return guards;
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)image;
    const Elf64_Shdr *section = (const Elf64_Shdr *)(image + header->e_shoff);
    for (int i = 0; i < header->e_shnum; i++) {
        const Elf64_Sym *symbol = (const Elf64_Sym *)(image + section[i].sh_offset);
        const Elf64_Sym *end = symbol + section[i].sh_size / sizeof *symbol;
        for (; section[i].sh_type == SHT_SYMTAB && symbol < end; symbol++) {
            const char *name = image + section[section[i].sh_link].sh_offset + symbol->st_name;
            if (ELF64_ST_TYPE(symbol->st_info) == STT_TLS && strncmp(name, "_ZGV", 4) == 0)
                guards.insert(symbol->st_value);
        }
    }
    munmap(image, (size_t)file.st_size);
    return guards;
}

bool is_initialisation_guard(uintptr_t offset)
{
    static const std::set<uintptr_t> guards = initialisation_guards();
    return guards.count(offset) != 0;
}

/*
 * Device memory and variables are closed to the host: in the plain build by the processor's
 * protection keys, where it has them, in the asan build (memory alone) by poison.
 */
static int new_key(char *begin, const char *end)
{
    int key = checker || ADDRESS_SANITIZER ? -1 : pkey_alloc(0, PKEY_DISABLE_ACCESS);
    pkey_mprotect(begin, (size_t)(end - begin), PROT_READ | PROT_WRITE, key);
    return key;
}

/* The key of a section where cuda_runtime.h puts variables, whose last whole page is here. */
#define SECTION_KEY(section_name)                                                                  \
    extern "C" char __start_##section_name[], __stop_##section_name[];                             \
    __attribute__((section(#section_name), aligned(PAGE), used)) char section_name##_end[PAGE];    \
    static int section_name##_key()                                                                \
    {                                                                                              \
        static const int key = new_key(__start_##section_name, __stop_##section_name);             \
        return key;                                                                                \
    }
SECTION_KEY(cuda_cpu_device)
SECTION_KEY(cuda_cpu_constant)

static void set_access(unsigned to_device, unsigned to_constants)
{
    if (cuda_cpu_device_key() >= 0)
        pkey_set(cuda_cpu_device_key(), to_device);
    if (cuda_cpu_constant_key() >= 0)
        pkey_set(cuda_cpu_constant_key(), to_constants);
#ifdef __SANITIZE_ADDRESS__
    static int open; /* by how many threads */
    guard lock(mutex);
    if (to_device ? --open > 0 : open++ > 0)
        return;
    auto change = to_device ? __asan_poison_memory_region : __asan_unpoison_memory_region;
    for (const auto &[address, found] : allocations)
        if (found.kind == memory_kind::device)
            change(address, found.size);
#endif
}

device_access::device_access(bool by_kernel)
{
    set_access(0, by_kernel ? PKEY_DISABLE_WRITE : 0);
}

device_access::~device_access()
{
    set_access(PKEY_DISABLE_ACCESS, PKEY_DISABLE_ACCESS);
}

/* By all threads where it pays. */
static void fill(void *target, int value, size_t size)
{
    const long slices = (long)((size + SLICE - 1) / SLICE);
#pragma omp parallel if (slices > 1 && !ADDRESS_SANITIZER) /* whose access takes the lock */
    {
        device_access access(false);
#pragma omp for schedule(static)
        for (long i = 0; i < slices; i++) {
            size_t start = (size_t)i * SLICE;
            memset((char *)target + start, value, std::min(SLICE, size - start));
        }
    }
}

static void tell_written(const void *target, size_t size)
{
    if (checker)
        checker->host_wrote(target, size);
}

/* ---- allocation ----------------------------------------------------------------------------- */

/* What the system could still give without swapping or running dry. */
static size_t available_memory()
{
    std::ifstream file("/proc/meminfo");
    std::string word;
    size_t kilobytes;
    while (file >> word)
        if (word == "MemAvailable:" && file >> kilobytes)
            return kilobytes * 1024;
    return physical_memory();
}

static size_t free_memory()
{
    size_t total = physical_memory();
    size_t left = total > allocated_bytes ? total - allocated_bytes : 0;
    return checker ? left : std::min(left, available_memory());
}

/* An allocation lies at the end of whole pages, before one (of the same kind) out of bounds. */
static size_t page_size(size_t size)
{
    return size >= HUGE_PAGE ? HUGE_PAGE : PAGE;
}

static size_t room(size_t size)
{
    return (size + page_size(size) - 1) / page_size(size) * page_size(size);
}

static size_t place_in_room(size_t size)
{
    return (room(size) - size) / ALIGNMENT * ALIGNMENT;
}

static void *take(size_t size, memory_kind kind)
{
    void *memory;
    if (checker)
        return checker->allocate(size);
    if (ADDRESS_SANITIZER)
        return posix_memalign(&memory, ALIGNMENT, size) == 0 ? memory : nullptr;
    memory = mmap(nullptr, room(size) + page_size(size), PROT_NONE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return nullptr;
    pkey_mprotect(memory, room(size), PROT_READ | PROT_WRITE,
                  kind == memory_kind::device ? cuda_cpu_device_key() : -1);
    if (size >= HUGE_PAGE)
        madvise(memory, room(size), MADV_HUGEPAGE); /* a fraction of the page faults; only a hint */
    return (char *)memory + place_in_room(size);
}

static void give_back(void *address, size_t size)
{
    allocated_bytes -= size;
    if (checker)
        checker->release(address, size);
    else if (ADDRESS_SANITIZER)
        free(address);
    else
        munmap((char *)address - place_in_room(size), room(size) + page_size(size));
}

static cudaError_t allocate(void **pointer, size_t size, memory_kind kind)
{
    if (!pointer)
        return set_error(cudaErrorInvalidValue);
    *pointer = nullptr;
    if (size == 0 || is_device_lost())
        return device_error();
    watch_leaks();
    guard lock(mutex);
    void *memory = size <= free_memory() ? take(size, kind) : nullptr;
    if (!memory)
        return set_error(cudaErrorMemoryAllocation);
    allocations[(const char *)memory] = {size, kind};
    fill(memory, 0xff, size);
    if (kind != memory_kind::device)
        tell_written(memory, size); /* the host may write there without a call */
    allocated_bytes += size;
    *pointer = memory;
    return cudaSuccess;
}

/* Frees what pinned (or, else, device or managed) allocation starts at pointer. */
static cudaError_t release(void *pointer, bool pinned)
{
    if (!pointer)
        return cudaSuccess;
    finish_all();
    guard lock(mutex);
    auto found = allocations.find((const char *)pointer);
    if (found == allocations.end() || found->second.kind == memory_kind::registered ||
        (found->second.kind == memory_kind::pinned) != pinned)
        return set_error(cudaErrorInvalidValue);
    size_t size = found->second.size;
    allocations.erase(found);
    give_back(pointer, size);
    return device_error();
}

/* ---- copies --------------------------------------------------------------------------------- */

/*
 * May size bytes from address on be the side of a copy that the kind puts on the device (or on the
 * host)? Managed and pinned memory is both. mutex held.
 */
static bool is_legal_side(const void *address, size_t size, bool any_side, bool device_side)
{
    const allocation *start = find_any(address, 1);
    if (!start)
        start = find(address, 0);
    if (!start)
        return address && (any_side || !device_side); /* ordinary host memory */
    if (!find_any(address, size))
        return false; /* runs over its end */
    return any_side || device_side || start->kind != memory_kind::device;
}

/* Rows, each pitch bytes behind the one before. */
struct rows {
    void *target;
    size_t target_pitch;
    const void *source;
    size_t source_pitch, width, height;
};

static void copy(const rows &r)
{
    device_access access(false);
    for (size_t row = 0; row < r.height; row++) {
        char *to = (char *)r.target + row * r.target_pitch;
        memmove(to, (const char *)r.source + row * r.source_pitch, r.width);
        guard lock(mutex);
        tell_written(to, r.width);
    }
}

static cudaError_t check_copy(const rows &r, cudaMemcpyKind kind)
{
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    guard lock(mutex);
    bool any = kind == cudaMemcpyDefault, both = kind == cudaMemcpyDeviceToDevice;
    return is_legal_side(r.target, (r.height - 1) * r.target_pitch + r.width, any,
                         both || kind == cudaMemcpyHostToDevice) &&
                   is_legal_side(r.source, (r.height - 1) * r.source_pitch + r.width, any,
                                 both || kind == cudaMemcpyDeviceToHost)
               ? cudaSuccess
               : cudaErrorInvalidValue;
}

static memory_kind kind_of(const void *address)
{
    guard lock(mutex);
    const allocation *found = find_any(address, 1);
    return found ? found->kind : memory_kind::pageable;
}

/* The host waits for a copy from or to pageable memory; `waits`: for others, but within the device.
 */
static cudaError_t copy_rows(const rows &r, cudaMemcpyKind kind, cudaStream_t stream, bool waits)
{
    want_asked();
    if (!is_stream(stream))
        return set_error(cudaErrorInvalidResourceHandle);
    if (r.width > r.target_pitch || r.width > r.source_pitch)
        return set_error(cudaErrorInvalidPitchValue);
    if (r.width == 0 || r.height == 0)
        return cudaSuccess;
    const cudaError_t error = check_copy(r, kind);
    if (error != cudaSuccess)
        return set_error(error);
    if (const cudaError_t refused = enqueue(stream, [r] { copy(r); }))
        return refused;
    const memory_kind to = kind_of(r.target), from = kind_of(r.source);
    if (to == memory_kind::pageable || from == memory_kind::pageable ||
        (waits && (to != memory_kind::device || from != memory_kind::device)))
        finish(stream);
    return device_error();
}

/* The host waits for it. */
cudaError_t copy_symbol(void *target, const void *source, size_t count, bool fits,
                        cudaMemcpyKind kind, cudaMemcpyKind way, cudaStream_t stream)
{
    if (!is_stream(stream))
        return set_error(cudaErrorInvalidResourceHandle);
    if (!fits)
        return set_error(cudaErrorInvalidValue);
    if (kind != way && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
        return set_error(cudaErrorInvalidMemcpyDirection);
    const cudaError_t error = enqueue(stream, [=] {
        copy({target, count, source, count, count, 1});
    });
    finish(stream);
    return error;
}

static cudaError_t set_memory(void *memory, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream, bool waits)
{
    if (!is_stream(stream))
        return set_error(cudaErrorInvalidResourceHandle);
    if (width > pitch)
        return set_error(cudaErrorInvalidValue);
    if (width == 0 || height == 0)
        return cudaSuccess;
    {
        guard lock(mutex);
        if (!find_any(memory, (height - 1) * pitch + width))
            return set_error(cudaErrorInvalidValue);
    }
    const cudaError_t error = enqueue(stream, [=] {
        guard lock(mutex);
        for (size_t row = 0; row < height; row++) {
            fill((char *)memory + row * pitch, value, width);
            tell_written((char *)memory + row * pitch, width);
        }
    });
    if (waits && kind_of(memory) != memory_kind::device)
        finish(stream);
    return error;
}

} /* namespace cuda_cpu */

/* ---- the C interface ------------------------------------------------------------------------ */

using namespace cuda_cpu;

cudaError_t cudaMalloc(void **devPtr, size_t size)
{
    const cudaError_t error = unsafe_call_error();
    return error ? error : allocate(devPtr, size, memory_kind::device);
}

cudaError_t cudaMallocPitch(void **devPtr, size_t *pitch, size_t width, size_t height)
{
    *pitch = (width + 511) / 512 * 512; /* as GPUs do */
    if (height > 0 && *pitch > SIZE_MAX / height)
        return set_error(cudaErrorMemoryAllocation);
    return cudaMalloc(devPtr, *pitch * height);
}

cudaError_t cudaMallocManaged(void **devPtr, size_t size, unsigned int flags)
{
    if (size == 0 || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost))
        return set_error(cudaErrorInvalidValue);
    return allocate(devPtr, size, memory_kind::managed);
}

cudaError_t cudaMallocHost(void **ptr, size_t size)
{
    return allocate(ptr, size, memory_kind::pinned);
}

cudaError_t cudaHostAlloc(void **pHost, size_t size, unsigned int flags)
{
    if (flags & ~(cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined))
        return set_error(cudaErrorInvalidValue);
    return allocate(pHost, size, memory_kind::pinned);
}

cudaError_t cudaMallocAsync(void **devPtr, size_t size, cudaStream_t stream)
{
    return is_stream(stream) ? allocate(devPtr, size, memory_kind::device)
                             : set_error(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaFreeAsync(void *devPtr, cudaStream_t stream)
{
    return is_stream(stream) ? cudaFree(devPtr) : set_error(cudaErrorInvalidResourceHandle);
}

/* The race checker watches no memory but its own. */
cudaError_t cudaHostRegister(void *ptr, size_t size, unsigned int)
{
    guard lock(mutex);
    if (checker)
        return set_error(cudaErrorNotSupported);
    if (!ptr || size == 0)
        return set_error(cudaErrorInvalidValue);
    if (find(ptr, 0))
        return set_error(cudaErrorHostMemoryAlreadyRegistered);
    allocations[(const char *)ptr] = {size, memory_kind::registered};
    return device_error();
}

cudaError_t cudaHostUnregister(void *ptr)
{
    finish_all();
    guard lock(mutex);
    auto found = allocations.find((const char *)ptr);
    if (found == allocations.end() || found->second.kind != memory_kind::registered)
        return set_error(cudaErrorHostMemoryNotRegistered);
    allocations.erase(found);
    return device_error();
}

cudaError_t cudaHostGetDevicePointer(void **pDevice, void *pHost, unsigned int flags)
{
    guard lock(mutex);
    const allocation *found = find(pHost, 0);
    if (!found || found->kind < memory_kind::pinned || flags != 0)
        return set_error(cudaErrorInvalidValue);
    *pDevice = pHost;
    return device_error();
}

cudaError_t cudaFree(void *devPtr)
{
    return release(devPtr, false);
}

cudaError_t cudaFreeHost(void *ptr)
{
    return release(ptr, true);
}

cudaError_t cudaMemGetInfo(size_t *free, size_t *total)
{
    guard lock(mutex);
    *free = free_memory();
    *total = physical_memory();
    return device_error();
}

cudaError_t cudaMemcpy(void *dst, const void *src, size_t count, cudaMemcpyKind kind)
{
    return copy_rows({dst, count, src, count, count, 1}, kind, 0, true);
}

cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t count, cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    return copy_rows({dst, count, src, count, count, 1}, kind, stream, false);
}

/* There is the device 0 only. */
cudaError_t cudaMemcpyPeerAsync(void *dst, int dstDevice, const void *src, int srcDevice,
                                size_t count, cudaStream_t stream)
{
    if (dstDevice != 0 || srcDevice != 0)
        return set_error(cudaErrorInvalidDevice);
    return cudaMemcpyAsync(dst, src, count, cudaMemcpyDeviceToDevice, stream);
}

cudaError_t cudaMemcpyPeer(void *dst, int dstDevice, const void *src, int srcDevice, size_t count)
{
    return cudaMemcpyPeerAsync(dst, dstDevice, src, srcDevice, count, 0);
}

cudaError_t cudaMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                         size_t height, cudaMemcpyKind kind)
{
    return copy_rows({dst, dpitch, src, spitch, width, height}, kind, 0, true);
}

cudaError_t cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch,
                              size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream)
{
    return copy_rows({dst, dpitch, src, spitch, width, height}, kind, stream, false);
}

cudaError_t cudaMemset(void *devPtr, int value, size_t count)
{
    return set_memory(devPtr, count, value, count, 1, 0, true);
}

cudaError_t cudaMemsetAsync(void *devPtr, int value, size_t count, cudaStream_t stream)
{
    return set_memory(devPtr, count, value, count, 1, stream, false);
}

cudaError_t cudaMemset2D(void *devPtr, size_t pitch, int value, size_t width, size_t height)
{
    return set_memory(devPtr, pitch, value, width, height, 0, true);
}

cudaError_t cudaMemset2DAsync(void *devPtr, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream)
{
    return set_memory(devPtr, pitch, value, width, height, stream, false);
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *ptr)
{
    if (!attributes)
        return set_error(cudaErrorInvalidValue);
    void *const pointer = (void *)ptr;
    switch (kind_of(ptr)) {
    case memory_kind::device:
        *attributes = {cudaMemoryTypeDevice, 0, pointer, nullptr};
        break;
    case memory_kind::managed:
        *attributes = {cudaMemoryTypeManaged, 0, pointer, pointer};
        break;
    case memory_kind::pinned:
    case memory_kind::registered:
        *attributes = {cudaMemoryTypeHost, 0, pointer, pointer};
        break;
    default:
        *attributes = {cudaMemoryTypeUnregistered, cudaInvalidDeviceId, nullptr, pointer};
    }
    return device_error();
}

cudaError_t cudaDeviceReset(void)
{
    finish_all();
    guard lock(mutex);
    for (const auto &[address, found] : allocations)
        if (found.kind != memory_kind::registered)
            give_back((void *)address, found.size);
    allocations.clear();
    return cudaSuccess;
}
