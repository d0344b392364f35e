# resources.awk - what ptxas -v says of each kernel, as CSV: one row a kernel.
# usage: nvcc -Xptxas -v ... 2>&1 | c++filt | awk -v lab=lab2_matprod -v architecture=sm_90a -f resources.awk
# The header comes with -v header=1. local_bytes is the stack frame: arrays indexed at run time and
# spilled registers; shared_bytes and constant_bytes are what the kernel declares itself.

# The number before "bytes NAME" in the line; 0 where there is none.
function bytes(name, at) {
    at = match($0, "[0-9]+ bytes " name)
    return at ? substr($0, at) + 0 : 0
}

BEGIN {
    if (header)
        print "lab,kernel,architecture,registers,shared_bytes,constant_bytes,local_bytes,spill_stores_bytes,spill_loads_bytes"
}
/Compiling entry function/ {
    kernel = $0
    sub(/.*Compiling entry function '/, "", kernel)
    sub(/' for '.*/, "", kernel)
    sub(/^void /, "", kernel)
    sub(/\(.*/, "", kernel)
}
/bytes stack frame/ {
    stack = bytes("stack frame")
    stores = bytes("spill stores")
    loads = bytes("spill loads")
}
/Used [0-9]+ registers/ {
    match($0, /Used [0-9]+/)
    registers = substr($0, RSTART + 5, RLENGTH - 5) + 0
    constant = 0
    for (bank = 0; bank < 8; bank++)
        constant += bytes("cmem\\[" bank "\\]")
    quote = kernel ~ /,/ ? "\"" : ""
    print lab "," quote kernel quote "," architecture "," registers "," bytes("smem") "," constant "," \
        stack "," stores "," loads
}
