# cu2cpp.awk - turns CUDA C into the C++ that g++ takes, with cuda_runtime.h of this folder.
#
# usage: awk -v src=FILE.cu -f cu2cpp.awk FILE.cu >FILE.cpp
#
#   kernel<T><<<g, b, s>>>(args)   kernel<T> |cuda_cpu::launch("kernel<T>", g, b, s)(args)
#   extern __shared__ T name[];    T (&name)[] = *(T (*)[])cuda_cpu::dynamic_shared();
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
            printf "%s%s", code, token # what is kept may still name a kernel
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
