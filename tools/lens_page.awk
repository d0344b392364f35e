# lens_page.awk - pages of the lens's rows, one a kernel: tools/lens_page.html with the numbers in it.
# usage: awk -v pages=FOLDER -v tools=tools [-v side_by_side=1] -f csv.awk -f lens_page.awk ROWS.csv
# Prints the pages' paths: FOLDER/lab2_VARIANT.html, with a number behind the variant's second kernel and
# those that follow it; side by side one page has the first kernels of two cases. Sources are read where the
# rows say they are, from this folder on.

function quoted(text)
{
    gsub(/\\/, "\\\\", text)
    gsub(/"/, "\\\"", text)
    gsub(/\t/, "    ", text)
    gsub(/[\001-\037]/, "", text)
    gsub(/<\//, "<\\/", text)
    return "\"" text "\""
}

# Reads a source; its lines are source[file, 1] .. source[file, lines[file]].
function read_source(file,    line)
{
    if (file in lines)
        return
    lines[file] = 0
    while ((getline line < file) > 0) {
        sub(/\r$/, "", line)
        source[file, ++lines[file]] = line
    }
    close(file)
}

# An object of JSON from names and numbers: "req lanes", of the record's columns of these names.
function members(names, columns_of,    name, column_of, n, i, text)
{
    n = split(names, name, " ")
    split(columns_of, column_of, " ")
    for (i = 1; i <= n; i++)
        text = text (i > 1 ? "," : "") "\"" name[i] "\":" (csv(column_of[i]) + 0)
    return text
}

# What tools/lens_time.sh said of each case.
function read_times(    line, colon)
{
    while (times != "" && (getline line < times) > 0)
        if (colon = index(line, ": "))
            time_of[substr(line, 7, colon - 7)] = substr(line, colon + 2)
}

function remember_kernel(id,    n)
{
    kernel[++kernels] = id
    split(csv("block"), n, "x")
    label[id] = csv("variant")
    if (label[id] == "")
        label[id] = kernel_word(csv("kernel"))
    page_of[id] = substr(csv("lab"), 1, index(csv("lab") "_", "_") - 1) "_" label[id]
    gsub(/[^A-Za-z0-9_]+/, "_", page_of[id])
    number[id] = ++of_page[page_of[id]]
    page_of[id] = page_of[id] (number[id] > 1 ? "_" number[id] : "")
    lab_of[id] = csv("lab")
    head[id] = "\"lab\":" quoted(csv("lab")) ",\"variant\":" quoted(label[id]) ",\"kernel\":" \
        quoted(csv("kernel")) ",\"size\":" quoted(csv("width") == "" ? "" : csv("width") (csv("height") > 1 ? " x " csv("height") : "") \
        (csv("depth") == "" ? "" : " x " csv("depth"))) ",\"grid\":" quoted(csv("grid")) ",\"block\":" \
        quoted(csv("block")) ",\"threads\":" n[1] * n[2] * n[3] ",\"regs\":" csv("registers") + 0 ",\"divergent\":" \
        (csv("warps") > 0 ? csv("divergent") / csv("warps") : 0) "," \
        members("shared sampled blocks launches", "shared_bytes sampled blocks launches") \
        ",\"time\":" quoted(time_of[csv("variant") " " csv("width") "x" csv("height") (csv("depth") == "" ? "" : "x" csv("depth"))])
    card = csv("card")
}

function add_row(id,    at)
{
    at = id SUBSEP csv("file") SUBSEP csv("line")
    if (csv("file") == "" || csv("line") == "")
        return
    if (!((id, csv("file")) in files)) {
        files[id, csv("file")]
        file_name[id, ++file_count[id]] = csv("file")
    }
    has[at]
    if (csv("access") == "barrier")
        barriers[at] += csv("requests")
    else if (csv("space") == "code") {
        requests[at] += csv("requests")
        active[at] += csv("lanes")
    } else {
        weight[id, csv("file")]++
        accesses[at] = accesses[at] (accesses[at] == "" ? "" : ",") "{\"space\":\"" csv("space") "\",\"access\":\"" \
            csv("access") "\"," members("each req lanes sectors least tags same l2 dram", \
            "bytes_each requests lanes sectors least_sectors tags same_address l2_sectors dram_sectors") \
            (csv("filled_sectors") + 0 ? ",\"filled\":" csv("filled_sectors") : "") \
            (csv("active_lanes") + 0 == 2 ^ 32 - 1 ? "" : ",\"on\":" csv("active_lanes")) \
            ",\"addr\":[" (++drawn[at] > 3 ? "" : commas(csv("addresses"))) "]}" # the first are enough to draw
    }
}

function commas(text)
{
    gsub(/ /, ",", text)
    return text
}

function line_of(id, file, n,    at)
{
    at = id SUBSEP file SUBSEP n
    return "{\"n\":" n ",\"file\":" quoted(file) ",\"text\":" quoted(source[file, n]) ",\"acc\":[" accesses[at] "]" \
        (at in barriers ? ",\"bar\":" barriers[at] : "") (at in requests ? \
        ",\"req\":" requests[at] ",\"lanes\":" active[at] : "") "}"
}

# The kernel's name without its template arguments and namespaces.
function kernel_word(name)
{
    sub(/<.*/, "", name)
    sub(/.*[: ]/, "", name)
    return name
}

# The lines of a file that a page shows: those that ran, and what lies between them; of the kernel's own
# file from its head to its end.
function lines_of(id, file, own,    n, last, text, gap)
{
    read_source(file)
    gap = own ? 15 : 3
    for (n = 1; n <= lines[file] || (n <= 1 && (id, file, n) in has); n++) {
        if (!((id, file, n) in has))
            continue
        for (last = last && n - last <= gap ? last + 1 : own ? head_above(file, n, last) : n; last < n; last++)
            text = text (text == "" ? "" : ",") line_of(id, file, last)
        text = text (text == "" ? "" : ",") line_of(id, file, n)
        last = n
    }
    for (n = last + 1; own && n <= lines[file] && n < last + 12 && source[file, n - 1] !~ /^}/; n++)
        text = text "," line_of(id, file, n)
    return text
}

