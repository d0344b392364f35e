# drawings.awk - a lab's drawings, an SVG a rung: what a block, a warp and a thread take of the data, and
# what lies where. All that they show is of the lab's drawings.tsv and its sources' constants.
# usage: awk -v lab=LAB -v out=FOLDER -f report/rungs.awk -f report/drawings.awk
BEGIN {
    id = lab
    sub(/_.*/, "", id)
    read_rungs(lab)
    for (r = 1; r <= rungs && !failed; r++) {
        svg = ""
        draw(rung[r])
        file = out "/" id "_" rung[r] ".svg"
        printf "%s", svg >file
        close(file)
    }
    exit failed
}

function draw(name,    i)
{
    split("", tile); split("", reads); split("", warp); split("", thread)
    numbers_of(name, TILE, tile)
    if (numbers_of(name, READS, reads) == 2) {
        reads[3] = reads[1]
        reads[4] = reads[2]
    }
    lay(warp, numbers_of(name, WARP, warp))
    lay(thread, numbers_of(name, THREAD, thread))
    low = 0
    svg = ""
    draw_block(name)
    draw_warp()
    draw_places(name)
    captions()
    svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 800 " low "\" width=\"800\" height=\"" low "\" " \
        "font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\" role=\"img\"><title>" id " " name "</title>" \
        "<style>.g{fill:#fff}.t{fill:#222}.m{fill:#667}.n{fill:none;stroke:#889}.l{fill:none;stroke:#fff;stroke-opacity:.7;stroke-width:.7}.c{fill:none;stroke:#568;stroke-width:.5}" \
        ".h{fill:#f1f3f6;stroke:#889;stroke-dasharray:3 2}.k{fill:#dfe7f1;stroke:#568}.s{fill:#e9e2c9;stroke:#986}" \
        ".w{fill:#8fb3dd;stroke:#357}.r{fill:#d2491f}.o{fill:none;stroke:#d2491f;stroke-width:1.5}" \
        "@media(prefers-color-scheme:dark){.g{fill:#14181d}.t{fill:#e4e7eb}.m{fill:#9aa5b1}.n{stroke:#78828e}" \
        ".l{stroke:#14181d}.c{stroke:#7fa3c9}.h{fill:#1d232a;stroke:#78828e}.k{fill:#26374a;stroke:#7fa3c9}.s{fill:#423b22;stroke:#b7a265}" \
        ".w{fill:#3f6ea5;stroke:#a9c7ea}.r{fill:#ff7a4d}.o{stroke:#ff7a4d}}</style>" \
        "<rect class=\"g\" width=\"800\" height=\"" low "\" rx=\"6\"/>\n" svg "</svg>\n"
}

# Two lines below the block and two below the warp, under what is drawn deepest.
function captions()
{
    low = int(low) + 22
    text("t", 12, low, caption["block"])
    text("m", 12, low + 16, caption["reads"])
    text("t", 285, low, caption["warp"])
    svg = svg "<rect class=\"r\" x=\"285\" y=\"" low + 7 "\" width=\"9\" height=\"9\"/>"
    text("t", 298, low + 16, caption["thread"])
    low += 28
}

# A share that lies in one piece is there once; pieces that touch are one.
function lay(v, n,    i)
{
    if (n < 6) {
        v[3] = v[4] = 1
        v[5] = v[1]
        v[6] = v[2]
    }
    for (i = 1; i <= 2; i++)
        if (v[4 + i] == v[i]) {
            v[i] *= v[2 + i]
            v[2 + i] = 1
            v[4 + i] = v[i]
        }
    v["wide"] = (v[3] - 1) * v[5] + v[1] # from its first to its last
    v["high"] = (v[4] - 1) * v[6] + v[2]
}

# ---- the block ------------------------------------------------------------------------------------

