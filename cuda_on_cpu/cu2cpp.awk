# cu2cpp.awk - turns CUDA C into the C++ that g++ takes, with cuda_runtime.h of this folder.
#
# usage: awk -v src=FILE.cu -f cu2cpp.awk [HEADER...] FILE.cu >FILE.cpp      (or SRC in the environment)
#
#   kernel<T><<<g, b, s>>>(args)   kernel<T> |cuda_cpu::launch("kernel<T>", g, b, s)(args)
#   extern __shared__ T name[];    T (&name)[] = *(T (*)[])cuda_cpu::dynamic_shared();
#                                  outside functions: nothing, and for each name (*(T (*)[])...)
#   __shared__ alignas(n) T name;  alignas(n) __shared__ T name;
#   __device__ T variable;         __device__ CUDA_CPU_device T variable;    (__constant__ likewise)
#   __managed__ T variable;        __managed__ T variable; CUDA_CPU_MANAGED(variable)
#
#   kernel<<<...>>>(args)          CUDA_CPU_NAMED(kernel) |cuda_cpu::launch(...)(args), where the kernel has
#                                  default arguments, is overloaded, or is a template and deduces its own
#   asm("mov.u32 ...")             CUDA_CPU_PTX("mov.u32 ..."), which is refused where it is compiled
#   cudaLaunchKernel((void *)k,    cudaLaunchKernel(k,
#   #if __CUDA_ARCH__ >= 700       #if 800 >= 700, with -v arch=800
#
# Files before the last are only looked through for kernels that it may launch.
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

# Notes in `defaults`, `templates` and `overloads` the names of kernels that text defines or declares so:
# the last where two definitions, or two declarations, are not alike.
function note_kernels(text,    head, name, word, what)
{
    while (match(text, /__global__[^;{]*[;{]/)) {
        head = substr(text, 1, RSTART - 1)
        name = substr(text, RSTART + 10, RLENGTH - 10)
        what = substr(text, RSTART + RLENGTH - 1, 1)
        text = substr(text, RSTART + RLENGTH)
        gsub(/__launch_bounds__[ \t\n]*\([^)]*\)|__attribute__[ \t\n]*\(\([^)]*\)\)/, "", name)
        sub(/.*[;}]/, "", head)
        if (!match(name, /[A-Za-z_][A-Za-z_0-9]*[ \t\n]*\(/))
            continue
        word = kernel_word(substr(name, RSTART, RLENGTH - 1))
        if (substr(name, RSTART) ~ /=/)
            defaults[word]
        if (head ~ /(^|[^A-Za-z_])template[ \t\n]*</)
            templates[word]
        name = substr(name, RSTART)
        gsub(/[ \t\r\n]/, "", name)
        if ((word what) in alike && alike[word what] != name)
            overloads[word]
        alike[word what] = name
    }
}

function kernel_word(name)
{
    gsub(/[ \t\n]|<.*|.*::/, "", name)
    return name
}

