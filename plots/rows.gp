# rows.gp - reads a lab's rows by column name: from own/LAB.csv, where that machine has no GPU the
# kernels' from gpu/LAB.csv, and those of 2012 from past/LAB.csv. In: `lab`, `filter`, `y` (a
# column), `curve`. Only rows that are ok get in, none emulated. Out, for i = 1 .. n:
#
#   SOURCE       "now", "past" or the name of another machine
#   VARIANT, IS_CPU, IS_SERIAL, PARAMETERS, TRANSFER
#   SIZE, AREA   as written, "1024x768" or "1024", and what stands on an axis
#   BLOCK, THREADS, BLOCK_X   "" and 0 without a block
#   TIME, END, VALUE          seconds; end to end; column y. NaN where there is none
#
# and NAME[1 .. n_names], the variants of the lab in its order, which gives them their colours.
most_rows = 20000
do for [name in "SOURCE VARIANT IS_CPU IS_SERIAL PARAMETERS TRANSFER SIZE AREA BLOCK " \
    . "THREADS BLOCK_X TIME END VALUE CONDITION IS_LEFT_OUT"] {
    eval "array " . name . "[most_rows]"
}
array NAME[200]
array NAME_IS_CPU[200]
n = 0
n_names = 0
unset logscale # the panel before may have left axes that hide points from `stats`
set xrange [*:*]
set yrange [*:*]
size_axis = "size"
sizes_are = "image"
dimensions = 2
set datafile columnheaders
stats labs using (strcol("lab") eq lab \
    ? (size_axis = strcol("size_axis"), sizes_are = strcol("sizes_are"), \
        dimensions = column("block_dimensions"), 1) : 1) nooutput

place_of(name, i) = i > n_names ? 0 : NAME[i] eq name ? i : place_of(name, i + 1)
known(name, is_cpu) = place_of(name, 1) ? 0 : n_names == 200 ? 0 \
    : (n_names = n_names + 1, NAME[n_names] = name, NAME_IS_CPU[n_names] = is_cpu)
of_kind(i, is_cpu) = i == 0 ? 0 : (NAME_IS_CPU[i] == is_cpu) + of_kind(i - 1, is_cpu)
variant_ink(name) = (i_name = place_of(name, 1), i_name == 0 ? grey \
    : NAME_IS_CPU[i_name] ? cpu_ink(of_kind(i_name, 1)) : ink(of_kind(i_name, 0)))
variant_shape(name) = shape(greater(1, place_of(name, 1)))

# The words of `filter`, all of which a row has to meet: KEY=VALUE holds of a row with this
# parameter, -KEY=VALUE of one without. variant=NAME chooses among the kernels; the CPU's programs
# stay.
has(name) = strstrt(header, "," . name . ",") > 0
text(name) = has(name) ? strcol(name) : ""
holds(pair, facts) = strstrt(facts, ";" . pair . ";") > 0
meets(word, facts) = word[1:8] eq "variant=" ? is_cpu || strcol("variant") eq word[9:*] \
    : word[1:1] eq "-" ? !holds(word[2:*], facts) : holds(word, facts)
passes(i, facts) = i > words(filter) ? 1 : meets(word(filter, i), facts) && passes(i + 1, facts)

# The value of a parameter, or "".
up_to(text, at) = at == 0 ? text : text[1:at - 1]
value_at(text, at, length) = at == 0 ? "" \
    : up_to(text[at + length:*], strstrt(text[at + length:*], ";"))
parameter(key, parameters) = value_at(";" . parameters, strstrt(";" . parameters, ";" . key \
    . "="), \
    strlen(key) + 2)
without_text(text, pair) = (at = strstrt(";" . text . ";", ";" . pair . ";"), at == 0 ? text \
    : at == 1 ? text[strlen(pair) + 2:*] : text[1:at - 2] . text[at + strlen(pair):*])
without(key, parameters) = without_text(parameters, key . "=" . parameter(key, parameters))

# Of kernels the rows with cold caches are drawn; scaling over threads is a figure of its own, and
# so are the ways of transfer. In: `kinds`, "cpu" or "gpu" where a file's other rows are not wanted.
wanted(x) = strcol("status") eq "ok" && strcol("kind") ne "emulated" \
    && (is_cpu ? kinds ne "gpu" : kinds ne "cpu") \
    && parameter("cpu_threads", strcol("parameters")) eq "" \
    && (is_cpu || text("cache") ne "hot") \
    && (curve eq "transfer" || parameter("transfer", strcol("parameters")) eq "") \
    && passes(1, ";" . strcol("parameters") . ";")
