# try_times.awk - of what Nsight Systems (a line a kernel) or Nsight Compute (a line a launch) wrote, the
# two kernels that take the most time in all: launches and mean time. Behind csv.awk.
record > 0 {
    kernel = csv("Name") csv("Kernel Name")
    n = csv("Instances") == "" ? 1 : csv("Instances") + 0
    launches[kernel] += n
    time = csv("Avg (ns)") csv("Metric Value")
    gsub(/,/, "", time) # 1,000
    total[kernel] += n * time
}

END {
    for (shown = 0; shown < 2; shown++) {
        best = ""
        for (kernel in total)
            if (best == "" || total[kernel] > total[best])
                best = kernel
        if (best == "")
            exit
        name = best
        sub(/^void /, "", name)
        if (length(name) > 36)
            name = substr(name, 1, 33) "..."
        printf "%s: %d launch%s, %.4g us each\n", name, launches[best], launches[best] == 1 ? "" : "es",
            total[best] / launches[best] / 1000
        delete total[best]
    }
}
