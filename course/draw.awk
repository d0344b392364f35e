# draw.awk - hidden sizes for a class: `class<TAB>size<TAB>width,height,depth` a line, the same for the same seed.
#
#   awk -v seed=NUMBER -v hidden='1-150 1-150 1-150' -v public='33 61x17x40' -f course/draw.awk
#
# `correct`: two that tiles divide, one of them with equal sides; `edges`: three that nothing divides, one of
# them with a side as small as may be. A range `80-200+63` is of sizes that have 63 beyond what tiles divide.

function random(below) {
    state = (state * 16807) % 2147483647
    return int(state / 2147483647 * below)
}

function put(class, side,    i, size) {
    size = side[1]
    for (i = 2; i <= sides; i++)
        size = size "x" side[i]
    if (index(" " public " ", " " size " "))
        return 0
    public = public " " size # drawn once
    # a product is M x N x K, of N columns and M rows
    print class "\t" size "\t" (sides == 1 ? size ",1," : sides == 2 ? side[1] "," side[2] "," : \
        side[2] "," side[1] "," side[3])
    return 1
}

BEGIN {
    state = seed % 2147483646 + 1
    for (i = 0; i < 9; i++)
        random(1)
    sides = split(hidden, range, " ")
    least = 2147483647
    for (i = 1; i <= sides; i++) {
        split(range[i], end, /[-+]/)
        low[i] = end[1]
        high[i] = end[2]
        beyond[i] = end[3]
        room[i] = high[i] - beyond[i]
        if (room[i] < least)
            least = room[i]
        for (unit[i] = sides == 1 ? 1024 : 128; unit[i] > 1 && 2 * unit[i] > room[i]; unit[i] /= 2) {}
        if (unit[i] > widest)
            widest = unit[i]
    }
    do {
        equal = widest * (1 + random(int(least / widest)))
        for (i = 1; i <= sides; i++)
            square[i] = equal + beyond[i]
    } while (!put("correct", square))
    do
        for (i = 1; i <= sides; i++)
            other[i] = beyond[i] + unit[i] * (1 + random(int(room[i] / unit[i])))
    while (!put("correct", other))
    for (k = 0; k < 3; k++) {
        for (i = 1; i <= sides; i++) {
            odd[i] = low[i] + random(high[i] - low[i] + 1)
            if (odd[i] % 2 == 0 && odd[i] > low[i])
                odd[i]--
        }
        if (k == 2)
            odd[1 + random(sides)] = low[1] + (sides == 1 ? random(12) : 0)
        if (!put("edges", odd))
            k--
    }
}
