# readme.awk - a lab's README with the H200's times written anew: the table between the line
# `<!-- h200 SIZE SIZE -->` and `<!-- end -->` is made of tables/best_by_size.csv, that behind
# `<!-- table NAME COLUMN ... -->` is tables/NAME.csv, that behind `<!-- rung NAME -->` the rung's drawing
# and its three lines of arithmetic, by arithmetic.csv beside these and the lab's drawings.tsv, that
# behind `<!-- rungs NAME NAME ... -->` a line for each, with links to the drawings; headings are the
# labels of README.xx.md's language. A lab counts operations of floats or of integers.
# usage: awk -v lab=LAB -v readme=LAB/README.md -f tools/csv.awk -f report/markdown.awk \
#            -f report/rungs.awk -f report/readme.awk CSV
BEGIN {
    language = match(readme, /[.][a-z][a-z][.]md$/) ? substr(readme, RSTART + 1, 2) : "en"
    read_labels("report/labels." language ".tsv")
}

record > 0 && csv("lab") == lab {
    name = csv("variant")
    if (!(name in seen))
        variant[++variants] = name
    seen[name]
    noise = csv("noise_percent") + 0
    rate = csv("gop_per_s") > "" ? "gop_per_s" : csv("gflop_per_s") > "" ? "gflop_per_s" : rate
    cells[name, csv("size")] = " " with_unit(csv("time_ms") / 1e3) " | " csv("block") " | " \
        digits(csv("gb_per_s")) " | " digits(csv("gop_per_s") csv("gflop_per_s")) " | " \
        digits(csv("speedup")) " |"
}

function digits(value)
{
    return value == "" ? "" : in_table(value, "", noise, "")
}

function with_unit(seconds)
{
    return seconds >= 1 ? digits(seconds) " s" : seconds >= 1e-3 ? \
        digits(1e3 * seconds) " ms" : digits(1e6 * seconds) " us"
}

function print_table(size, sizes,    heading, rule, text, v, s)
{
    for (s = 1; s <= sizes; s++) {
        heading = heading " " size[s] " | " label_of("block") " | " label_of("gb_per_s") " | " \
            label_of(rate) " | " label_of("speedup") " |"
        rule = rule "---|---|---|---|---|"
    }
    print "| " label_of("variant") " |" heading
    print "|---|" rule
    for (v = 1; v <= variants; v++) {
        text = ""
        for (s = 1; s <= sizes; s++)
            text = text ((variant[v], size[s]) in cells ? cells[variant[v], size[s]] : \
                "  |  |  |  |  |")
        if (text ~ /[0-9]/)
            print "| `" variant[v] "` |" text
    }
}

END {
    folder = FILENAME
    sub(/[^\/]*$/, "", folder)
    while ((getline line < readme) > 0) {
        if (line == "<!-- end -->")
            is_in = 0
        if (!is_in)
            print line
        if (line ~ /^<!-- h200 [0-9x ]* -->$/) {
            sizes = split(substr(line, 11, length(line) - 14), size, " ")
            print_table(size, sizes)
            is_in = 1
        } else if (line ~ /^<!-- table [a-z0-9_ ]+ -->$/) {
            print table_of(folder, substr(line, 12, length(line) - 15))
            is_in = 1
        } else if (line ~ /^<!-- rungs? [a-z0-9_ ]+ -->$/) {
            if (!rungs) {
                read_rungs(lab)
                read_times(folder "arithmetic.csv")
            }
            names = split(substr(line, 6, length(line) - 9), name_of, " ")
            if (name_of[1] == "rung")
                print_rung(name_of[2])
            else
                print_rungs(names, name_of)
            is_in = 1
        }
    }
}

# ---- a rung's drawing and its arithmetic ----------------------------------------------------------

