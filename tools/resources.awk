# resources.awk - what the compiler gave each kernel, as CSV: one row a kernel.
# usage: awk -v lab=lab2_matprod -v architecture=sm_90a -f resources.awk
# The input is what tools/resources.sh puts together of one cubin: the sections that readelf -SW
# lists, then what ptxas -v says, with names demangled and before each kernel a line `symbol =NAME`
# with its name as it was. The header comes with -v header=1.
#
# local_bytes is the stack frame: arrays indexed at run time and spilled registers; shared_bytes is
# what the kernel declares itself; constant_bytes is what its file declares as __constant__, all
# together: the section .nv.constant3 (bank 3 holds user constants on every architecture since 2.0;
# ptxas of CUDA 13 no longer tells the bytes).

# The number before "bytes NAME" in the line; 0 where there is none.
function bytes(name, at) {
    at = match($0, "[0-9]+ bytes " name)
    return at ? substr($0, at) + 0 : 0
}

function hexadecimal(digits, i, value) {
    for (i = 1; i <= length(digits); i++)
        value = 16 * value + index("0123456789abcdef", tolower(substr(digits, i, 1))) - 1
    return value + 0
}

BEGIN {
    if (header)
        print "lab,kernel,architecture,registers,shared_bytes,constant_bytes,local_bytes," \
            "spill_stores_bytes,spill_loads_bytes,symbol"
}
# [18] .nv.constant3  PROGBITS  address offset size ...
/ \.nv\.constant3 / {
    sub(/.* \.nv\.constant3 +/, "")
    constant = hexadecimal($4)
}
/^symbol =/ {
    symbol = substr($0, 9)
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
    quote = kernel ~ /,/ ? "\"" : ""
    print lab "," quote kernel quote "," architecture "," registers "," bytes("smem") "," \
        constant + 0 "," stack "," stores "," loads "," symbol
}
