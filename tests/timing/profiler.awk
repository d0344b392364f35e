# profiler.awk - of Nsight Compute's table (csv.awk) a line for each kernel: what -v file= says, its
# elements, seconds and bytes written to memory. The table's second line holds units, its numbers
# hold a comma at each thousand.
record > 1 {
    print file "," 256 * number("launch__grid_size") "," 1e-9 * number("gpu__time_duration.sum") "," \
        number("dram__bytes_write.sum")
}

function number(name,   text)
{
    text = csv(name)
    gsub(/,/, "", text)
    return text + 0
}
