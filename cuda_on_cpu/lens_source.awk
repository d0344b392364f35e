# lens_source.awk - readies a preprocessed source for CHECK=lens: what nvcc unrolls is unrolled, so that
# indices become constants, and local arrays are seen.
#
# usage: g++ -E ... FILE.cu.cpp | awk -f cuda_on_cpu/lens_source.awk >FILE.ii
#
#   #pragma unroll      #pragma GCC unroll 64 (or the number that stands there)
#   T array[n];         T array[n]; asm volatile("" ::"r"(array) : "memory"); in functions: its address
#                       is known elsewhere, so -fsanitize=thread sees what is done to it
#
#   struct name {...};  struct name {...}; static const unsigned ..., its size and alignment, outside functions, which
#                       tell the lens by what pieces it is copied
#
# The system's headers and this folder's are copied as they are. Lines stay where they are.

# The arrays that a statement declares, up to its ; or an initialiser's {, with blanks between; empty if it declares
# none. Behind an initialiser more of them may stand, after a comma.
function local_arrays(text,    part, n, i, names)
{
    gsub(/[ \t\n]+/, " ", text)
    sub(/^ /, "", text)
    if (text ~ /^(return|delete|throw|goto|if|else|for|while|switch|case|default|do|static|extern|typedef|using)[^A-Za-z_0-9]/)
        return ""
    while (gsub(/\([^()]*\)/, "", text))
        ;
    gsub(/\[[^\]]*\]/, "[]", text)
    n = split(text, part, ",")
    if (part[1] !~ /^[A-Za-z_][A-Za-z_0-9:<> ]* \**[A-Za-z_][A-Za-z_0-9]*(\[\])* ?([;={]|$)/ && text !~ /^,/)
        return ""
    for (i = 1; i <= n; i++)
        if (part[i] ~ /^[^*=(]*[A-Za-z_0-9](\[\])+ ?([;={]|$)/) {
            sub(/\[.*/, "", part[i])
            sub(/.* /, "", part[i])
            names = names (names == "" ? "" : " ") part[i]
        }
    return names
}

# The structure that an unclosed definition, outside functions and other structures, is of.
function structure(text)
{
    gsub(/[ \t\n]+/, " ", text)
    while (gsub(/\([^()]*\)/, "", text))
        ;
    gsub(/__attribute__|alignas|\[\[[^\]]*\]\]/, "", text)
    if (text !~ /^ *(typedef )? *(struct|class|union) *[A-Za-z_0-9]* *(final)? *(:[^=]*)?$/)
        return ""
    sub(/ *(final)? *(:.*)?$/, "", text)
    sub(/.* /, "", text)
    return text ~ /^(struct|class|union)?$/ ? "?" : text
}

# What tells the size of the structure that ends here; one without a name of its own has a typedef's, or none.
function told(name)
{
    if (name == "?") {
        name = code
        gsub(/[ \t\n]/, "", name)
    }
    return name !~ /^[A-Za-z_][A-Za-z_0-9]*$/ ? "" : " __attribute__((section(\"cuda_cpu_types\"), used)) static const unsigned " \
        "cuda_cpu_type_" name "[2] = {sizeof(" name "), alignof(" name ")};"
}

# Follows braces; what to add behind token, which ends code. Within parentheses, as of a for, nothing is declared.
function behind(token,    names)
{
    if (token == "{") {
        if (!open[braces] && (names = local_arrays(code token)) != "")
            pending[braces] = pending[braces] " " names
        defined[braces] = in_function[braces] || in_structure[braces] ? "" : structure(code)
        in_structure[braces + 1] = in_structure[braces] || code ~ /(^|[^a-z_])(struct|class|union|enum)[^a-z_]/
        open[++braces] = 0
        in_function[braces] = code !~ /(^|[^a-z_])(struct|class|union|enum|namespace|extern "C")[^a-z_]/ ||
            code ~ /\)[ \t\n]*((const|noexcept)[ \t\n]*)*$/
        return ""
    }
    if (token == "}") {
        braces--
        return ""
    }
    if (defined[braces] != "") {
        names = told(defined[braces])
        defined[braces] = ""
        return names
    }
    names = in_function[braces] && !open[braces] ? pending[braces] " " local_arrays(code token) : ""
    pending[braces] = ""
    gsub(/[^ ]+/, "asm volatile(\"\" ::\"r\"(&) : \"memory\");", names)
    return names
}

# Prints a line, with what is added behind its statements.
function rewrite(line,    token)
{
    while (match(line, /[;{}()]|"([^"\\]|\\.)*"|'([^'\\]|\\.)*'/)) {
        token = substr(line, RSTART, RLENGTH)
        printf "%s", substr(line, 1, RSTART + RLENGTH - 1)
        code = code substr(line, 1, RSTART - 1)
        line = substr(line, RSTART + RLENGTH)
        if (token ~ /^[;{}]$/) {
            printf "%s", behind(token)
            code = ""
        } else {
            open[braces] += (token == "(") - (token == ")")
            code = code token
        }
    }
    print line
    code = code line "\n"
}

BEGIN {
    braces = 0
}
/^# [0-9]+ "/ {
    mine = $0 !~ /" .*3|"<|cuda_on_cpu\/[a-z_]*[.]h/
    print
    next
}
mine && /^#[ \t]*pragma unroll/ {
    print "#pragma GCC unroll " (match($0, /[0-9]+[ \t]*$/) ? substr($0, RSTART) : 64)
    next
}
mine && !/^#/ {
    rewrite($0)
    next
}
{
    print
}