number(name) = has(name) && strlen(strcol(name)) ? column(name) : NaN
whole(name) = strlen(text(name)) ? int(column(name)) : 0
extents(x) = sizes_are eq "image" ? sprintf("%dx%d", whole("width"), whole("height")) \
    : sizes_are eq "product" && whole("depth") && \
        (whole("height") != whole("width") || whole("depth") != whole("width")) \
    ? sprintf("%dx%dx%d", whole("width"), whole("height"), whole("depth")) \
    : sprintf("%d", whole("width"))
add(x) = n == most_rows ? 0 : (n = n + 1, SOURCE[n] = source, VARIANT[n] = strcol("variant"), \
    IS_CPU[n] = is_cpu, IS_SERIAL[n] = has("role") ? text("role") eq "serial" \
        : VARIANT[n] eq "cpu", \
    TRANSFER[n] = parameter("transfer", strcol("parameters")), \
    PARAMETERS[n] = without("transfer", strcol("parameters")), SIZE[n] = extents(0), \
    AREA[n] = 1.0 * whole("width") * (sizes_are eq "image" ? whole("height") : 1), \
    THREADS[n] = whole("block_x") * whole("block_y"), BLOCK_X[n] = whole("block_x"), \
    BLOCK[n] = THREADS[n] == 0 ? "" : dimensions == 1 ? sprintf("%d", whole("block_x")) \
        : sprintf("%dx%d", whole("block_x"), whole("block_y")), \
    TIME[n] = number("time_s"), END[n] = number("end_to_end_s"), VALUE[n] = number(y), \
    IS_LEFT_OUT[n] = 0, n)
row(x) = (is_cpu = strcol("kind") eq "cpu", \
    source eq "now" && strcol("kind") ne "kind" ? known(strcol("variant"), is_cpu) : 0, \
    wanted(0) ? add(0) : 0, 1)

read = 'if (is_file(csv)) { header = "," . line_of(csv, 1) . ",";' \
    . ' stats csv using (row(0)) nooutput }'
kinds = own_machine ? "" : "cpu"
source = "now"
csv = own . "/" . lab . ".csv"
eval read
if (!own_machine) {
    kinds = "gpu"
    csv = gpu . "/" . lab . ".csv"
    eval read
}
n_now = n
kinds = ""
source = "past"
csv = past . "/" . lab . ".csv"
if (past ne own) { eval read }
do for [source in others] {
    csv = reference . "/" . source . "/" . lab . ".csv"
    eval read
}

# A file may hold rows of several parameters, two radii, say. A curve must not jump between them:
# those of most kernels are drawn; a variant that has none of these has its own first ones. Rows of
# 2012 and of other machines are left out where they measured other work. The key that is the
# figure's `curve` makes no difference, and for other machines neither does the type of pixel.
array WORK[200]
array COUNT[200]
n_conditions = 0
condition(i) = without(curve, PARAMETERS[i])
condition_of(text, c) = c > n_conditions ? 0 : WORK[c] eq text ? c : condition_of(text, c + 1)
do for [i = 1 : n_now] {
    c = condition_of(condition(i), 1)
    if (c == 0 && n_conditions < 200) {
        n_conditions = n_conditions + 1
        c = n_conditions
        WORK[c] = condition(i)
        COUNT[c] = 0
    }
    CONDITION[i] = c
    if (c) { COUNT[c] = COUNT[c] + (IS_CPU[i] ? 0.001 : 1) }
}
commonest(c, best) = c > n_conditions ? best \
    : commonest(c + 1, best == 0 ? c : COUNT[c] > COUNT[best] ? c : best)
usual = commonest(1, 0)
array FIRST[n_names + 1]
do for [i = 1 : n_names] { FIRST[i] = 0 }
do for [i = 1 : n_now] {
    v = place_of(VARIANT[i], 1)
    if (v) { FIRST[v] = FIRST[v] == usual || CONDITION[i] == usual ? usual \
        : FIRST[v] ? FIRST[v] : CONDITION[i] }
}
n_left_out = 0
do for [i = 1 : n] {
    if (SOURCE[i] eq "now") {
        v = place_of(VARIANT[i], 1)
        IS_LEFT_OUT[i] = v == 0 || CONDITION[i] != FIRST[v]
    } else {
        IS_LEFT_OUT[i] = usual == 0 \
            || without("type", condition(i)) ne without("type", WORK[usual])
    }
    n_left_out = n_left_out + (IS_LEFT_OUT[i] && !IS_CPU[i])
}
if (n_left_out) {
    set print "-"
    print sprintf("note: %d rows of other parameters are not drawn", n_left_out)
}
unset datafile columnheaders