# code up to a launch's <<<, with the kernel's name in CUDA_CPU_NAMED() where that is wanted.
function launched(code,    at, depth, c)
{
    sub(/[ \t\n]+$/, "", code)
    at = length(code)
    if (substr(code, at) == ">") {
        do {
            c = substr(code, at--, 1)
            depth += (c == ">") - (c == "<")
        } while (depth > 0 && at > 0)
    }
    while (at > 0 && substr(code, at, 1) ~ /[A-Za-z_0-9:]/)
        at--
    c = kernel_word(substr(code, at + 1))
    if (!(c in defaults) && !(c in overloads) && !(c in templates && code !~ />$/) &&
        last_line(printed code) !~ /^[ \t]*#[ \t]*define[ \t]/) # a macro's kernel may be any
        return code
    return substr(code, 1, at) "CUDA_CPU_NAMED(" substr(code, at + 1) ")"
}

# The last line of text, with those before that are joined to it by a backslash.
function last_line(text)
{
    sub(/^(.*[^\\])?\n/, "", text)
    return text
}

# A call of cudaLaunchKernel() wants the kernel with its type.
function without_cast(code)
{
    if (match(code, /cudaLaunch(Cooperative)?Kernel[ \t\n]*\([ \t\n]*\((const )?void *\* *\)/))
        return substr(code, 1, RSTART - 1) (substr(code, RSTART, 16) ~ /Coop/ ? \
            "cudaLaunchCooperativeKernel(" : "cudaLaunchKernel(") substr(code, RSTART + RLENGTH)
    return code
}

# An extern __shared__ array: dynamic shared memory by another name. text ends with the semicolon.
function dynamic_shared(text,    type, name, size, newlines)
{
    newlines = text
    gsub(/[^\n]/, "", newlines)
    gsub(/[ \t\r\n]+/, " ", text)
    sub(/extern /, "", text)
    sub(/__shared__ /, "", text)
    sub(/(__align__|alignas) ?\(([^()]|\([^()]*\))*\) ?/, "", text) # the engine aligns to 1024 bytes
    if (!match(text, /[A-Za-z_][A-Za-z_0-9]* ?\[.*\]/))
        return ""
    type = substr(text, 1, RSTART - 1)
    name = size = substr(text, RSTART, RLENGTH)
    sub(/ ?\[.*/, "", name)
    sub(/^[^[]*/, "", size)
    if (within == 0) {
        arrays[name] = "(*(" type "(*)" size ")cuda_cpu::dynamic_shared())"
        return " " newlines
    }
    return type "(&" name ")" size " = *(" type "(*)" size ")cuda_cpu::dynamic_shared();" newlines
}

# code with what stands for the names of arrays that are declared outside functions.
function with_arrays(code,    name, done, at)
{
    for (name in arrays) {
        done = ""
        while (match(code, "(^|[^A-Za-z_0-9.:])" name "([^A-Za-z_0-9]|$)")) {
            at = substr(code, RSTART, length(name)) == name ? RSTART : RSTART + 1
            done = done substr(code, 1, at - 1) (substr(code, at - 2, 2) == "->" ? name : arrays[name])
            code = substr(code, at + length(name))
        }
        code = done code
    }
    return code
}

# Notes a brace that follows `before`: within how many are we that are no namespace's, no extern "C"'s?
function note_brace(brace, before)
{
    gsub(/\/\*[^*]*\*\/|\/\/[^\n]*\n/, "", before)
    if (brace == "{")
        within += is_inner[++level] = before !~ /(^|[^A-Za-z_0-9])(namespace([ \t\n]+[A-Za-z_0-9:]+)?|extern[ \t\n]*"C")[ \t\n]*$/
    else if (brace == "}" && level > 0)
        within -= is_inner[level--]
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

# C++ wants an alignas before the words that __shared__ stands for, and one `static`, which is among them.
function with_alignment_first(code,    shared)
{
    gsub(/static[ \t\n]+__shared__/, "__shared__", code)
    gsub(/__shared__[ \t\n]+static[ \t\n]/, "__shared__ ", code)
    while (match(code, /__shared__[ \t\n]+alignas[ \t\n]*\(([^()]|\([^()]*\))*\)/)) {
        shared = substr(code, RSTART, RLENGTH)
        sub(/__shared__/, "", shared)
        code = substr(code, 1, RSTART - 1) shared " __shared__" substr(code, RSTART + RLENGTH)
    }
    return code
}

# What a declaration, up to its ; or {, wants behind its ; for the managed variables that it has.
function managed_variables(code,    names, i, noted)
{
    gsub(/(^|\n)[ \t]*#[^\n]*|\/\*[^*]*\*\/|\/\/[^\n]*\n|<[^<>]*>/, "\n", code)
    if (within > 0 || code ~ /(^|[^A-Za-z_0-9])extern[ \t\n]+[^"]/ || !sub(/.*__managed__/, "", code))
        return ""
    if (code ~ /[(]/)
        sub(/=.*/, "", code)
    for (i = split(code, names, ","); i > 0; i--) {
        sub(/[={[].*/, "", names[i])
        if (match(names[i], /[A-Za-z_][A-Za-z_0-9]*[ \t\n]*$/))
            noted = " CUDA_CPU_MANAGED(" kernel_word(substr(names[i], RSTART)) ")" noted
    }
    return noted
}

# code with what stands for its last asm, if string, which follows, is PTX: the host's has no dots there.
function refused_ptx(code, string,    call)
{
    if (string !~ /^[ \t]*[{]|[a-z0-9][.][a-z]|^(trap|exit|brkpt);/ ||
        !match(code, /(^|[^A-Za-z_0-9])(__)?asm(__)?([ \t\n]+(__)?(volatile|inline)(__)?)*[ \t\n]*\([ \t\n]*$/))
        return code
    call = substr(code, RSTART)
    gsub(/(__)?(asm|volatile|inline)(__)?/, "", call)
    sub(/\(/, "CUDA_CPU_PTX(", call)
    return substr(code, 1, RSTART - 1) call
}

# How long the string, character or comment is that start opens, without start itself.
function quoted_length(start, text,    end)
{
    end = start == "/*" ? "\\*/" : start == "//" ? "\n" : "^([^\\\\\n" start "]|\\\\.)*[\n" start "]"
    return match(text, end) ? RSTART + RLENGTH - 1 : length(text)
}

FNR == 1 {
    note_kernels(rest)
    rest = ""
}

arch && /^[ \t]*#[ \t]*(el)?if/ {
    while (match($0, /__CUDA_ARCH__[ \t]*[<>=!]/))
        $0 = substr($0, 1, RSTART - 1) arch substr($0, RSTART + 13)
}

{
    if (FNR == 1)
        sub(/^\357\273\277/, "") # a byte order mark
    rest = rest $0 "\n"
}

END {
    note_kernels(rest)
    printf "#line 1 \"%s\"\n", src == "" ? ENVIRON["SRC"] : src
    special = "\"|'|//|/\\*|<<<|>>>|[;{}]|" \
        "extern[ \t\n]+([a-z_0-9]+[ \t\n]+)?__shared__[^;]*;|__shared__[ \t\n]+extern[ \t\n][^;]*;"
    while (match(rest, special)) {
        token = substr(rest, RSTART, RLENGTH)
        before = substr(rest, 1, RSTART - 1)
        rest = substr(rest, RSTART + RLENGTH)
        code = code with_arrays(before)
        if (token == "<<<") {
            code = launched(code) " |cuda_cpu::launch(\"" kernel_name(code) "\", "
            in_launch = 1
        } else if (token == ">>>" && in_launch) {
            code = code ")"
            in_launch = 0
        } else if (token ~ /__shared__/) {
            array = dynamic_shared(token)
            code = code (array == "" ? token : array)
        } else if (token ~ /^[;{}]$/) {
            if (token == ";" || code ~ /=[ \t\n]*$/)
                managed = managed managed_variables((managed == "" ? "" : "__managed__") code)
            note_brace(token, code)
            printf "%s%s", device_variable(with_alignment_first(without_cast(code))), token # what is kept may still name a kernel
            printed = last_line(printed code token)
            if (token == ";" && within == 0) {
                printf "%s", managed
                managed = ""
            }
            code = ""
        } else if (token == "'" && code ~ /[0-9A-Fa-f]$/) {
            code = code token # separates digits: 1'000
        } else {
            n = quoted_length(token, rest)
            if (token == "\"")
                code = refused_ptx(code, substr(rest, 1, n))
            code = code token substr(rest, 1, n)
            rest = substr(rest, n + 1)
        }
    }
    printf "%s%s", code, rest
}
