# row.awk - a row of results in words, for programs behind csv.awk: which case it is, and a time.

# A block as on the command line; empty for what has none.
function block()
{
    return csv("block_x") == "" ? "" : csv("block_x") "x" csv("block_y")
}

function size()
{
    if (csv("depth") == csv("width") && csv("height") == csv("width"))
        return csv("width")
    return csv("width") (csv("height") + 0 > 1 ? "x" csv("height") : "") \
        (csv("depth") + 0 > 1 ? "x" csv("depth") : "")
}

# The parameters, and of variants for several GPUs on how many they ran; empty where nothing is
# said.
function conditions()
{
    return csv("parameters") (csv("gpus") == "" ? "" : ";gpus=" csv("gpus") \
        (csv("nodes") + 0 > 1 ? ";nodes=" csv("nodes") : ""))
}

function duration(s)
{
    if (s < 1e-6)
        return sprintf("%.4g ns", 1e9 * s)
    if (s < 1e-3)
        return sprintf("%.4g us", 1e6 * s)
    return s < 1 ? sprintf("%.4g ms", 1e3 * s) : sprintf("%.4g s", s)
}