function draw_block(name,    x, y, sx, sy, d, i)
{
    heading(12, "block")
    if (data == "product") {
        scale_to(tile[1] + reads[1], tile[2] + reads[1], 228, 200)
        d = reads[1] * X < 9 ? 9 : reads[1] * X
        x = 26 + d + 6
        y = 30 + d + 6
        if (x + tile[1] * X > 262 || y + tile[2] * Y > 250)
            scale_to(tile[1], tile[2], 262 - x, 250 - y)
        box("s", x, y - d - 6, tile[1] * X, d)
        box("s", x - d - 6, y, d, tile[2] * Y)
        box("k", x, y, tile[1] * X, tile[2] * Y)
        for (i = 0; i < warp[3]; i++) # what warp 0 takes of the factors
            box("w", x + i * warp[5] * X, y - d - 6, warp[1] * X, d)
        for (i = 0; i < warp[4]; i++)
            box("w", x - d - 6, y + i * warp[6] * Y, d, warp[2] * Y)
        shares(x, y, warp)
        text("t", x + tile[1] * X + 4, y - d / 2 - 2, "B")
        text("t", x - d - 18, y + 10, "A")
        text("t", x + tile[1] * X + 4, y + 12, "C")
        caption["reads"] = "reads " one_of(reads[1], "step", "steps") " of k at a time"
    } else {
        scale_to(tile[1] + reads[1] + reads[3], tile[2] + reads[2] + reads[4], 246, 212)
        x = 14
        y = 30
        if (reads[1] + reads[2] + reads[3] + reads[4])
            box("h", x, y, (tile[1] + reads[1] + reads[3]) * X, (tile[2] + reads[2] + reads[4]) * Y)
        x += reads[1] * X
        y += reads[2] * Y
        box("k", x, y, tile[1] * X, tile[2] * Y)
        shares(x, y, warp)
        caption["reads"] = around() (X != Y ? (around() ? ", " : "") "not to scale" : "")
    }
    caption["block"] = tile[1] " × " tile[2] (data == "product" ? " of C, " : ", ") value_of(of[name, THREADS]) \
        " threads"
}

function one_of(n, one, many)
{
    return n " " (n == 1 ? one : many)
}

# What a picture's block reads around what it makes.
function around()
{
    if (!(reads[1] + reads[2] + reads[3] + reads[4]))
        return ""
    if (reads[1] == reads[3] && reads[2] == reads[4])
        return "reads " (reads[1] == reads[2] ? reads[1] " around" : reads[1] " beside" (reads[2] ? ", " reads[2] " above and below" : ""))
    return "reads " (reads[3] ? reads[3] " more to the right" (reads[4] ? ", " : "") : "") (reads[4] ? reads[4] " below" : "")
}

# The shares of warps in a tile at (x, y): where each lies in one piece all of them, and warp 0's.
function shares(x, y, v,    i, j)
{
    if (v[3] * v[4] == 1)
        lines("c", x, y, tile[1] * X, tile[2] * Y, v[1] * X, v[2] * Y)
    svg = svg "<path class=\"w\" d=\""
    for (j = 0; j < v[4]; j++)
        for (i = 0; i < v[3]; i++)
            svg = svg path_of(x + i * v[5] * X, y + j * v[6] * Y, v[1] * X, v[2] * Y)
    svg = svg "\"/>\n"
}

# ---- the warp -------------------------------------------------------------------------------------

function draw_warp(    left, top, right, below, framed, x, y, i, j, w, h)
{
    heading(285, "warp 0 and thread 0")
    left = data == "product" ? 0 : reads[1]
    top = data == "product" ? 0 : reads[2]
    right = data == "product" ? 0 : reads[3]
    below = data == "product" ? 0 : reads[4]
    framed = left + top + right + below > 0
    scale_to(warp["wide"] + left + right, warp["high"] + top + below, 226, 212)
    x = 287 + left * X
    y = 30 + top * Y
    if (framed)
        box("h", x - left * X, y - top * Y, (warp["wide"] + left + right) * X, (warp["high"] + top + below) * Y)
    svg = svg "<path class=\"w\" d=\""
    for (j = 0; j < warp[4]; j++)
        for (i = 0; i < warp[3]; i++)
            svg = svg path_of(x + i * warp[5] * X, y + j * warp[6] * Y, warp[1] * X, warp[2] * Y)
    svg = svg "\"/>"
    if (warp[3] * warp[4] <= 8)
        for (j = 0; j < warp[4]; j++)
            for (i = 0; i < warp[3]; i++)
                lines("l", x + i * warp[5] * X, y + j * warp[6] * Y, warp[1] * X, warp[2] * Y, thread[1] * X, thread[2] * Y)
    w = thread[1] * X < 3 ? 3 : thread[1] * X
    h = thread[2] * Y < 3 ? 3 : thread[2] * Y
    svg = svg "<path class=\"r\" d=\""
    for (j = 0; j < thread[4]; j++)
        for (i = 0; i < thread[3]; i++)
            svg = svg path_of(x + i * thread[5] * X, y + j * thread[6] * Y, w, h)
    svg = svg "\"/>\n"
    if (framed)
        box("o", x - left * X, y - top * Y, (thread["wide"] + left + right) * X, (thread["high"] + top + below) * Y)
    caption["warp"] = "warp: " taken(warp) (X != Y ? ", not to scale" : "")
    caption["thread"] = "thread: " taken(thread) (framed ? ", needs what is framed" : "")
}

