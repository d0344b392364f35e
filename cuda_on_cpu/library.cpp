/*
 * library.cpp - kernels from a file. Here that is a program, the runner (course/runner.h makes
 * one): a launch of a kernel that one of its own stands in for starts it, in a process that has
 * what library.h lists and no other memory of this one.
 */
#include "library.h"
#include "streams.h"
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <poll.h>
#include <sstream>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

struct CUlib_st {
    std::string file;
    std::map<std::string, struct CUkern_st> kernels;
};
struct CUkern_st {
    const CUlib_st *library;
    std::string name;
};

namespace cuda_cpu
{

enum { RUNNER_SECONDS = 10, RUNNER_OUTPUT = 1 << 20, TOLD = 1 << 14, PAGE = 4096 };

/* What counts is processor time, whatever else the machine does; a launch that waits ends, too. */
const double WAITING = 12;

static std::map<const void *, cudaKernel_t> replaced LASTING;
static void (*reshape)(dim3 *grid, dim3 block, size_t *shared_bytes);

typedef std::chrono::steady_clock timer;

struct process {
    pid_t id;
    int to, from; /* its standard input and output */
    FILE *said;   /* what it writes into its standard error */
    timer::time_point end;
};

template <class T>
static void put(std::string &text, const T &value)
{
    text.append((const char *)&value, sizeof value);
}

/* ---- what is sent --------------------------------------------------------------------------- */

/* The memories that the arguments' pointers lead to, each once, and the pointers. */
static std::vector<pointer_link> links_of(const kernel_launch &launch,
                                          std::vector<memory_range> &memories)
{
    std::vector<pointer_link> links;
    for (uint32_t i = 0; launch.list[i].address; i++)
        for (uint32_t at = 0; at + sizeof(char *) <= launch.list[i].bytes; at += sizeof(char *)) {
            const char *pointer;
            memcpy(&pointer, (const char *)launch.list[i].address + at, sizeof pointer);
            const memory_range found = memory_around(pointer);
            uint32_t known = 0;
            while (known < memories.size() && memories[known].start != found.start)
                known++;
            if (found.start && known == memories.size())
                memories.push_back(found);
            if (found.start)
                links.push_back({i, at, known, 0, (uint64_t)(pointer - found.start)});
        }
    return links;
}

/*
 * A program's constants by their names, as nm tells, whose lines are NAME TYPE ADDRESS SIZE; of a
 * runner that a script starts they stand in FILE.symbols.
 */
static std::map<std::string, constant> constants_of(const std::string &file)
{
    std::map<std::string, constant> all, found;
    uint64_t first = 0;
    const std::string quoted = "'" + file + "'";
    FILE *pipe = popen(("cat " + quoted + ".symbols 2>/dev/null || nm -f posix --defined-only " +
                        quoted + " 2>/dev/null")
                           .c_str(),
                       "re");
    char *line = nullptr;
    size_t room = 0;
    while (pipe && getline(&line, &room, pipe) > 0) {
        std::string name, type;
        uint64_t address = 0, size = 0;
        std::istringstream(line) >> name >> type >> std::hex >> address >> size;
        if (name == "__start_cuda_cpu_constant")
            first = address;
        else if (size)
            all[name] = {address, size};
    }
    free(line);
    if (pipe)
        pclose(pipe);
    for (const auto &[symbol, place] : all)
        if (first && symbol != "cuda_cpu_constant_end")
            found[symbol] = {place.offset - first, place.bytes};
    return found;
}

static std::string program_path()
{
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path);
    return std::string(path, length > 0 ? (size_t)length : 0);
}

extern "C" char __start_cuda_cpu_constant[], __stop_cuda_cpu_constant[];

static uint64_t constants_room()
{
    return (uint64_t)(__stop_cuda_cpu_constant - __start_cuda_cpu_constant);
}

/* Asks nm once a file: where a library is loaded, before each row has a process of its own. */
static const std::map<std::string, constant> &known_constants(const std::string &file)
{
    static std::map<std::string, std::map<std::string, constant>> known;
    const bool none = constants_room() <= PAGE;
    if (!known.count(file))
        known[file] = none ? std::map<std::string, constant>{} : constants_of(file);
    return known[file];
}

