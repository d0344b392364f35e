# host_calls.awk - refuses device code that calls the host's functions or uses its variables, and host code
# that calls a kernel without <<<...>>>, as nvcc does.
#
# usage: awk -f host_calls.awk CALLS            exit status 1: something may have to be refused
#        awk -f host_calls.awk CALLS LINES      tells it, with its line; 1: something is refused
#
# CALLS is what g++ -fdump-ipa-visibility=CALLS lists before it inlines anything: functions and variables, and
# who calls and uses which. (-fdump-ipa-cgraph stays empty beside a compiled header.) __global__ and __device__
# are no_reorder in it; the C++ library and the headers here, which are for both sides, are
# visibility_specified (cuda_runtime.h). LINES, by -fdump-tree-gimple-lineno, has statements with their places,
# and attributes, by which a function that is __host__ and __device__ is known.
#
# Passed over are constructors and what else C++ makes itself, what is defined elsewhere and not in `hosts`, and
# what functions for both sides call, for an #ifdef __CUDA_ARCH__ may leave it out.

BEGIN {
    hosts = "^(cudaMemcpy((To|From)Symbol)?|omp_.*|s?rand(om)?|drand48|time|exit|getenv|system|getchar|" \
        "[fs]?scanf|(f|s|sn)printf|f?puts|fputc|std(in|out|err)|f(open|close|read|write|flush)|calloc|" \
        "realloc|qsort|str(len|n?cmp|n?cpy|n?cat|r?chr|str|tol|tod)|ato[ifl])$"
}

# The name in a declaration such as "T space::f(T*) [with T = float]" or "float v [3]".
function name_of(declared)
{
    sub(/ \[with .*/, "", declared)
    if (match(declared, /operator(\(\)|[^A-Za-z_0-9( ]+)/))
        return substr(declared, RSTART, RLENGTH)
    if (match(declared, /\(\* *[A-Za-z_0-9]+/)) # a pointer to functions
        declared = substr(declared, RSTART + 2, RLENGTH - 2)
    sub(/ *[[(<].*/, "", declared)
    sub(/.*[ *&:]/, "", declared)
    return declared
}

# A regular expression for what stands in a statement that calls or uses the name.
function spoken_as(name, is_function)
{
    gsub(/[^A-Za-z_0-9]/, "[&]", name) # an operator's signs
    gsub(/\[\^\]/, "\\^", name)
    return "(^|[^A-Za-z_0-9.])" name (is_function ? "(<.*>)? \\(" : "([^A-Za-z_0-9]|$)")
}

function is_hosts(id)
{
    if (flags[id] ~ / (no_reorder|visibility_specified|artificial|section:cuda_cpu)/)
        return 0
    if (type[id] ~ /^variable/ && (flags[id] ~ / (tls-|read-only)/ || symbol[id] ~ /^_ZZ/))
        return 0 # __shared__, a constant, or a function's own
    if (type[id] ~ /^function/ && symbol[id] ~ /^_Z.*[CD][0-5]E/)
        return 0 # a constructor
    return type[id] ~ /definition/ || name_of(label[id]) ~ hosts
}

# Does a function of the host call what may be a kernel? Such return nothing; LINES tells.
function calls_kernel(caller, callee)
{
    return type[caller] ~ /^function definition/ && type[callee] ~ /^function/ && label[callee] ~ /^void / &&
        flags[caller] !~ / (no_reorder|visibility_specified|artificial)/ && label[caller] !~ /<lambda/ &&
        flags[callee] ~ / no_reorder/ && flags[callee] !~ / visibility_specified/
}

# Notes what of the host's the device's functions speak of, and what may be kernels that the host's call.
function note_all(    caller, list, id, is_device)
{
    for (caller in speaks_of) {
        is_device = caller in of_device
        list = is_device ? speaks_of[caller] : calls_of[caller]
        while (match(list, /\/[0-9]+/)) {
            id = substr(list, RSTART + 1, RLENGTH - 1)
            list = substr(list, RSTART + RLENGTH)
            if (is_device ? !is_hosts(id) : !calls_kernel(caller, id))
                continue
            from[++number] = name_of(label[caller])
            to[number] = name_of(label[id])
            calls[number] = type[id] ~ /^function/
            unconfigured[number] = !is_device
            spoken[number] = spoken_as(to[number], calls[number])
        }
    }
}

# What nvcc says of the i-th.
function refusal(i)
{
    if (unconfigured[i])
        return "a __global__ function call must be configured (\"" to[i] "\", by <<<...>>>)"
    if (calls[i])
        return "calling a __host__ function (\"" to[i] \
            "\") from a __global__ or __device__ function (\"" from[i] "\") is not allowed"
    return "identifier \"" to[i] "\" is undefined in device code (function \"" from[i] "\")"
}

FNR == 1 && ++file == 2 {
    note_all()
}

# ---- CALLS: `symbol/number (declaration) @address`, and lines about it ----

file == 1 && /^[^ ].*\/[0-9]+ \(.* @0x/ {
    match($0, /\/[0-9]+ \(/)
    id = substr($0, RSTART + 1, RLENGTH - 3)
    symbol[id] = substr($0, 1, RSTART - 1)
    label[id] = substr($0, RSTART + RLENGTH)
    sub(/\) @0x.*/, "", label[id])
}
file == 1 && /^  Type: / {
    type[id] = substr($0, 9)
}
file == 1 && /^  (Visibility|Varpool flags):/ {
    flags[id] = flags[id] $0
    if (/ no_reorder/ && type[id] ~ /^function/)
        of_device[id]
}
file == 1 && /^  (References|Calls): / {
    speaks_of[id] = speaks_of[id] $0
}
file == 1 && /^  Calls: / {
    calls_of[id] = calls_of[id] $0
}

# ---- LINES: functions' heads at the line's beginning, each behind its attributes ----

file == 2 && /^__attribute__/ {
    of_both = /no_profile_instrument_function/
    of_kernel = /no_icf/
}
file == 2 && /^[^ _{}\[]|^_[^_]|^__[^a]/ {
    head = $0
    sub(/ \(.*/, "", head)
    speaker = of_both ? "" : name_of(head)
    if (of_kernel)
        is_kernel[speaker]
    of_both = of_kernel = 0
}
file == 2 && match($0, /\[[^\]]*:[0-9]+:[0-9]+\]/) {
    at = substr($0, RSTART + 1, RLENGTH - 2)
    for (i = 1; i <= number; i++)
        if (speaker == from[i] && !(i in place) && match($0, spoken[i]))
            place[i] = at
}

END {
    if (file == 1) {
        note_all()
        exit number > 0
    }
    for (i in place) {
        if (unconfigured[i] && !(to[i] in is_kernel))
            continue
        text = refusal(i)
        if (!told[place[i] text]++) # an instance of a template each
            print place[i] ": error: " text | "sort -t : -k 1,1 -k 2,2n -k 3,3n >&2"
        bad = 1
    }
    exit bad
}
