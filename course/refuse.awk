# refuse.awk - what device code has no use for, in a part that was handed in: the first such thing, as a
# phrase, or nothing.
#
#   awk -v words=FILE [-v may_asm=1] -f course/refuse.awk PART
#
# FILE has the lab's own words, one a line: `host NAME` is a function of its host code, `word NAME` any other,
# which a macro would change. It reads text alone: names are what it goes by. What passes still sees no more
# than a kernel's inputs (docs/judging.md).

BEGIN {
    while ((getline line <words) > 0) {
        split(line, field, " ")
        if (field[1] == "host")
            host[field[2]]
        known[field[2]]
    }
    split("int float double char bool short long unsigned signed void if else for while do return const static " \
        "struct class template typename inline auto switch case break continue sizeof true false main " \
        "__global__ __device__ __shared__ __constant__ threadIdx blockIdx blockDim gridDim", word, " ")
    for (i in word)
        known[word[i]]
    calls = " system popen fork vfork execl execle execlp execv execve execvp posix_spawn fopen freopen mmap " \
        "mprotect ptrace syscall dlopen dlsym kill raise signal sigaction setjmp longjmp exit _exit abort getenv " \
        "socket clone prctl quick_exit at_quick_exit atexit on_exit _Exit __cxa_atexit remove rename unlink tmpfile open "
}

function refuse(why) {
    if (!refused)
        print why
    refused = 1
    exit
}

{
    sub(/\r$/, "")
    if (NR > 800 || length($0) > 2000)
        refuse("is too long for a part: more than 800 lines, or a line of more than 2,000 characters")
    text = text $0
    if (!sub(/\\$/, "", text))
        text = text "\n"
}

# bare TEXT: without comments; strings are empty.
function bare(text,    out, token, n) {
    while (match(text, /"|'|\/\/|\/\*/)) {
        token = substr(text, RSTART, RLENGTH)
        out = out substr(text, 1, RSTART - 1)
        text = substr(text, RSTART + RLENGTH)
        if (token == "//")
            n = index(text, "\n") ? index(text, "\n") - 1 : length(text)
        else if (token == "/*")
            n = match(text, /\*\//) ? RSTART + 1 : length(text)
        else if (token == "'" && out ~ /[0-9A-Fa-f]$/)
            n = 0 # 1'000
        else {
            n = match(text, "^([^\\\\\n" token "]|\\\\.)*" token) ? RLENGTH : length(text)
            out = out token token
        }
        if (token ~ /^\//)
            out = out " "
        text = substr(text, n + 1)
    }
    return out text
}

function directive(line,    name) {
    gsub(/[ \t]+/, " ", line)
    sub(/^ ?# ?/, "", line)
    if (line ~ /^pragma unroll( ?\(?[A-Za-z0-9_ ]*\)?)? ?$/ || line ~ /^(if|ifdef|ifndef|elif|else|endif)( |$)/ || line == "")
        return
    name = line
    if (line !~ /^(define|undef) /)
        refuse("has a line of the preprocessor that no part may have: #" substr(line, 1, 60))
    sub(/^[a-z]+ /, "", name)
    sub(/[^A-Za-z0-9_].*/, "", name)
    if (name in known || name ~ /^(__|cuda)/)
        refuse("defines a macro over a name that is not its own: " name)
}

END {
    if (refused)
        exit
    text = bare(text)
    if (text ~ /<<</)
        refuse("launches a kernel, which is the host's")
    if (text ~ /##|%:|\?\?/)
        refuse("pastes tokens (##, %: or ??)")
    count = split(text, all, "\n")
    for (i = 1; i <= count; i++)
        if (all[i] ~ /^[ \t]*#/)
            directive(all[i])
    while (match(text, /[A-Za-z_][A-Za-z_0-9]*([ \t\n]*(\(|::))?/)) {
        name = token = substr(text, RSTART, RLENGTH)
        text = substr(text, RSTART + RLENGTH)
        sub(/[^A-Za-z_0-9].*/, "", name)
        called = token ~ /\($/
        if (name ~ /^(asm|__asm|__asm__)$/ && !may_asm)
            refuse("has assembly, which this exercise does not ask for")
        if (name ~ /^(__attribute__|__attribute|_Pragma|__declspec|constructor|__host__|main)$/)
            refuse("has what only host code needs: " name)
        if (name == "extern" && text !~ /^[ \t\n]+__shared__/)
            refuse("declares what is defined elsewhere (extern)")
        if (name ~ /^(cublas|cufft|cusparse|cusolver|curand|cudnn|npp|cutlass|thrust|cub)/ && (called || token ~ /::$/))
            refuse("calls a library: " name)
        if (name ~ /^(cuda_cpu|CUDA_CPU|runner$|__asan|__tsan|__ubsan|__sanitizer|__lsan|__builtin_(return|frame|extract))/)
            refuse("reaches for what runs it: " name)
        if (name ~ /^(cuda|cu)[A-Z]/ && name !~ /^cuda(TextureObject_t|SurfaceObject_t)$/)
            refuse("calls the host's interface: " name)
        if (called && (name in host))
            refuse("calls a function of the host's: " name)
        if (called && (index(calls, " " name " ") || name ~ /^pthread_/))
            refuse("calls the system: " name)
    }
}