static uint32_t put_constants(std::string &text, const std::string &runner)
{
    uint32_t count = 0;
    const uint64_t room = constants_room();
    const std::map<std::string, constant> &others = known_constants(runner);
    for (const auto &[name, own] : known_constants(program_path())) {
        auto there = others.find(name);
        if (there == others.end() || there->second.bytes != own.bytes || own.offset > room ||
            own.bytes > room - own.offset)
            continue;
        put(text, there->second);
        text.append(__start_cuda_cpu_constant + own.offset, own.bytes);
        count++;
    }
    return count;
}

static std::string request_of(const kernel_launch &launch, const CUkern_st &kernel,
                              std::vector<memory_range> &memories)
{
    std::string text, constants;
    const std::vector<pointer_link> links = links_of(launch, memories);
    request r = {launch.grid,
                 launch.block,
                 launch.cooperative,
                 (uint32_t)kernel.name.size(),
                 launch.shared_bytes,
                 std::max(dynamic_shared_limit(launch.kernel), launch.shared_bytes),
                 0,
                 (uint32_t)links.size(),
                 put_constants(constants, kernel.library->file),
                 (uint32_t)memories.size()};
    while (launch.list[r.arguments].address)
        r.arguments++;
    put(text, r);
    text += kernel.name;
    for (uint32_t i = 0; i < r.arguments; i++) {
        put(text, (uint64_t)launch.list[i].bytes);
        text.append((const char *)launch.list[i].address, launch.list[i].bytes);
    }
    for (const pointer_link &l : links)
        put(text, l);
    text += constants;
    for (const memory_range &memory : memories)
        put(text, (uint64_t)memory.bytes);
    for (const memory_range &memory : memories)
        text.append(memory.start, memory.bytes);
    return text;
}

/* ---- the process ---------------------------------------------------------------------------- */

/* Sets the most that the process may have; so much beyond it the system ends it by SIGKILL. */
static void limit(int resource, rlim_t most, rlim_t beyond = 0)
{
    const rlimit both = {most, most + beyond};
    setrlimit(resource, &both);
}

static double runner_seconds()
{
    return number_from_environment("CUDA_CPU_RUNNER_SECONDS", RUNNER_SECONDS, 0.01);
}

static process start(const char *file)
{
    int in[2], out[2];
    FILE *said = tmpfile();
    if (!said || pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC))
        die(nullptr, 0, "no runner can be started");
    const pid_t id = fork();
    if (id == 0) {
        setpgid(0, 0);
        for (int number : {SIGINT, SIGTERM, SIGPIPE, SIGXFSZ}) /* ignored here */
            signal(number, SIG_DFL);
        dup2(in[0], STDIN_FILENO);
        dup2(out[1], STDOUT_FILENO);
        dup2(fileno(said), STDERR_FILENO);
        limit(RLIMIT_CORE, 0);
        limit(RLIMIT_FSIZE, RUNNER_OUTPUT);
        limit(RLIMIT_CPU, (rlim_t)std::ceil(runner_seconds()), 1); /* SIGXCPU comes first */
        execl(file, file, (char *)nullptr);
        dprintf(STDERR_FILENO, "CUDA on the CPU: %s does not start: %s\n", file, strerror(errno));
        _exit(127);
    }
    setpgid(id, id);
    close(in[0]);
    close(out[1]);
    fcntl(in[1], F_SETFL, O_NONBLOCK);
    return {id, in[1], out[0], said,
            timer::now() + std::chrono::milliseconds((int)(1e3 * WAITING * runner_seconds()))};
}

/* Waits until the end can be written to, or read; false where the time is over. */
static bool wait_for(const process &p, int end, short event)
{
    using std::chrono::milliseconds;
    auto left = std::chrono::duration_cast<milliseconds>(p.end - timer::now()).count();
    pollfd one = {end, event, 0};
    return left > 0 && poll(&one, 1, (int)left) > 0;
}

/* Writes, or reads, all of it; false where the process has ended, or its time. */
static bool send(const process &p, const std::string &text)
{
    for (size_t done = 0; done < text.size();) {
        if (!wait_for(p, p.to, POLLOUT))
            return false;
        ssize_t n = write(p.to, text.data() + done, text.size() - done);
        if (n < 0 && errno != EAGAIN && errno != EINTR)
            return false;
        done += n > 0 ? (size_t)n : 0;
    }
    return true;
}

static bool receive(const process &p, void *target, size_t bytes)
{
    for (size_t done = 0; done < bytes;) {
        if (!wait_for(p, p.from, POLLIN))
            return false;
        ssize_t n = read(p.from, (char *)target + done, bytes - done);
        if (n <= 0)
            return false;
        done += (size_t)n;
    }
    return true;
}

