# resources.awk - what the compiler gave each kernel, as CSV: one row a kernel.
# usage: awk -v lab=lab2_matprod -v architecture=sm_90a -f resources.awk
# The input is what `size -A -d` says of one cubin, then what ptxas -v did.
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

$1 == ".nv.constant3" {
    constant = $2
}
/Compiling entry function/ {
    split($0, part, "'")
    symbol = part[2]
    demangle = "c++filt -p " symbol
    demangle | getline kernel
    close(demangle)
    if (kernel ~ /,/)
        kernel = "\"" kernel "\""
}
/bytes stack frame/ {
    frame = bytes("stack frame") "," bytes("spill stores") "," bytes("spill loads")
}
/Used [0-9]+ registers/ {
    match($0, /Used [0-9]+/)
    print lab "," kernel "," architecture "," substr($0, RSTART + 5, RLENGTH - 5) "," \
        bytes("smem") "," constant + 0 "," frame "," symbol
}
