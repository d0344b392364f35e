# static_shared.awk - refuses a function with more than 48 KiB of static shared memory, as ptxas does
# for all cards before 9.0.
#
# usage: readelf -sWC FILE.o | awk -v src=FILE.cu -f static_shared.awk
#
# Shared arrays are thread-local variables of their functions. What a kernel's own functions have is
# not added to what it has itself.

# readelf writes large sizes in hex.
$4 == "TLS" && match($0, /::[^:()]*$/) {
    name = substr($0, 1, RSTART - 1)
    sub(/^ *([^ ]+ +)+(DEFAULT|HIDDEN) +[^ ]+ /, "", name)
    total[name] += $3 ~ /^0x/ ? 1e5 : $3
}

END {
    for (name in total)
        if (total[name] > 48 * 1024) {
            printf "%s: %s uses too much static shared memory (%s bytes, %d at most)\n",
                src, name, total[name] < 1e5 ? total[name] : "over 99999", 48 * 1024 >"/dev/stderr"
            bad = 1
        }
    exit bad
}