/*
 * Ends it with all that it has started in its group, at its end or when its time is over. Returns
 * the signal that ended it, SIGXCPU for its time, or its exit status less 128, which is a shell's
 * way to tell of a signal.
 */
static int end_of(const process &p)
{
    int status = 0;
    siginfo_t ended = {};
    close(p.to);
    close(p.from);
    while (!ended.si_pid && timer::now() < p.end) {
        waitid(P_PID, (id_t)p.id, &ended, WEXITED | WNOWAIT | WNOHANG);
        if (!ended.si_pid)
            usleep(1000);
    }
    kill(-p.id, SIGKILL);
    waitpid(p.id, &status, 0);
    if (!ended.si_pid)
        return SIGXCPU;
    return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status) - 128;
}

/* Ends it; tells what it said, and what was wrong with it. */
static bool finish(const process &p, bool answered)
{
    char text[TOLD];
    const int code = end_of(p), good = -128;
    rewind(p.said);
    size_t length = fread(text, 1, sizeof text, p.said);
    fwrite(text, 1, length, stderr);
    if (length && text[length - 1] != '\n')
        fputc('\n', stderr);
    fclose(p.said);
    if (code == SIGXCPU)
        fprintf(stderr, "CUDA on the CPU: a launch took more than %g s\n", runner_seconds());
    else if (code == SIGXFSZ || (length == TOLD && !answered))
        fprintf(stderr, "CUDA on the CPU: a launch wrote more than %d bytes\n", RUNNER_OUTPUT);
    else if (!answered || code != good)
        fprintf(stderr, "CUDA on the CPU: a launch ended the program: %s\n",
                code > 0 ? strsignal(code) : "it exits");
    else
        return true;
    return false;
}

bool run_elsewhere(const kernel_launch &own)
{
    auto found = replaced.find(own.kernel);
    if (!own.list || found == replaced.end())
        return false;
    finish_all(); /* this one does not wait */
    kernel_launch launch = own;
    if (reshape)
        reshape(&launch.grid, launch.block, &launch.shared_bytes);
    std::vector<memory_range> memories;
    uint32_t error = 0;
    device_access access(false);
    signal(SIGPIPE, SIG_IGN);
    const char *failed = getenv("CUDA_CPU_RUNNER_FAILED"); /* a file that tells of it */
    if (failed && !::access(failed, F_OK)) {
        fprintf(stderr, "CUDA on the CPU: not run, as another launch did not end well\n");
        signal(SIGABRT, SIG_DFL);
        abort();
    }
    const std::string text = request_of(launch, *found->second, memories);
    process p = start(found->second->library->file.c_str());
    bool answered = send(p, text) && receive(p, &error, sizeof error);
    for (size_t i = 0; i < memories.size() && answered; i++)
        answered = receive(p, memories[i].start, memories[i].bytes);
    if (!finish(p, answered)) {
        if (failed)
            close(open(failed, O_CREAT | O_WRONLY, 0644));
        signal(SIGABRT, SIG_DFL); /* the place is not here */
        abort();
    }
    succeed_if(error == 0, (cudaError_t)error);
    return true;
}

} /* namespace cuda_cpu */

using namespace cuda_cpu;

/* ---- the C interface ------------------------------------------------------------------------ */

cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *library, const char *fileName,
                                    enum cudaJitOption *, void **, unsigned int,
                                    enum cudaLibraryOption *, void **, unsigned int)
{
    if (::access(fileName, X_OK))
        return set_error(cudaErrorFileNotFound);
    *library = new CUlib_st{fileName, {}};
    known_constants(fileName);
    known_constants(program_path());
    return cudaSuccess;
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library)
{
    for (auto it = replaced.begin(); it != replaced.end();)
        it = it->second->library == library ? replaced.erase(it) : std::next(it);
    delete library;
    return cudaSuccess;
}

/* Whether the runner has it, it tells when it runs. */
cudaError_t cudaLibraryGetKernel(cudaKernel_t *pKernel, cudaLibrary_t library, const char *name)
{
    *pKernel = &(library->kernels[name] = {library, name});
    return cudaSuccess;
}

void cuda_cpu_replace_kernel(const void *own, cudaKernel_t kernel)
{
    if (kernel)
        replaced[own] = kernel;
    else
        replaced.erase(own);
}

void cuda_cpu_reshape_launches(void (*other)(dim3 *grid, dim3 block, size_t *shared_bytes))
{
    reshape = other;
}