# Row of each variant: that of the ladder, and that of each work.
function read_times(path,    rows, r, key)
{
    rows = read_table(path, time, at)
    for (r = 1; r <= rows; r++)
        if (time[r, at["lab"]] == lab) {
            key = time[r, at["variant"]]
            row_of[key, time[r, at["work"]], time[r, at["size"]]] = r
            if (time[r, at["is_rung"]] == 1)
                ladder_row[key] = r
        }
}

function cell_of(r, name)
{
    return time[r, at[name]]
}

# What a row's work is in units.
function units_of(r)
{
    parameter["width"] = cell_of(r, "width")
    parameter["height"] = cell_of(r, "height")
    parameter["flops"] = cell_of(r, "flops") + 0
    parameter["int_ops"] = cell_of(r, "int_ops") + 0
    return value_of(unit_count)
}

# The operations of tensor cores for a unit; `tensor_time` is what all of the row's take.
function tensor_operations(name, r,    all, one, n, i, operations)
{
    tensor_time = 0
    n = split(of[name, TENSOR], all, " ")
    for (i = 1; i <= n; i++)
        if (split(all[i], one, "=") == 2) {
            operations += value_of(one[2])
            tensor_time += value_of(one[2]) * units_of(r) / cell_of(r, one[1])
            tensor_unit = one[1] ~ /int32/ ? "INT32" : "tensor cores"
        }
    return operations
}

# The time that the lens's model expects, by the unit `busiest`; of a rung on tensor cores, of which it cannot
# tell, theirs or memory's, whichever is longer; else 0.
function expected_time(name, r)
{
    if (cell_of(r, "estimate_s") > 0) {
        busiest = cell_of(r, "expected")
        return cell_of(r, "estimate_s") + 0
    }
    if (!tensor_operations(name, r))
        return 0
    busiest = tensor_time > cell_of(r, "DRAM") + 0 ? tensor_unit : "DRAM"
    return tensor_time > cell_of(r, "DRAM") + 0 ? tensor_time : cell_of(r, "DRAM") + 0
}

# For a unit: instructions, by the profiler; of tensor cores operations.
function counted(name, r)
{
    if (of[name, TENSOR] != "-")
        return tensor_operations(name, r)
    return cell_of(r, "instructions") > 0 ? cell_of(r, "instructions") / units_of(r) : ""
}

function bytes_moved(name)
{
    return value_of(of[name, of[name, SHARED] == "-" ? L2 : SHARED])
}

# `before→after`, or what there is of them.
function change(before, after)
{
    before = before == "" ? "" : rounded(before, 2)
    after = after == "" ? "" : rounded(after, 2)
    return (before == "" || after == "" || before == after ? "" : before "→") after
}

function extent(name, column,    v, n)
{
    n = numbers_of(name, column, v)
    return n < 6 ? v[1] "x" v[2] : v[1] * v[3] "x" v[2] * v[4]
}

# A rung's row, and that of the rung before it with the same work, if it has one; "" without.
function find_rows(name)
{
    if (!((name, AGAINST) in of))
        die(readme ": " name " is not in " lab "/drawings.tsv")
    against = of[name, AGAINST] == "-" ? "" : of[name, AGAINST]
    r = ladder_row[name]
    b = against == "" ? "" : (against, cell_of(r, "work"), cell_of(r, "size")) in row_of ? \
        row_of[against, cell_of(r, "work"), cell_of(r, "size")] : ladder_row[against]
}

# "lab2_naive": what files are called that are about a rung
function file_of(name,    id)
{
    id = lab
    sub(/_.*/, "", id)
    return id "_" name
}

function drawing_of(name)
{
    return "../docs/drawings/" file_of(name) ".svg"
}

function print_rungs(names, name_of,    ja, i, name)
{
    ja = language == "ja"
    print "| " label_of("variant") (ja ? " | ブロック | " unit["ja"] "あたり L2 から / B | 実測 |" : \
        " | a block makes | from L2 / B a " unit["en"] " | measured |")
    print "|---|---|---|---|"
    for (i = 2; i <= names; i++) {
        name = name_of[i]
        find_rows(name)
        print "| [`" name "`](" drawing_of(name) ") | " extent(name, TILE) " | " \
            change(value_of(of[against, L2]), value_of(of[name, L2])) " | " \
            (r == "" ? "" : measured(r, b, ja) " ") "|"
    }
}

