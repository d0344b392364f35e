# drawings.awk - a lab's drawings, an SVG a rung: what a block, a warp and a thread take of the data, and
# what lies where. All that they show is of the lab's drawings.tsv and its sources' constants.
# usage: awk -v lab=LAB -v out=FOLDER -f report/rungs.awk -f report/drawings.awk
BEGIN {
    style = ".g{fill:#fff}.t{fill:#222}.m{fill:#667}.n{fill:none;stroke:#889}.l,.c{fill:none;stroke-width:.6}" \
        ".l{stroke:#fff}.c{stroke:#568}.h{fill:#f1f3f6;stroke:#889;stroke-dasharray:3 2}" \
        ".k{fill:#dfe7f1;stroke:#568}.s{fill:#e9e2c9;stroke:#986}.w{fill:#8fb3dd;stroke:#357}" \
        ".r{fill:#d2491f}.o{fill:none;stroke:#d2491f}@media(prefers-color-scheme:dark){.g{fill:#14181d}" \
        ".t{fill:#e4e7eb}.m{fill:#9aa5b1}.n{stroke:#78828e}.l{stroke:#14181d}.c{stroke:#7fa3c9}" \
        ".h{fill:#1d232a;stroke:#78828e}.k{fill:#26374a;stroke:#7fa3c9}.s{fill:#423b22;stroke:#b7a265}" \
        ".w{fill:#3f6ea5;stroke:#a9c7ea}.r{fill:#ff7a4d}.o{stroke:#ff7a4d}}"
    id = lab
    sub(/_.*/, "", id)
    read_rungs(lab)
    for (r = 1; r <= rungs; r++) {
        file = out "/" id "_" rung[r] ".svg"
        draw(rung[r])
        printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 800 %d\" width=\"800\" height=\"%d\" " \
            "font-family=\"Helvetica,Arial,sans-serif\" font-size=\"12\" role=\"img\"><title>%s %s</title>" \
            "<style>%s</style><rect class=\"g\" width=\"800\" height=\"%d\" rx=\"6\"/>%s</svg>\n", low, low, id, \
            rung[r], style, low, svg >file
        close(file)
    }
}

function draw(name,    n, y)
{
    svg = ""
    depth = low = 0
    split("", halo)
    numbers_of(name, TILE, tile)
    lay(warp, numbers_of(name, WARP, warp))
    lay(thread, numbers_of(name, THREAD, thread))
    n = numbers_of(name, READS, halo)
    if (n == 2) {
        halo[3] = halo[1]
        halo[4] = halo[2]
    }
    if (n == 1) {
        depth = halo[1]
        halo[1] = 0
        draw_factors()
    } else
        draw_part(14, 246, tile[1], tile[2])
    write("t\" font-weight=\"bold", 12, 20, "block")
    caption["block"] = tile[1] " × " tile[2] (depth ? " of C, " : ", ") value_of(of[name, THREADS]) \
        " threads" (X != Y ? ", not to scale" : "")
    caption["reads"] = depth ? "reads " depth (depth == 1 ? " step" : " steps") " of k at a time" : around()
    draw_warp(n && !depth)
    y = place("w", 30, "registers, a thread", of[name, IN_REGISTERS])
    if (of[name, SHARED] != "-")
        y = place("s", arrow(y, of[name, SHARED]), "shared memory, a block", of[name, IN_SHARED])
    place("k", arrow(y, of[name, L2]), "L2 (and L1), global memory", of[name, IN_L2])
    write("t\" font-weight=\"bold", 530, 20, "what lies where")

    low = int(low) + 22 # captions stand under what is drawn deepest
    write("t", 12, low, caption["block"])
    write("m", 12, low + 16, caption["reads"])
    write("t", 285, low, caption["warp"])
    svg = svg "<rect class=\"r\" x=\"285\" y=\"" low + 7 "\" width=\"9\" height=\"9\"/>"
    write("t", 298, low + 16, caption["thread"])
    low += 28
}

# A share that lies in one piece is there once; pieces that touch are one. `wide` and `high`: from the
# first to the last.
function lay(v, n,    i)
{
    for (i = 1; i <= 2; i++)
        if (n < 6 || v[4 + i] == v[i]) {
            v[i] *= n < 6 ? 1 : v[2 + i]
            v[2 + i] = 1
            v[4 + i] = v[i]
        }
    v["wide"] = (v[3] - 1) * v[5] + v[1]
    v["high"] = (v[4] - 1) * v[6] + v[2]
}

# ---- block, warp and thread -----------------------------------------------------------------------

# A product's tile, and the slabs of A and B that it is made of, with what warp 0 takes of them.
function draw_factors(    x, y, d, i)
{
    scale_to(tile[1] + depth, tile[2] + depth, 228, 200)
    d = depth * X < 9 ? 9 : depth * X
    x = y = 32 + d
    if (x + tile[1] * X > 262 || y + tile[2] * Y > 250)
        scale_to(tile[1], tile[2], 262 - x, 250 - y)
    y += 4
    box("s", x, y - d - 6, tile[1] * X, d)
    box("s", x - d - 6, y, d, tile[2] * Y)
    for (i = 0; i < warp[3]; i++)
        box("w", x + i * warp[5] * X, y - d - 6, warp[1] * X, d)
    for (i = 0; i < warp[4]; i++)
        box("w", x - d - 6, y + i * warp[6] * Y, d, warp[2] * Y)
    draw_tile(x, y)
    write("t", x + tile[1] * X + 4, y - d / 2 - 2, "B")
    write("t", x - d - 18, y + 10, "A")
    write("t", x + tile[1] * X + 4, y + 12, "C")
}

