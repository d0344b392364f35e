#include "runner.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <string>
#include <unistd.h>
#include <vector>

/* Which would look for leaks where it may not. */
extern "C" int __lsan_is_turned_off()
{
    return 1;
}

namespace runner
{

using namespace cuda_cpu;

enum { MOST_ARGUMENTS = 64, BAD_REQUEST = 3 };

static int answer_end; /* where the answer goes; what a kernel prints does not */

static void give_up(const char *why)
{
    fprintf(stderr, "CUDA on the CPU: the runner: %s\n", why);
    exit(BAD_REQUEST);
}

static void take(void *target, size_t bytes)
{
    for (size_t done = 0; done < bytes;) {
        ssize_t n = read(STDIN_FILENO, (char *)target + done, bytes - done);
        if (n <= 0)
            give_up("the request ends too early");
        done += (size_t)n;
    }
}

template <class T>
static T take()
{
    T value;
    take(&value, sizeof value);
    return value;
}

static void answer(const void *source, size_t bytes)
{
    for (size_t done = 0; done < bytes;) {
        ssize_t n = write(answer_end, (const char *)source + done, bytes - done);
        if (n <= 0)
            give_up("nobody reads the answer");
        done += (size_t)n;
    }
}

extern "C" char __start_cuda_cpu_constant[];

static void take_constants(uint32_t count)
{
    std::vector<char> bytes;
    while (count-- > 0) {
        const constant c = take<constant>();
        bytes.resize(c.bytes);
        take(bytes.data(), c.bytes);
        device_access access(false);
        memcpy(__start_cuda_cpu_constant + c.offset, bytes.data(), c.bytes);
    }
}

static std::vector<char *> take_memories(const std::vector<uint64_t> &sizes)
{
    std::vector<char *> memories(sizes.size());
    std::vector<char> bytes;
    for (size_t i = 0; i < sizes.size(); i++) {
        bytes.resize(sizes[i]);
        take(bytes.data(), sizes[i]);
        if (cudaMalloc((void **)&memories[i], sizes[i]) ||
            cudaMemcpy(memories[i], bytes.data(), sizes[i], cudaMemcpyHostToDevice))
            give_up("no room for the memory");
    }
    return memories;
}

static const entry *entry_of(const std::string &name, std::initializer_list<entry> kernels)
{
    Dl_info found;
    for (const entry &e : kernels)
        if (dladdr(e.kernel, &found) && found.dli_sname && name == found.dli_sname)
            return &e;
    return nullptr;
}

int serve(std::initializer_list<entry> kernels)
{
    answer_end = dup(STDOUT_FILENO);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    const request r = take<request>();
    if (r.arguments > MOST_ARGUMENTS)
        give_up("too many arguments");
    std::string name(r.name_bytes, ' ');
    take(name.data(), name.size());
    std::vector<uint64_t> bytes(r.arguments + 1), sizes(r.memories);
    std::vector<std::vector<uint64_t>> values(r.arguments); /* aligned as any argument wants it */
    std::vector<void *> addresses(r.arguments + 1);
    for (uint32_t i = 0; i < r.arguments; i++) {
        bytes[i] = take<uint64_t>();
        values[i].resize(bytes[i] / sizeof(uint64_t) + 2);
        addresses[i] = values[i].data();
        take(addresses[i], bytes[i]);
    }
    std::vector<pointer_link> links(r.links);
    take(links.data(), r.links * sizeof(pointer_link));
    take_constants(r.constants);
    take(sizes.data(), r.memories * sizeof sizes[0]);
    const std::vector<char *> memories = take_memories(sizes);
    for (const pointer_link &l : links) {
        char *pointer = memories[l.memory] + l.offset;
        memcpy((char *)addresses[l.argument] + l.at, &pointer, sizeof pointer);
    }
    const entry *e = entry_of(name, kernels);
    uint32_t error = cudaErrorInvalidDeviceFunction;
    if (e && r.shared_limit > DEFAULT_SHARED_BYTES)
        cudaFuncSetAttribute(e->kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             (int)r.shared_limit);
    if (e)
        error = e->launch(r, bytes.data(), addresses.data());
    std::vector<char> back;
    answer(&error, sizeof error);
    for (uint32_t i = 0; i < r.memories; i++) {
        back.resize(sizes[i]);
        if (cudaMemcpy(back.data(), memories[i], sizes[i], cudaMemcpyDeviceToHost))
            give_up("the memory cannot be read");
        answer(back.data(), sizes[i]);
        cudaFree(memories[i]);
    }
    return 0;
}

} /* namespace runner */