# Where the function begins whose line n is; below `above`.
function head_above(file, n, above,    k)
{
    for (k = n; k > above + 1 && n - k < 12 && source[file, k] !~ /^[A-Za-z_]/; k--)
        ;
    return k > 1 && source[file, k - 1] ~ /^template/ ? k - 1 : k
}

function object(id,    i, own, text, part)
{
    own = 1
    for (i = 2; i <= file_count[id]; i++)
        if (weight[id, file_name[id, i]] > weight[id, file_name[id, own]])
            own = i
    text = lines_of(id, file_name[id, own], 1)
    for (i = 1; i <= file_count[id]; i++)
        if (i != own && (part = lines_of(id, file_name[id, i], 0)) != "")
            text = text "," part
    return "{" head[id] ",\"lines\":[" text "]}"
}

function card_object(    line, f)
{
    while ((getline line < (tools "/cards.tsv")) > 0)
        if (split(line, f, "\t") > 10 && f[1] == card)
            line_found = sprintf("{\"name\":\"%s\",\"sms\":%d,\"shared\":%d,\"threads\":%d,\"blocks\":%d,\"mhz\":%d,\"l2\":%de9,\"dram\":%de9}", \
                f[1], f[2], f[5], f[6], f[7], f[8], f[9], f[10])
    close(tools "/cards.tsv")
    return line_found
}

function write_page(path, title, objects,    line)
{
    while ((getline line < (tools "/lens_page.html")) > 0) {
        if (line == "const P=@DATA@")
            line = "const P={\"card\":" card_object() ",\"kernels\":[" objects "]}"
        sub(/@TITLE@/, title, line)
        print line > path
    }
    close(path)
    close(tools "/lens_page.html")
    print path
}

record == 0 {
    read_times()
}
record > 0 {
    id = csv("variant") SUBSEP csv("width") SUBSEP csv("height") SUBSEP csv("block_x") SUBSEP csv("block_y") SUBSEP \
        csv("kernel") SUBSEP csv("launched_at") SUBSEP csv("grid") SUBSEP csv("block") SUBSEP csv("shared_bytes")
    if (!(id in number))
        remember_kernel(id)
    add_row(id)
}
END {
    if (side_by_side) {
        for (i = 1; i <= kernels && !second; i++)
            if (number[kernel[i]] == 1 && kernel[i] != kernel[1])
                second = kernel[i]
        write_page(pages "/" page_of[kernel[1]] "_and_" label[second] ".html", label[kernel[1]] " and " label[second], \
            object(kernel[1]) "," object(second))
        exit
    }
    for (i = 1; i <= kernels; i++)
        if (weight_of_all(kernel[i]))
            write_page(pages "/" page_of[kernel[i]] ".html", lab_of[kernel[i]] ": " label[kernel[i]], object(kernel[i]))
}

# Does it touch memory?
function weight_of_all(id,    i, all)
{
    for (i = 1; i <= file_count[id]; i++)
        all += weight[id, file_name[id, i]]
    return all
}