# A part of a picture, w x h, and the halo around it; sets px and py to where it is.
function draw_part(x, room, w, h)
{
    scale_to(w + halo[1] + halo[3], h + halo[2] + halo[4], room, 212)
    px = x + halo[1] * X
    py = 30 + halo[2] * Y
    framed("h", w, h)
    if (x == 14)
        draw_tile(px, py)
}

# What lies w x h from (px, py) on, and the halo.
function framed(class, w, h)
{
    if (halo[1] + halo[2] + halo[3] + halo[4])
        box(class, px - halo[1] * X, py - halo[2] * Y, (w + halo[1] + halo[3]) * X, (h + halo[2] + halo[4]) * Y)
}

# Warp 0 in the tile; where warps lie in one piece all of them.
function draw_tile(x, y)
{
    box("k", x, y, tile[1] * X, tile[2] * Y)
    if (warp[3] * warp[4] == 1)
        lines("c", x, y, tile[1] * X, tile[2] * Y, warp[1] * X, warp[2] * Y)
    pieces("w", x, y, warp, 0)
}

function draw_warp(has_halo,    i, j)
{
    draw_part(287, 226, warp["wide"], warp["high"])
    pieces("w", px, py, warp, 0)
    for (j = 0; j < warp[4] && warp[3] * warp[4] <= 8; j++)
        for (i = 0; i < warp[3]; i++)
            lines("l", px + i * warp[5] * X, py + j * warp[6] * Y, warp[1] * X, warp[2] * Y, \
                thread[1] * X, thread[2] * Y)
    pieces("r", px, py, thread, 3)
    framed("o", thread["wide"], thread["high"])
    write("t\" font-weight=\"bold", 285, 20, "warp 0 and thread 0")
    caption["warp"] = "warp: " taken(warp) (X != Y ? ", not to scale" : "")
    caption["thread"] = "thread: " taken(thread) (has_halo ? ", needs what is framed" : "")
}

function taken(v)
{
    return (v[3] * v[4] == 1 ? "" : v[3] " × " v[4] " times ") v[1] " × " v[2]
}

# What a picture's block reads around what it makes.
function around()
{
    if (halo[1] == halo[3] && halo[2] == halo[4])
        return halo[1] == "" ? "" : "reads " halo[1] (halo[1] == halo[2] ? " around" : " beside") \
            (halo[2] && halo[1] != halo[2] ? ", " halo[2] " above and below" : "")
    return "reads " halo[3] " more to the right, " halo[4] " below"
}

# ---- what lies where ------------------------------------------------------------------------------

# A box with its heading and its text in lines; returns where it ends.
function place(class, y, what, text,    word, n, i, line, count, list)
{
    n = split(with_values(text), word, " ")
    for (i = 1; i <= n; i++) {
        if (i > 1 && length(line " " word[i]) > 35) {
            list[++count] = line
            line = word[i]
        } else
            line = line (i > 1 ? " " : "") word[i]
    }
    list[++count] = line
    box("n", 530, y, 258, 22 + 15 * count)
    box(class, 530, y, 5, 22 + 15 * count)
    write("m", 543, y + 15, what)
    for (i = 1; i <= count; i++)
        write("t", 543, y + 15 + 15 * i, list[i])
    return y + 22 + 15 * count
}

function arrow(y, bytes)
{
    svg = svg "<path class=\"n\" d=\"M552 " y + 24 "v-22m-4 6l4 -6l4 6\"/>"
    write("t", 566, y + 17, short(value_of(bytes)) " B a " unit["en"])
    return y + 26
}

# ---- SVG ------------------------------------------------------------------------------------------

# Sets X and Y, the points of a unit: the same, but where one side would be too thin to be seen.
function scale_to(w, h, room_x, room_y)
{
    X = Y = room_x / w < room_y / h ? room_x / w : room_y / h
    if (h * Y < 48)
        Y = (48 < room_y ? 48 : room_y) / h
    if (w * X < 48)
        X = 48 / w
}

function write(class, x, y, what)
{
    svg = svg "<text class=\"" class "\" x=\"" point(x) "\" y=\"" point(y) "\">" what "</text>"
}

function box(class, x, y, w, h)
{
    svg = svg "<path class=\"" class "\" d=\"" path_of(x, y, w, h) "\"/>"
}

# A share's pieces, none thinner than `least`.
function pieces(class, x, y, v, least,    i, j, w, h)
{
    w = v[1] * X < least ? least : v[1] * X
    h = v[2] * Y < least ? least : v[2] * Y
    svg = svg "<path class=\"" class "\" d=\""
    for (j = 0; j < v[4]; j++)
        for (i = 0; i < v[3]; i++)
            svg = svg path_of(x + i * v[5] * X, y + j * v[6] * Y, w, h)
    svg = svg "\"/>"
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
