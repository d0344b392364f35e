# cu2cpp.awk - turns CUDA C into the C++ that g++ takes, with cuda_runtime.h of this folder.
#
# usage: awk -v src=FILE.cu -f cu2cpp.awk FILE.cu >FILE.cpp
#
#   kernel<T><<<g, b, s>>>(args)   cuda_cpu::launch("kernel<T>", kernel<T>, ..., g, b, s)(args)
#   extern __shared__ T name[];    T *name = (T *)cuda_cpu::dynamic_shared();
#   #pragma unroll                 (nothing: g++ unrolls by itself, and warns of the pragma)
#
# Strings and comments are copied as they are. Every newline stays, so one #line at the top makes
# compilers, debuggers and diagnoses speak of the .cu file's lines. Plain awk, mawk included.

# Where the matching bracket that opens the one at the end of text is; 0 if there is none.
function opening_bracket(text, closing,    opening, i, c, depth, inner)
{
    opening = closing == ">" ? "<" : closing == ")" ? "(" : "["
    for (i = length(text); i > 0; i--) {
        c = substr(text, i, 1)
        if (closing == ">" && c == ")") {
            # A > within parentheses compares: skip to the parenthesis that opens.
            inner = opening_bracket(substr(text, 1, i), ")")
            if (!inner)
                return 0
            i = inner
        } else if (c == closing) {
            depth++
        } else if (c == opening && --depth == 0) {
            return i
        }
    }
    return 0
}

# Where the expression that names a kernel, at the end of text, starts; 0 if there is none. It may
# be qualified, have template arguments, or come out of a table: ns::kernel<T, (a > b)>,
# table[i].kernel, entry->kernel, (*pointer).
function kernel_start(text,    i, c, found)
{
    i = length(text)
    for (;;) {
        while (i > 0 && substr(text, i, 1) ~ /[ \t\r\n]/)
            i--
        c = substr(text, i, 1)
        if (c == ">" || c == "]" || (c == ")" && !found)) {
            i = opening_bracket(substr(text, 1, i), c)
            if (!i)
                return 0
            found = i--
            if (c == ")")
                return found
            continue
        }
        if (c !~ /[A-Za-z_0-9]/)
            return 0
        while (i > 0 && substr(text, i, 1) ~ /[A-Za-z_0-9]/)
            i--
        found = i + 1
        if (substr(text, i, 1) == ".")
            i--
        else if (i > 1 && (substr(text, i - 1, 2) == "->" || substr(text, i - 1, 2) == "::"))
            i -= 2
        else
            return found
    }
}

# How many characters of text come before the >>> that ends a launch; -1 if it is no launch.
function configuration_length(text,    i, n, c, depth)
{
    n = length(text)
    for (i = 1; i <= n; i++) {
        c = substr(text, i, 1)
        if (c == "/" && substr(text, i, 2) ~ /\/[\/*]/)
            i += 1 + quoted_length(substr(text, i, 2), substr(text, i + 2))
        else if (c == "\"" || c == "'")
            i += quoted_length(c, substr(text, i + 1))
        else if (c == "(" || c == "[" || c == "{")
            depth++
        else if (c == ")" || c == "]" || c == "}")
            depth--
        else if (c == ";")
            return -1
        else if (!depth && c == ">" && substr(text, i, 3) == ">>>")
            return i - 1
    }
    return -1
}

# A launch: kernel is the text that names it, configuration what stands between <<< and >>>.
function launch(kernel, configuration,    label)
{
    label = kernel
    sub(/[ \t\r\n]+$/, "", label)
    gsub(/[\\"\r\n]/, " ", label)
    return "cuda_cpu::launch(\"" label "\", " kernel ", " \
           "[&](auto &...cuda_cpu_arguments) CUDA_CPU_GLUE { " \
           label "(cuda_cpu_arguments...); }, " configuration ")"
}

# An extern __shared__ array: a pointer to dynamic shared memory. text ends with the semicolon.
function dynamic_shared(text,    type, name, more, newlines)
{
    newlines = text
    gsub(/[^\n]/, "", newlines)
    gsub(/[ \t\r\n]+/, " ", text)
    sub(/extern __shared__ /, "", text)
    sub(/(__align__|alignas) ?\([^)]*\) ?/, "", text) # the engine aligns to 1024 bytes
    if (!match(text, /[A-Za-z_][A-Za-z_0-9]* ?\[ ?\]/))
        return ""
    type = substr(text, 1, RSTART - 1)
    name = substr(text, RSTART, RLENGTH)
    more = substr(text, RSTART + RLENGTH) # the other dimensions and the semicolon
    sub(/ ?\[.*/, "", name)
    sub(/ ?;$/, "", more)
    if (more == "")
        return type "*" name " = (" type "*)cuda_cpu::dynamic_shared();" newlines
    return type "(*" name ")" more " = (" type "(*)" more ")cuda_cpu::dynamic_shared();" newlines
}

# How long the string, character or comment is that start opens, without start itself.
function quoted_length(start, text,    n, length_of_all, c)
{
    length_of_all = length(text)
    if (start == "/*") {
        n = index(text, "*/")
        return n ? n + 1 : length_of_all
    }
    if (start == "//") {
        n = index(text, "\n")
        return n ? n - 1 : length_of_all
    }
    for (n = 1; n <= length_of_all; n++) {
        c = substr(text, n, 1)
        if (c == start || c == "\n")
            return n
        if (c == "\\")
            n++
    }
    return length_of_all
}

# Prints what has been read of the code; what is kept may still name a kernel.
function flush_code()
{
    printf "%s", code
    code = ""
}

{
    rest = rest $0 "\n"
}

END {
    printf "#line 1 \"%s\"\n", src
    special = "\"|'|//|/\\*|<<<|[;{}]|#[ \t]*pragma[ \t]+unroll[^\n]*" \
              "|_Pragma[ \t]*\\([ \t]*\"unroll[^)]*\\)|extern[ \t\n]+__shared__[^;]*;"
    while (match(rest, special)) {
        token = substr(rest, RSTART, RLENGTH)
        code = code substr(rest, 1, RSTART - 1)
        rest = substr(rest, RSTART + RLENGTH)
        if (token == "<<<") {
            start = kernel_start(code)
            n = start ? configuration_length(rest) : -1
            if (n < 0) {
                code = code token
                continue
            }
            kernel = substr(code, start)
            code = substr(code, 1, start - 1) launch(kernel, substr(rest, 1, n))
            rest = substr(rest, n + 4)
        } else if (token ~ /^extern/) {
            array = dynamic_shared(token)
            code = code (array == "" ? token : array)
        } else if (token ~ /^[;{}]$/) {
            code = code token
            flush_code()
        } else if (token ~ /unroll/) {
            continue
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