# The page of what the kernel does to the memory, if there is one: its drawing leads to it.
function page_of(name,    page, line, found)
{
    page = "docs/lens/" file_of(name) ".html"
    found = (getline line < page) > 0
    close(page)
    return found ? "../" page : ""
}

function print_rung(name,    ja, now, ahead, line, page)
{
    find_rows(name)
    ja = language == "ja"
    page = page_of(name)
    printf "%s![%s: %s](%s)%s\n\n", page == "" ? "" : "[", name, (ja ? "ブロック " : "block ") \
        extent(name, TILE) (ja ? "、ワープ " : ", warp ") extent(name, WARP) \
        (ja ? "、スレッド " : ", thread ") extent(name, THREAD), drawing_of(name), page == "" ? "" : "](" page ")"

    line = change(against == "" ? "" : bytes_moved(against), bytes_moved(name))
    ahead = change(against == "" ? "" : value_of(of[against, L2]), value_of(of[name, L2]))
    now = r == "" ? "" : change(against == "" || (of[against, TENSOR] == "-") != (of[name, TENSOR] == "-") ? "" : \
        counted(against, ladder_row[against]), counted(name, r))
    if (ja)
        print "- " unit["ja"] "あたり：移動 " line " B" (ahead == line ? "" : "、L2 から " ahead " B") \
            (now == "" ? "" : (of[name, TENSOR] == "-" ? "、命令 " : "、演算 ") now) "。"
    else
        print "- A " unit["en"] ": " line " B moved" (ahead == line ? "" : ", " ahead " from L2") \
            (now == "" ? "" : ", " now (of[name, TENSOR] == "-" ? " instructions" : " operations")) "."
    if (r == "")
        return
    now = expected_time(name, r)
    line = label_of(busiest)
    ahead = b == "" ? 0 : expected_time(against, ladder_row[against])
    if (b == "" && now)
        print ja ? "- 期待：" with_unit(now) "（" line "）。" : "- Expected: " with_unit(now) ", by " line "."
    else if (now && ahead) {
        ahead = ahead / units_of(ladder_row[against]) / now * units_of(r)
        print ja ? "- 期待：" rounded(ahead, 2) " 倍（" line "）。" : \
            "- Expected: " rounded(ahead, 2) " times, by " line "."
    }
    print (ja ? "- 実測：" : "- Measured: ") measured(r, b, ja) profiled(r, ja) (ja ? "。" : ".")
}

# Times, rounded by how noisy they are.
function measured(r, b, ja,    now, before, gain)
{
    noise = cell_of(r, "noise_percent") + 0
    now = with_unit(cell_of(r, "time_s") + 0)
    if (b == "")
        return now
    gain = significant(cell_of(b, "time_s") / cell_of(r, "time_s"), 3 - (noise >= 5))
    noise = cell_of(b, "noise_percent") + 0
    before = with_unit(cell_of(b, "time_s") + 0)
    if (substr(before, index(before, " ")) == substr(now, index(now, " ")))
        sub(/ .*/, "", before) # a unit is said once
    return gain (ja ? " 倍、" : " times, ") before "→" now \
        (cell_of(b, "work") == cell_of(r, "work") ? "" : ja ? "（別の仕事）" : " (other work)")
}

function profiled(r, ja)
{
    if (cell_of(r, "stall") == "")
        return ""
    return (ja ? "。" : "; ") label_of(cell_of(r, "leading")) " " \
        rounded(cell_of(r, "share_percent"), 2) " %" in_block(cell_of(r, "counted_block"), ja) \
        (ja ? "、" : ", ") "`" cell_of(r, "stall") "`"
}

function in_block(block, ja)
{
    return block == "" ? "" : ja ? "（ブロック " block "）" : " (block " block ")"
}