function taken(v)
{
    return v[3] * v[4] == 1 ? v[1] " × " v[2] : v[3] " × " v[4] " times " v[1] " × " v[2]
}

# ---- what lies where ------------------------------------------------------------------------------

function draw_places(name,    y)
{
    heading(530, "what lies where")
    y = place("w", 30, "registers, a thread", with_values(of[name, IN_REGISTERS]))
    if (of[name, SHARED] != "-") {
        y = arrow(y, short(value_of(of[name, SHARED])))
        y = place("s", y, "shared memory, a block", with_values(of[name, IN_SHARED]))
    }
    y = arrow(y, short(value_of(of[name, L2])))
    y = place("k", y, "L2 (and L1), global memory", with_values(of[name, IN_L2]))
}

# A box with its heading and its text in lines; returns where it ends.
function place(class, y, what, all,    word, n, i, line, count, list)
{
    n = split(all, word, " ")
    for (i = 1; i <= n; i++) {
        if (line != "" && length(line " " word[i]) > 35) {
            list[++count] = line
            line = ""
        }
        line = line (line == "" ? "" : " ") word[i]
    }
    list[++count] = line
    box("n", 530, y, 258, 22 + 15 * count)
    svg = svg "<rect class=\"" class "\" x=\"530\" y=\"" y "\" width=\"5\" height=\"" 22 + 15 * count "\"/>"
    text("m", 543, y + 15, what)
    for (i = 1; i <= count; i++)
        text("t", 543, y + 15 + 15 * i, list[i])
    return y + 22 + 15 * count
}

function arrow(y, bytes)
{
    svg = svg "<path class=\"n\" d=\"M552 " y + 24 "v-22m-4 6l4 -6l4 6\"/>"
    text("t", 566, y + 17, bytes " B a " unit["en"])
    return y + 26
}

# ---- SVG ------------------------------------------------------------------------------------------

# Sets X and Y, the points of a unit: the same, but where one side would be too thin to be seen.
function scale_to(w, h, room_x, room_y)
{
    X = room_x / w
    Y = room_y / h
    if (X < Y)
        Y = h * X < 48 ? (48 < room_y ? 48 : room_y) / h : X
    else
        X = w * Y < 48 ? 48 / w : Y
}

function heading(x, what)
{
    svg = svg "<text class=\"t\" x=\"" x "\" y=\"20\" font-weight=\"bold\">" what "</text>\n"
}

function text(class, x, y, what)
{
    gsub(/&/, "\\&amp;", what)
    gsub(/</, "\\&lt;", what)
    svg = svg "<text class=\"" class "\" x=\"" point(x) "\" y=\"" point(y) "\">" what "</text>"
}

function box(class, x, y, w, h)
{
    svg = svg "<path class=\"" class "\" d=\"" path_of(x, y, w, h) "\"/>"
}

function path_of(x, y, w, h)
{
    low = y + h > low ? y + h : low
    return "M" point(x) " " point(y) "h" point(w) "v" point(h) "h" point(-w) "z"
}

# Lines between cells of dx x dy, if they would not fill it.
function lines(class, x, y, w, h, dx, dy,    i)
{
    svg = svg "<path class=\"" class "\" d=\""
    for (i = 1; dx >= 2.5 && i * dx < w - 0.1; i++)
        svg = svg "M" point(x + i * dx) " " point(y) "v" point(h)
    for (i = 1; dy >= 2.5 && i * dy < h - 0.1; i++)
        svg = svg "M" point(x) " " point(y + i * dy) "h" point(w)
    svg = svg "\"/>"
}

function point(value)
{
    return sprintf("%.1f", value) + 0
}
