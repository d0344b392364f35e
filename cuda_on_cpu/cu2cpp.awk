# cu2cpp.awk - turns CUDA C into the C++ that g++ takes, with cuda_runtime.h of this folder.
#
# usage: awk -v src=FILE.cu -f cu2cpp.awk FILE.cu >FILE.cpp
#
#   kernel<T><<<g, b, s>>>(args)   kernel<T> |cuda_cpu::launch("kernel<T>", g, b, s)(args)
#   extern __shared__ T name[];    T (&name)[] = *(T (*)[])cuda_cpu::dynamic_shared();
#   __device__ T variable;         __device__ CUDA_CPU_device T variable;    (__constant__ likewise)
#
# Strings and comments are copied as they are. Every newline stays, so one #line at the top makes
# compilers, debuggers and diagnoses speak of the .cu file's lines. Plain awk, mawk included.

# What a diagnosis calls the kernel whose name ends code.
function kernel_name(code)
{
    gsub(/[ \t\r\n]+/, " ", code)
    gsub(/["\\]|^ | $/, "", code)
    match(code, /([][A-Za-z_0-9:.]|->)*(<.*>)?$|\([^()]*\)$/)
    return substr(code, RSTART)
}

# An extern __shared__ array: dynamic shared memory by another name. text ends with the semicolon.
function dynamic_shared(text,    type, name, size, newlines)
{
    newlines = text
    gsub(/[^\n]/, "", newlines)
    gsub(/[ \t\r\n]+/, " ", text)
    sub(/extern __shared__ /, "", text)
    sub(/(__align__|alignas) ?\([^)]*\) ?/, "", text) # the engine aligns to 1024 bytes
    if (!match(text, /[A-Za-z_][A-Za-z_0-9]* ?\[.*\]/))
        return ""
    type = substr(text, 1, RSTART - 1)
    name = size = substr(text, RSTART, RLENGTH)
    sub(/ ?\[.*/, "", name)
    sub(/^[^[]*/, "", size)
    return type "(&" name ")" size " = *(" type "(*)" size ")cuda_cpu::dynamic_shared();" newlines
}

# A declaration, up to its ; or {: a variable of the device gets an attribute. Neither what has
# parentheses, perhaps a function, nor a constant, which the host may know, too.
function device_variable(code,    word, declared)
{
    if (!match(code, /(^|\n)[ \t]*((static|extern|volatile)[ \t]+)*__(device|constant)__/))
        return code
    declared = substr(code, RSTART + RLENGTH)
    word = substr(code, RSTART, RLENGTH) ~ /device/ ? "device" : "constant"
    if (declared ~ /[("]|__[a-z]+__|(^|[ \t\n])(const|constexpr|class|struct)[ \t\n]/)
        return code
    return substr(code, 1, RSTART + RLENGTH - 1) " CUDA_CPU_" word declared
}

# How long the string, character or comment is that start opens, without start itself.
function quoted_length(start, text,    end)
{
    end = start == "/*" ? "\\*/" : start == "//" ? "\n" : "^([^\\\\\n" start "]|\\\\.)*[\n" start "]"
    return match(text, end) ? RSTART + RLENGTH - 1 : length(text)
}

{
    rest = rest $0 "\n"
}

END {
    printf "#line 1 \"%s\"\n", src
    special = "\"|'|//|/\\*|<<<|>>>|[;{}]|extern[ \t\n]+__shared__[^;]*;"
    while (match(rest, special)) {
        token = substr(rest, RSTART, RLENGTH)
        code = code substr(rest, 1, RSTART - 1)
        rest = substr(rest, RSTART + RLENGTH)
        if (token == "<<<") {
            code = code " |cuda_cpu::launch(\"" kernel_name(code) "\", "
            in_launch = 1
        } else if (token == ">>>" && in_launch) {
            code = code ")"
            in_launch = 0
        } else if (token ~ /^extern/) {
            array = dynamic_shared(token)
            code = code (array == "" ? token : array)
        } else if (token ~ /^[;{}]$/) {
            printf "%s%s", device_variable(code), token # what is kept may still name a kernel
            code = ""
        } else if (token == "'" && code ~ /[0-9A-Fa-f]$/) {
            code = code token # separates digits: 1'000
        } else {
            n = quoted_length(token, rest)
            code = code token substr(rest, 1, n)
            rest = substr(rest, n + 1)
        }
    }
    printf "%s%s", code, rest
}
