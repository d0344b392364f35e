#!/bin/sh
# committed_report.t - the report from end to end: docs/report is what today's programs make of the
# recorded results; its numbers, worked out a second time from the rows with awk alone; its sources;
# the links of every text; and reports of machines that have little, or something odd, to tell.
# shellcheck disable=SC2016 # backticks are Markdown's here
# shellcheck source=tests/tap.sh
. tests/tap.sh

[ -x "$B/analyse" ] || skip_all "no $B/analyse"

reference=data/reference h200=data/reference/nvidia-h200 past=data/reference/tesla-c2050
report=docs/report/report.md

# ---- what is committed -------------------------------------------------------------------------------

# build LANG TABLES FIGURES OUT: the Markdown alone
build() {
    sh report/build.sh --tables "$2/tables" --facts "$2/facts.csv" --figures "$3" --out "$4" --lang "$1" --formats md
}

made=$folder/made
ok "the recorded results are analysed" "$B/analyse" --results none --out "$made" nvidia-h200
for lang in en ja; do
    ok "and reported ($lang)" build $lang "$made" docs/report/figures "$made"
done
cp -r docs/report "$folder/committed"
(cd "$made/figures" && ls) >"$folder/shown"
rm -rf "$made/figures" "$folder/committed/figures"
ok "docs/report holds that, byte for byte, and nothing else (make docs writes it)" diff -rq "$folder/committed" "$made"
is "with every figure" "$(grep -c -e 'not drawn' -e 'not measured' -e '図なし' -e '未測定' docs/report/report*.md)" \
    'docs/report/report.ja.md:0
docs/report/report.md:0'
is "which are in the tree" "$(while read -r name; do [ -s "docs/report/figures/$name" ] || echo "$name"; done <"$folder/shown")" ''

# Both languages tell the same: under each heading the same facts and conditions, and the same tables
# and figures in the same order.
directives() {
    awk '
        function flush(    i, j, t) {
            for (i = 2; i <= n; i++) # by insertion: there is no sort in every awk
                for (j = i; j > 1 && word[j] < word[j - 1]; j--) { t = word[j]; word[j] = word[j - 1]; word[j - 1] = t }
            for (i = 1; i <= n; i++)
                print "  " word[i]
            n = 0
        }
        /^#/ { flush(); print $1, ++headings; next }
        /^\{\{(table|figure) / { sub(/\}\}$/, ""); print /figure/ ? $1 " " $2 : $0; next }
        {
            while ((at = index($0, "{{")) > 0) {
                $0 = substr($0, at + 2)
                word[++n] = substr($0, 1, index($0, "}}") - 1)
            }
        }
        END { flush() }' "$1"
}
directives report/report.en.md >"$folder/en"
directives report/report.ja.md >"$folder/ja"
ok "the Japanese template tells the same facts as the English one" cmp "$folder/en" "$folder/ja"

# ---- the numbers, a second time -----------------------------------------------------------------------

# rows FILE COLUMNS WHERE: the measured rows, by select.awk.
rows() {
    awk -v columns="$2" -v where="$3" -f plots/select.awk "$1"
}

# cells HEADING N: the N-th table after the line of the report that begins with HEADING: one line a
# row, the headings first, cells separated by tabs.
cells() {
    awk -v heading="$1" -v wanted="$2" '
        !found { found = index($0, heading) == 1; next }
        !/^\|/ { inside = 0; next }
        {
            if (!inside++)
                n++
            if (n != wanted || inside == 2)
                next
            gsub(/\\/, "")
            gsub(/^\| *| *\|$/, "")
            gsub(/ *\| */, "\t")
            print
        }' "$report"
}

# labelled KEYS VALUES: a table as lines "cells of KEYS, heading <tab> cell" for the headings VALUES;
# both lists are separated by commas.
labelled() {
    awk -F '\t' -v keys="$1" -v values="$2" '
        NR == 1 {
            for (i = 1; i <= NF; i++)
                at[$i] = i
            n = split(keys, key, ",")
            m = split(values, value, ",")
            next
        }
        {
            name = ""
            for (i = 1; i <= n; i++)
                name = name $at[key[i]] " "
            for (i = 1; i <= m; i++)
                if (!(value[i] in at))
                    print "no column " value[i]
                else if ($at[value[i]] != "")
                    print name value[i] "\t" $at[value[i]]
        }'
}

# What is printed, rounded to so many digits, of what is exact. A number on the edge may go either way.
rounding='
function rounds(printed, exact, digits,    unit)
{
    if (printed !~ /^[0-9.]+$/)
        return printed == exact
    if (exact == 0)
        return printed == 0
    for (unit = 1; exact >= unit * 10; unit *= 10)
        ;
    for (; exact < unit * 0.999999999; unit /= 10)
        ;
    while (--digits > 0)
        unit /= 10
    return printed - exact <= unit * 0.5000001 && exact - printed <= unit * 0.5000001
}'

# agree NAME DIGITS: passes if $folder/printed and $folder/exact, lines "what <tab> number", have the
# same lines, with numbers that agree to so many digits, and any at all.
agree() {
    is "$1" "$(awk -F '\t' -v digits="$2" "$rounding"'
        FILENAME ~ /exact$/ {
            if ($1 in exact) print $1 " is there twice"
            exact[$1] = $2
            next
        }
        !($1 in exact) { print $1 " is printed, but was not measured"; next }
        {
            seen[$1]++
            n++
            if (!rounds($2, exact[$1], digits))
                print $1 ": printed " $2 ", it is " exact[$1]
        }
        END {
            for (name in exact)
                if (seen[name] != 1)
                    print name " is printed " seen[name] + 0 " times"
            if (!n)
                print "nothing is printed"
        }' "$folder/exact" "$folder/printed" 2>&1)" ''
}

# The rows of a lab without those of other pixels, transfers and numbers of threads, which have tables
# of their own: variant, size, block, time, time from end to end, bytes, flops, kind, pixels.
typed() {
    rows "$1" variant,width,height,block_x,block_y,time_s,end_to_end_s,bytes,flops,kind,parameters.type \
        "parameters.cpu_threads=,parameters.transfer=${2:+,parameters.type=$2}" |
        awk -F '\t' 'BEGIN { OFS = "\t"; vector = '"$(case $1 in *lab1*) echo 1 ;; *) echo 0 ;; esac)"' }
            { $2 = vector || $2 == $3 ? $2 : $2 "x" $3
              $3 = $4 == "" ? "" : vector ? $4 : $4 "x" $5
              print $1, $2, $3, $6, $7, $8, $9, $10, $11 }'
}

# best SIZE: of typed rows of that size each variant at its best block; of several kinds of pixels the
# CPU of the first
best() {
    awk -F '\t' -v size="$1" '
        NR == 1 { pixels = $9 }
        $8 == "cpu" && $9 != pixels { next }
        $2 == size && (!($1 in least) || $4 < least[$1]) { least[$1] = $4; row[$1] = $0 }
        END { for (variant in row) print row[variant] }'
}

# largest: of typed rows the largest size with a serial CPU time and a kernel
largest() {
    awk -F '\t' '
        $1 == "cpu" { cpu[$2] = 1 }
        $8 == "gpu" { gpu[$2] = 1 }
        END {
            for (size in cpu) {
                split(size, side, "x")
                if (size in gpu && side[1] > most) { most = side[1]; at = size }
            }
            print at
        }'
}

for lab in 2_matprod:4.2 3_bilateral:4.3 4_template:4.4; do
    file=lab${lab%:*}.csv short=lab${lab%%_*} section="### ${lab#*:}"
    {
        typed $h200/"$file" | awk -F '\t' '
            $1 == "cpu" { print $2 " CPU / ms\t" $4 * 1000 }
            $1 == "cpu_omp" { print $2 " OpenMP / ms\t" $4 * 1000 }' OFMT=%.9g CONVFMT=%.9g
        typed $past/"$file" | awk -F '\t' '$1 == "cpu" { print $2 " CPU in 2012 / ms\t" $4 * 1000 }' CONVFMT=%.9g
    } >"$folder/exact"
    cells "$section" 1 | labelled size 'CPU / ms,OpenMP / ms,CPU in 2012 / ms' >"$folder/printed"
    agree "$short: every time of the CPU, now and in 2012" 4
    {
        typed $h200/"$file" | sed 's/$/	nvidia-h200/'
        typed $past/"$file" | sed 's/$/	Tesla C2050 (2012)/'
    } | awk -F '\t' '$1 == "naive" { split($3, side, "x"); if (side[1] == side[2]) print $2 " " $NF " " $3 "\t" $4 * 1000 }' \
        CONVFMT=%.9g >"$folder/exact"
    cells "$section" 2 | labelled size,machine 1x1,2x2,4x4,8x8,16x16,32x32 >"$folder/printed"
    agree "$short: every time of the plain kernel, by size and block, now and in 2012" 4
done

# variants NAME HEADING N FILE TYPE COLUMNS: the N-th table after HEADING
variants() {
    typed "$4" "$5" >"$folder/typed"
    size=$(largest <"$folder/typed")
    best "$size" <"$folder/typed" >"$folder/best"
    awk -F '\t' -v columns="$6" -v size="$size" '
        FILENAME ~ /typed$/ {
            if ($1 == "cpu" && $2 == size)
                cpu[$9] = $4
            next
        }
        {
            value[$1, "kind"] = $8
            value[$1, "block"] = $3
            value[$1, "time / ms"] = $4 * 1000
            value[$1, "end to end / ms"] = $5 == "" ? "" : $5 * 1000
            value[$1, "GB/s"] = $6 / $4 / 1e9
            value[$1, "GFLOP/s"] = $1 == "copy" ? "" : $7 / $4 / 1e9 # no filter, so no
            value[$1, "speedup"] = $1 == "copy" ? "" : cpu[$9] / $4      # operations of one
            n = split(columns, column, ",")
            for (i = 1; i <= n; i++)
                if (value[$1, column[i]] != "")
                    print $1 " " column[i] "\t" value[$1, column[i]]
        }' CONVFMT=%.9g OFMT=%.9g "$folder/typed" "$folder/best" >"$folder/exact"
    cells "$2" "$3" | labelled variant "$6" >"$folder/printed"
    agree "$1: every variant at its best block" 4
}
all='kind,block,time / ms,end to end / ms,GB/s,GFLOP/s,speedup'
some='kind,block,time / ms,end to end / ms,GB/s,speedup'
variants lab1 '### 4.1' 1 $h200/lab1_vecadd.csv '' "$all"
variants lab2 '### 4.2' 3 $h200/lab2_matprod.csv '' "$all"
variants lab3 '### 4.3' 3 $h200/lab3_bilateral.csv '' "$all"
variants lab4 '### 4.4' 3 $h200/lab4_template.csv '' "$all"
variants 'lab5, gray' '### 4.5' 1 $h200/lab5_gaussian.csv gray "$all"
variants 'lab5, rgb24' '### 4.5' 2 $h200/lab5_gaussian.csv rgb24 "$some"
variants 'lab5, rgba32' '### 4.5' 3 $h200/lab5_gaussian.csv rgba32 "$some"
variants 'lab5, f32' 'On floats' 1 $h200/lab5_gaussian.csv f32 "$all"
variants lab6 '### 4.6' 1 $h200/lab6_banding.csv 'yc48|yc64' "$all"

# says NAME SECTION PATTERN EXACT...: passes if the text under the heading that begins with SECTION,
# lines joined, has the sentence PATTERN: `#` is a number of three digits, `~` a ratio of three, below
# 10 of two, `@` a word; each EXACT is what one of them must agree with.
says() {
    says_name=$1
    says_pattern=$(printf '%s\n' "$3" | sed 's|[]().*+$^[]|\\&|g; s|[#~]|([0-9.]*[0-9])|g; s|@|([^ ,;)]+)|g')
    says_marks=$(printf '%s' "$3" | tr -cd '#~@')
    says_back=$(printf '%s' "$says_marks" | awk '{ for (i = 1; i <= length($0); i++) printf "\\%d ", i }')
    says_got=$(awk -v heading="$2" '/^#/ { inside = index($0, heading) == 1 } inside' "$report" | tr '\n' ' ' |
        sed -n -E "s|.* $says_pattern.*|$says_back|p")
    shift 3
    is "$says_name" "$(printf '%s\n' "$says_marks" "$says_got" "$*" | awk "$rounding"'
        NR == 1 { marks = $0 }
        NR == 2 { n = split($0, printed, " ") }
        NR == 3 {
            if (!n)
                print "the sentence is not there"
            else if (n != split($0, exact, " ") || n != length(marks))
                print "other numbers: " n
            for (i = 1; i <= n; i++) {
                mark = substr(marks, i, 1)
                if (mark == "@" ? printed[i] != exact[i] : !rounds(printed[i], exact[i], mark == "~" && exact[i] < 9.95 ? 2 : 3))
                    print "printed " printed[i] ", it is " exact[i]
            }
        }')" ''
}

# shares FILE: the greatest and the least share of the CPU's time that the plain kernel took: percent,
# size, block.
shares() {
    typed "$1" | awk -F '\t' '
        $1 == "cpu" { cpu[$2] = $4 }
        $1 == "naive" { split($3, side, "x"); if (side[1] == side[2]) time[$2 " " $3] = $4 }
        END {
            for (place in time) {
                split(place, part, " ")
                if (!(part[1] in cpu))
                    continue
                share = 100 * time[place] / cpu[part[1]]
                if (share > most) { most = share; at_most = place }
                if (!least || share < least) { least = share; at_least = place }
            }
            print most, at_most, least, at_least
        }' OFMT=%.9g
}

# at NAME: of the lab in $folder/typed, at its largest size, the time in ms of the variant at its best
# block; "@" and a name gives the block.
at() {
    best "$size" <"$folder/typed" | awk -F '\t' -v name="$1" '
        $1 == name { printf "%.9g\n", $4 * 1000 }
        "@" $1 == name { print $3 }'
}

# ratio A B
ratio() {
    awk "BEGIN { printf \"%.9g\\n\", $1 / $2 }"
}

# quickest KIND: of the lab in $folder/typed, at its largest size, the variant and its time in ms
quickest() {
    best "$size" <"$folder/typed" | awk -F '\t' -v kind="$1" '
        $8 == kind && (!least || $4 < least) { least = $4; name = $1 }
        END { printf "%s %.9g\n", name, least * 1000 }'
}

# lab SECTION FILE [TYPE]: what the sentences of a lab are about, into variables
lab() {
    section=$1
    typed "$2" "${3-}" >"$folder/typed"
    size=$(largest <"$folder/typed")
    cpu=$(at cpu) naive=$(at naive) block=$(at @naive)
    fastest=$(quickest gpu) best_cpu=$(quickest cpu)
    fastest_ms=${fastest#* } best_cpu_ms=${best_cpu#* } fastest=${fastest% *} best_cpu=${best_cpu% *}
    fastest_block=$(at "@$fastest")
}

# past FILE: 2012's time of the CPU and of its best block at that size
past() {
    past_cpu=$(typed "$1" | best "$size" | awk -F '\t' '$1 == "cpu" { printf "%.9g\n", $4 * 1000 }')
    past_naive=$(typed "$1" | best "$size" | awk -F '\t' '$1 == "naive" { printf "%.9g\n", $4 * 1000 }')
}

against='Against the CPU'\''s fastest program, `@` with # ms, it is ~ times as fast.'

lab '### 4.1' $h200/lab1_vecadd.csv
says "lab1: the fastest kernel" '### 4.1' 'At # elements one CPU thread takes # ms and the fastest kernel, `@` with blocks of #, # ms: it is ~ times as fast.' \
    "$size" "$cpu" "$fastest" "$fastest_block" "$fastest_ms" "$(ratio "$cpu" "$fastest_ms")"
says "against the fastest program of the CPU" '### 4.1' "$against" "$best_cpu" "$best_cpu_ms" "$(ratio "$best_cpu_ms" "$fastest_ms")"
end=$(awk -F '\t' -v size="$size" -v variant="$fastest" -v block="$fastest_block" \
    '$1 == variant && $2 == size && $3 == block { printf "%.9g\n", $5 * 1000 }' "$folder/typed")
says "with the copies" '### 4.1' 'With the copies there and back it is # ms, and the GPU'\''s run as a whole is ~ times as fast as the CPU'\''s.' \
    "$end" "$(ratio "$cpu" "$end")"

for entry in 2_matprod:4.2 3_bilateral:4.3 4_template:4.4; do
    file=lab${entry%:*}.csv short=lab${entry%%_*}
    lab "### ${entry#*:}" "$h200/$file"
    past "$past/$file"
    at=@ size_at=At
    [ "$short" != lab2 ] || at='N = @' size_at='At N ='
    # shellcheck disable=SC2046 # words
    says "$short: the shares of the CPU's time" "$section" "The GPU takes between # % ($at, block @) and # % ($at, block @) of the CPU's time." \
        $(shares "$h200/$file")
    case $short in lab4) was='In the tables of 2012 it is between' ;; *) was='In 2012 it was between' ;; esac
    # shellcheck disable=SC2046 # words
    says "and in 2012" "$section" "$was # % ($at, block @) and # % ($at, block @)" $(shares "$past/$file")
    says "what the GPU gained since 2012" "$section" "$size_at @ the plain kernel at its best block takes # ms where the Tesla C2050 took # ms, a factor of ~;" \
        "$size" "$naive" "$past_naive" "$(ratio "$past_naive" "$naive")"
    says "and what the CPU" "$section" 'one CPU thread takes # ms where it took # ms, a factor of ~.' \
        "$cpu" "$past_cpu" "$(ratio "$past_cpu" "$cpu")"
    case $short in lab2) subject='The fastest kernel, `@`, is' as='the plain one' ;; *) subject='`@` is' as='the plain kernel' ;; esac
    says "the fastest kernel" "$section" "$subject ~ times as fast as $as and ~ times as fast as one CPU thread." \
        "$fastest" "$(ratio "$naive" "$fastest_ms")" "$(ratio "$cpu" "$fastest_ms")"
    says "against the fastest program of the CPU" "$section" "$against" "$best_cpu" "$best_cpu_ms" "$(ratio "$best_cpu_ms" "$fastest_ms")"
    smallest=$(awk -F '\t' -v size="$size" '$1 == "naive" && $2 == size && $3 == "1x1" { printf "%.9g\n", $4 * 1000 }' "$folder/typed")
    case $short in
        lab2)
            says "the blocks" "$section" 'from 1x1 to @ the time at N = @ falls from # ms to # ms.' "$block" "$size" "$smallest" "$naive"
            vendor=$(quickest vendor)
            says "the library" "$section" 'The library (`@`) takes # ms, ~ times less than that' \
                "${vendor% *}" "${vendor#* }" "$(ratio "$fastest_ms" "${vendor#* }")"
            ;;
        *) says "the blocks" "$section" 'From blocks of 1x1 to @ the time falls from # ms to # ms.' "$block" "$smallest" "$naive" ;;
    esac
done
says "lab4: the kernel that is like that of 2012" '### 4.4' '`global_sum` takes # ms, a factor of ~ less than in 2012.' \
    "$(at global_sum)" "$(ratio "$past_naive" "$(at global_sum)")"
says "and what shared memory does" '### 4.4' \
    'Here that alone (`shared_template`) makes the kernel ~ times as fast as the plain one; the template in constant memory ~ times, template and picture both in shared memory ~ times.' \
    "$(ratio "$naive" "$(at shared_template)")" "$(ratio "$naive" "$(at constant_template)")" "$(ratio "$naive" "$(at shared_both)")"
lab '### 4.5' $h200/lab5_gaussian.csv gray
vendor=$(quickest vendor)
says "lab5: the fastest kernel" '### 4.5' 'The fastest of our kernels is `@` with # ms.' "$fastest" "$fastest_ms"
says "and the library" '### 4.5' 'The library (`@`) takes # ms and is ~ times as fast.' \
    "${vendor% *}" "${vendor#* }" "$(ratio "$fastest_ms" "${vendor#* }")"

lab '### 4.6' $h200/lab6_banding.csv 'yc48|yc64'
says "lab6: the fastest kernel" '### 4.6' 'At @ `@` takes # ms, ~ times less than the plain kernel.' \
    "$size" "$fastest" "$fastest_ms" "$(ratio "$naive" "$fastest_ms")"
says "against the fastest program of the CPU" '### 4.6' "$against" "$best_cpu" "$best_cpu_ms" "$(ratio "$best_cpu_ms" "$fastest_ms")"

# Lab 5's ways of transfer: those of one size and block, and the row without a transfer beside them.
rows $h200/lab5_gaussian.csv parameters.transfer,end_to_end_s,width,height,block_x,block_y 'parameters.transfer!=' >"$folder/ways"
where=$(awk -F '\t' 'NR == 1 { print "width=" $3 ",height=" $4 ",block_x=" $5 ",block_y=" $6 }' "$folder/ways")
rows $h200/lab5_gaussian.csv variant,end_to_end_s "variant=naive,$where,parameters.type=gray,parameters.transfer=" |
    sed 's/^naive/pageable/' >>"$folder/ways"
# shellcheck disable=SC2046 # words
says "lab5: the best and the worst way of transfer" '### 4.5' \
    'The best way here is `@` with # ms; ordinary pageable memory takes # ms and `@`, the slowest, # ms.' $(
    sort -g -k 2,2 -t '	' "$folder/ways" | awk -F '\t' '
        NR == 1 { first = $1 " " $2 * 1000 }
        $1 == "pageable" { middle = $2 * 1000 }
        { last = $1 " " $2 * 1000 }
        END { print first, middle, last }' CONVFMT=%.9g OFMT=%.9g)

# How many rows there are, and how many passed.
# shellcheck disable=SC2046 # words
says "how many rows passed" '## 3' '# of # rows passed their check. Skipped, with a reason: #.' $(
    for file in "$h200"/lab*.csv; do
        awk -v columns=\* -v where= -f plots/select.awk "$file" | awk 'NR > 1 { n++ } END { print n + 0 }'
        tr -d '\r' <"$file" | grep -c '^lab[0-9]'
        column status "$file" | grep -c '^skipped'
    done | awk '{ n[NR % 3] += $1 } END { print n[1], n[2], n[0] }')

# ---- occupancy: a multiprocessor of compute capability 9.0 ----------------------------------------------

# 64 warps, 65536 registers in portions of 256 a warp, 32 blocks; 228 KB of shared memory in portions
# of 128 bytes, 1 KB of it taken by the system for each block. (CUDA C++ Programming Guide, technical
# specifications per compute capability.)
occupancy() {
    cells "$1" "$2" | awk -F '\t' '
        function up(x, to) { return int((x + to - 1) / to) * to }
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        {
            warps = up($at["threads / block"], 32) / 32
            split("warps registers shared_memory blocks", name, " ")
            limit[1] = int(64 / warps)
            limit[2] = int(int(65536 / up($at["registers / thread"] * 32, 256)) / warps)
            limit[3] = int(228 * 1024 / up($at["shared bytes / block"] + 1024, 128))
            limit[4] = 32
            blocks = limit[1]
            for (i = 2; i <= 4; i++)
                if (limit[i] < blocks)
                    blocks = limit[i]
            why = ""
            for (i = 1; i <= 4; i++)
                if (limit[i] == blocks)
                    why = why (why == "" ? "" : "+") name[i]
            print $1, $2, blocks, blocks * warps, blocks * warps * 32, sprintf("%.4g", blocks * warps / .64), why
        }'
}
# shown HEADING N: the same columns as they are printed
shown() {
    cells "$1" "$2" | awk -F '\t' '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { print $1, $2, $at["blocks / SM"], $at["warps / SM"], $at["threads / SM"], $at["occupancy / %"], $at["limited by"] }'
}
for entry in 'lab2:The same for the kernels' 'lab3:Bilateral filter (table 22)' 'lab4:Template matching (table 23)'; do
    short=${entry%%:*} heading=${entry#*:}
    occupancy "$heading" 1 >"$folder/occupancy"
    ok "$short has kernels whose occupancy is told" test "$(wc -l <"$folder/occupancy")" -ge 12
    is "which is what their registers, shared memory and threads allow" "$(shown "$heading" 1)" "$(cat "$folder/occupancy")"
done
lab '' $h200/lab2_matprod.csv
size=1024 && awk -F '\t' '$8 == "gpu" && $2 == 1024 { print $1 " " $3 " time / ms\t" $4 * 1000 }' CONVFMT=%.9g "$folder/typed" >"$folder/exact"
cells 'The same for the kernels' 1 | labelled variant,block 'time / ms' >"$folder/printed"
agree "with the times of lab 2's rows" 4

# ---- the roof ---------------------------------------------------------------------------------------------

# greatest COLUMN MEASURE KIND: a ceiling
greatest() {
    rows $h200/lab0_ceilings.csv "$1" "parameters.measure=$2,kind=$3" | sort -g | tail -n 1
}
for kind in gpu cpu; do
    copy=$(greatest gb_per_s copy $kind) fma=$(greatest gflop_per_s fma $kind)
    printf '%s\t%s\n' "$kind GB/s" "$copy" "$kind GFLOP/s" "$fma" "$kind ridge / (FLOP/B)" "$(ratio "$fma" "$copy")"
done >"$folder/exact"
cells '### 5.4' 1 | labelled processor 'GB/s,GFLOP/s,ridge / (FLOP/B)' >"$folder/printed"
agree "the ceilings are the greatest rates of lab 0" 4
copy=$(greatest gb_per_s copy gpu) fma=$(greatest gflop_per_s fma gpu)
says "and in words" '### 5.4' 'memory moves # GB/s and the units do # GFLOP/s. Work of fewer than # operations a byte is bound' \
    "$copy" "$fma" "$(ratio "$fma" "$copy")"

cells '### 5.4' 2 | labelled lab,variant 'of roof / %,bound by' >"$folder/printed"
for entry in lab1:lab1_vecadd: lab2:lab2_matprod: lab3:lab3_bilateral: lab4:lab4_template: \
    lab5:lab5_gaussian:gray lab5_f32:lab5_gaussian:f32 'lab6:lab6_banding:yc48|yc64'; do
    file=${entry#*:}
    lab '' "$h200/${file%:*}.csv" "${entry##*:}"
    best "$size" <"$folder/typed" | awk -F '\t' -v lab="${entry%%:*}" -v gpu="$copy $fma" \
        -v cpu="$(greatest gb_per_s copy cpu) $(greatest gflop_per_s fma cpu)" '
        $1 != "copy" {
            split($8 == "cpu" ? cpu : gpu, ceiling, " ")
            memory = ceiling[1] * $7 / $6
            roof = memory < ceiling[2] ? memory : ceiling[2]
            print lab " " $1 " of roof / %\t" $7 / $4 / 1e7 / roof
            print lab " " $1 " bound by\t" (memory < ceiling[2] ? "memory" : "arithmetic")
        }' OFMT=%.9g CONVFMT=%.9g
done >"$folder/exact"
agree "every kernel's share of its roof" 4

# ---- Amdahl's law -------------------------------------------------------------------------------------------

# The share P that fits best, by trying every 0.001 %: least squares of S (1 - P + P/N) - 1.
for file in "$h200"/lab[1-6]*.csv; do
    rows "$file" parameters.cpu_threads,time_s variant=cpu_omp,parameters.cpu_threads!= | awk -F '\t' -v lab="$(basename "$file" | cut -d _ -f 1)" '
        { threads[NR] = $1; time[NR] = $2; if ($1 == 1) one = $2; if ($1 > most) { most = $1; least = $2 } }
        END {
            for (step = 0; step <= 100000; step++) {
                P = step / 100000
                sum = 0
                for (i = 1; i <= NR; i++) {
                    e = one / time[i] * (1 - P + P / threads[i]) - 1
                    sum += e * e
                }
                if (step == 0 || sum < smallest) { smallest = sum; fitted = P }
            }
            print lab " P / %\t" 100 * fitted
            print lab " speedup\t" one / least
            print lab " CPU threads\t" most
        }' OFMT=%.9g CONVFMT=%.9g
done >"$folder/exact"
cells '### 5.1' 1 | labelled lab 'P / %,speedup,CPU threads' >"$folder/printed"
# The trials are 0.001 % apart, the printed share has two decimals.
agree "Amdahl's share, by another way" 4

# ---- facts and where they come from -----------------------------------------------------------------------------

is "every number names the rows it was computed from, and they are there" "$(awk -v h200="$h200" -v reference="$reference" '
    NR == 1 { next }
    {
        value = $0
        source = $0
        sub(/.*,/, "", source)
        n++
        if (source == "" && $0 !~ /^(machine|gpu_label|gpu_measured),/)
            print "no source: " $0
        count = split(source, one, ";")
        for (i = 1; i <= count; i++) {
            split(one[i], part, ":")
            file = (part[1] ~ /\// ? reference : h200) "/" part[1]
            if (!(file in lines)) {
                while ((getline line < file) > 0)
                    text[file, ++lines[file]] = line
                close(file)
            }
            if (!lines[file])
                print "no such file: " $0
            else if (one[i] ~ /:/ && text[file, part[2]] !~ (file ~ /json$/ ? "^\"lab" : "^lab[0-9]"))
                print "no such row: " $0
        }
    }
    END { if (n < 500) print n " facts" }' docs/report/facts.csv)" ''

awk -F , 'NR > 1 && $1 ~ /_ms$/ && $3 ~ /^[^;]*:[0-9]+$/ { print $1 "\t" $2 }' docs/report/facts.csv >"$folder/printed"
awk -F , -v h200="$h200" -v reference="$reference" '
    NR > 1 && $1 ~ /_ms$/ && $3 ~ /^[^;]*:[0-9]+$/ {
        split($3, part, ":")
        file = (part[1] ~ /\// ? reference : h200) "/" part[1]
        for (i = 1; i <= part[2]; i++) {
            getline line < file
            if (i == 1) {
                n = split(line, field, ",")
                for (j = 1; j <= n; j++)
                    at[field[j]] = j
            }
        }
        close(file)
        split(line, field, ",")
        time = field[at[$1 ~ /end_to_end|transfer/ ? "end_to_end_s" : "time_s"]]
        if ($1 ~ /split_total/)
            time += field[at["read_s"]] + field[at["copy_in_s"]] + field[at["copy_out_s"]] + field[at["write_s"]]
        print $1 "\t" time * 1000
    }' CONVFMT=%.9g OFMT=%.9g docs/report/facts.csv >"$folder/exact"
ok "dozens of times name one row" test "$(wc -l <"$folder/exact")" -ge 80
agree "and each is that row's" 3

# ---- links --------------------------------------------------------------------------------------------------

# What is in the tree: what git knows or would take, or all there is where there is no git.
{ git ls-files --cached --others --exclude-standard 2>/dev/null || find . -type f | sed 's|^\./||'; } >"$folder/tree"
[ -s "$folder/tree" ] || find . -type f | sed 's|^\./||' >"$folder/tree"

# Templates aside: their links are those of the reports made from them.
for text in README.md README.ja.md docs/*.md docs/report/*.md report/README.md report/TABLES.md lab*/README.md \
    plots/README.md data/README.md data/reference/README.md; do
    [ ! -f "$text" ] || echo "$text"
done >"$folder/texts"

cat >"$folder/links.awk" <<'AWK'
# GitHub's rule: small letters, no punctuation but - and _, blanks to hyphens; -1, -2 to repeated ones.
# Beyond ASCII too only letters and digits of full worth stay, so these go: U+2000 to U+22BF (dashes,
# superscripts, arrows, mathematics), the punctuation of CJK (U+3000 to U+303F without 々 〆 〇), the
# middle dot, the full-width forms of punctuation, and of Latin-1 the signs, but ª µ º.
function anchor(heading,    name)
{
    name = heading
    sub(/^#+[ \t]+/, "", name)
    sub(/[ \t]+#*[ \t]*$/, "", name)
    while (match(name, /\]\([^)]*\)/)) # a link's text remains
        name = substr(name, 1, RSTART - 1) substr(name, RSTART + RLENGTH)
    gsub(/[!-,.\/:-@[-^`{-~]/, "", name)
    gsub(/\342[\200-\212][\200-\277]/, "", name)
    gsub(/\343\200[\200-\204\210-\277]/, "", name)
    gsub(/\343\203\273/, "", name)
    gsub(/\357\274[\201-\217\232-\240\273-\277]/, "", name)
    gsub(/\357\275[\200\233-\245]/, "", name)
    gsub(/\302[\240-\251\253-\264\266-\271\273-\277]|\303[\227\267]/, "", name)
    gsub(/[ \t]/, "-", name)
    return tolower(name)
}

FILENAME == tree {
    file[$0] = 1
    while (sub(/\/[^\/]*$/, ""))
        folder[$0] = 1
    next
}

FNR == 1 { code = 0 }
/^ *```/ { code = !code; next }
code { next }

/^#+ / {
    name = anchor($0)
    if ((FILENAME, name) in times)
        name = name "-" times[FILENAME, name]++
    else
        times[FILENAME, name] = 1
    heading[FILENAME "#" name] = 1
}

{
    gsub(/`[^`]*`/, "x") # no links in code
    while (match($0, /\]\([^() ]*(\([^()]*\)[^() ]*)*[ )]/)) {
        link[++n] = substr($0, RSTART + 2, RLENGTH - 3)
        from[n] = FILENAME
        line[n] = FNR
        $0 = substr($0, RSTART + RLENGTH)
    }
}

function there(path,    text, status)
{
    if (!(path in file))
        return path in folder
    status = (getline text < path)
    close(path)
    return status >= 0
}

END {
    for (i = 1; i <= n; i++) {
        target = link[i]
        if (target ~ /^[a-z]+:/)
            continue
        links++
        fragment = ""
        if ((at = index(target, "#")) > 0) {
            fragment = substr(target, at)
            target = substr(target, 1, at - 1)
        }
        if (target == "")
            path = from[i]
        else {
            path = from[i]
            if (!sub(/[^\/]*$/, "", path))
                path = ""
            path = path target
            sub(/\/$/, "", path)
            while (sub(/(^|\/)\.\//, "/", path))
                sub(/^\//, "", path)
            while (sub(/[^\/]+\/\.\.\//, "", path) || sub(/[^\/]+\/\.\.$/, "", path))
                ;
            sub(/\/$/, "", path)
        }
        if (!there(path))
            print from[i] ":" line[i] ": " link[i] ": no such file"
        else if (fragment != "" && path ~ /\.md$/ && !((path fragment) in heading))
            print from[i] ":" line[i] ": " link[i] ": no such heading"
    }
    if (links < at_least)
        print "only " links + 0 " links"
}
AWK

# links TREE AT_LEAST TEXT...: what is wrong with the relative links of some texts
links() {
    links_tree=$1 links_least=$2
    shift 2
    awk -v tree="$links_tree" -v at_least="$links_least" -f "$folder/links.awk" "$links_tree" "$@"
}
# shellcheck disable=SC2046 # names without blanks
is "every relative link and image of every text leads to a file of the tree, and to a heading there" \
    "$(links "$folder/tree" 200 $(cat "$folder/texts"))" ''

# The check itself: it sees what is wrong, and knows GitHub's anchors.
mkdir -p "$folder/links/sub"
cat >"$folder/links/sub/a.md" <<'END'
# The `code` of a_name: 3 x 4, [link](b.md)!
## 誤り・欠測（表）と、µ 10⁻⁵
## Twice
## Twice
[1](#the-code-of-a_name-3-x-4-link) [2](#誤り欠測表とµ-10) [3](#twice-1) [4](../c.md#c) [5](https://h.invalid/x) [6](../sub) `[no](link)`
![7](none.png) [8](#twice-2) [9](../c.md#d) [10](../../out.md)
END
printf '# C\n' >"$folder/links/c.md"
: >"$folder/links/sub/b.md"
(cd "$folder/links" && find . -type f | sed 's|^\./||' >../links.tree)
is "the check of links finds the wrong ones, and only those" \
    "$(cd "$folder/links" && links ../links.tree 5 sub/a.md c.md | sed 's/^[^ ]* //')" 'none.png: no such file
#twice-2: no such heading
../c.md#d: no such heading
../../out.md: no such file'

# ---- reports of other machines ---------------------------------------------------------------------------

results=$folder/results
mkdir -p "$folder/no-figures"

# The recorded results with times and rates of the H200's host that no other machine has: 98765.4 is
# never to be shown but as that host's.
cp -r $reference "$folder/reference"
for file in "$folder/reference/nvidia-h200"/lab*.csv; do
    awk -F , 'BEGIN { OFS = "," } $3 == "cpu" { $12 = $25 = $26 = 98765.4 } 1' "$h200/$(basename "$file")" >"$folder/host.csv"
    mv -f "$folder/host.csv" "$file" # which may be read-only
done
hosts='(^|[^0-9.])98(765|770|800)'

# unsound REPORT: what no report may have: numbers that are none, directives, a blank where a number
# should be, a section or table without anything in it. What tables hold is text of the results.
unsound() {
    awk '
        /^```/ { code = !code }
        /(^|[^A-Za-z])-?([Nn][Aa][Nn]|[Ii][Nn][Ff])([^A-Za-z]|$)/ { print FILENAME ":" NR ": no number: " $0 }
        /^\|[-:|]+$/ { rule = NR }
        rule == NR - 1 && rule && !/^\|/ { print FILENAME ":" rule ": a table without rows" }
        /^#/ && !code {
            match($0, /^#+/)
            if (empty && RLENGTH <= level)
                print FILENAME ":" empty ": an empty section"
            level = RLENGTH
            empty = NR
            next
        }
        /[^ ]/ { empty = 0 }
        code || /^\|/ || /^\$\$/ || /^!/ { next }
        /\{\{|\}\}/ { print FILENAME ":" NR ": a directive: " $0 }
        /[^ ]  |``|\(\)| [.,;:]( |$)|^[.,;:]|（）|「」|。。|、、|、。|^。/ { print FILENAME ":" NR ": something is missing: " $0 }
        END { if (!NR || empty) print FILENAME ": it ends too early" }' "$1"
}
printf '%s\n' '## A' '## B' 'It takes  ms, nan.' '' '| a |' '|---|' '' 'See ``.' '{{x}}' >"$folder/unsound.md"
is "what is unsound is seen" "$(unsound "$folder/unsound.md" | wc -l | tr -d ' ')" 6

# reported NAME: the reports of $results/NAME, in both languages, in $folder/reports/NAME; and that they
# are sound.
reported() {
    out=$folder/reports/$1
    ok "$1: analysed" "$B/analyse" --results "$results" --reference "$folder/reference" --out "$out" "$1"
    for lang in en ja; do
        ok "$1: reported ($lang)" build $lang "$out" "$folder/no-figures" "$out"
    done
    is "$1: and the reports are sound" "$(unsound "$out/report.md"; unsound "$out/report.ja.md")" ''
    is "$1: the H200's host is not taken for this machine" "$(awk -v hosts="$hosts" '
        match($0, hosts) && substr($0, RSTART - 100 > 1 ? RSTART - 100 : 1, 200) !~ /host|ホスト/ { print FILENAME ":" $0 }
        ' "$out/report.md" "$out/report.ja.md")" ''
}

# has NAME TEXT: both reports have the text
has() {
    ok "$1" grep -q -F -e "$2" "$out/report.md"
    ok "also in Japanese" grep -q -F -e "$2" "$out/report.ja.md"
}

# begin NAME; then file LAB ROW...
head=variant,kind,parameters,width,height,block_x,block_y,threads_per_block,time_s,end_to_end_s,cache,bytes,flops
head=$head,registers,occupancy,status,note
begin() {
    machine=$1
    mkdir -p "$results/$machine"
}
file() {
    file_name=$results/$machine/$1.csv
    shift
    printf '%s\n' "$head" "$@" >"$file_name"
}

# A newcomer without a GPU, with the suite's own programs at small sizes; where those would find a GPU,
# with rows of a CPU.
begin my-pc
if [ "$BACKEND" = cpu ]; then
    run() {
        "$B/$1" --time-cap 0.005 --machine my-pc --csv "$results/my-pc/$2.csv" --sizes "$3" --blocks "$4"
    }
    ok "a newcomer runs lab 1" run vecadd lab1_vecadd '1024 4096' '64 256'
    ok "lab 2" run matprod lab2_matprod '32 64' '4 8'
    ok "and lab 3" run bilateral lab3_bilateral '32x24 64x48' '4 8'
else
    for lab in lab1_vecadd lab2_matprod lab3_bilateral; do
        awk -F , 'BEGIN { OFS = "," } NR > 1 { $4 = "my-pc" } NR == 1 || ($3 == "cpu" && $6 <= 4096)' $h200/$lab.csv \
            >"$results/my-pc/$lab.csv"
    done
fi
reported my-pc
like "the report says that there is no GPU" "$(cat "$out/report.md")" 'No GPU was measured on this machine'
like "also in Japanese" "$(cat "$out/report.ja.md")" 'GPU を計測していません'
has "and whose kernels it shows" 'NVIDIA H200'
has "by a name" 'H200 (recorded)'
is "the CPU's times are its own" "$(awk -F , 'NR > 1 { print $1 " " $2 }' "$out/tables/lab2_cpu.csv" | head -n 2)" \
    "$(rows "$results/my-pc/lab2_matprod.csv" width,time_s variant=cpu,parameters.cpu_threads= | head -n 2 | awk -F '\t' '{
        ms = $2 * 1000 * (1 + 1e-12)
        text = sprintf("%.4g", ms)
        print $1 " " text }')"
has "and in the report" "| $(sed -n '2s/,.*//p' "$out/tables/lab2_cpu.csv") | $(awk -F , 'NR == 2 { print $2 }' "$out/tables/lab2_cpu.csv") |"
ok "labs that it did not run have no section" not grep -q -e '^### 4\.[456]' "$out/report.md"
like "they are told to be missing" "$(cat "$out/report.md")" '^\| lab4 \| missing \|'
has "by their files" 'lab6\_banding.csv'

# Rows that went wrong.
begin odd
file lab2_matprod \
    'cpu,cpu,type=f32,64,64,,,,0.064,,hot,49152,524288,,,ok,' \
    'naive,gpu,type=f32,64,64,8,8,64,0.002,0.003,cold,49152,524288,26,1,ok,' \
    'tuned,gpu,type=f32,64,64,8,8,64,0.0007777,0.0008888,cold,49152,524288,26,1,wrong,"C(3,4) is 5, not 7"' \
    'large,gpu,type=f32,64,64,32,32,1024,,,cold,49152,524288,26,1,failed,too many resources asked for' \
    'winged,gpu,type=f32,64,64,8,8,64,,,cold,49152,524288,26,1,skipped,needs a card with wings'
reported odd
has "a wrong row is told with its note" 'C(3,4) is 5, not 7'
like "and counted" "$(cat "$out/report.md")" '\*\*Wrong: 1\.\*\* Failed: 1\.'
like "at the top, too" "$(cat "$out/report.md")" '\*\*Not all went well\.\*\*'
is "its time is nowhere" "$(grep -n -E -e '0\.77[78]|0\.88[89]|0\.00077|7777|tuned.*gpu' "$out"/report*.md)" ''
has "a failed row is told" 'too many resources asked for'
has "and a skipped one" 'needs a card with wings'
has "what went well is there" '| naive | gpu | 8x8 | 2 | 3 |'

# Notes that are markup.
begin hostile
file lab2_matprod \
    'cpu,cpu,type=f32,64,64,,,,0.064,,hot,49152,524288,,,ok,' \
    'a,gpu,type=f32,64,64,8,8,64,,,cold,,,,,failed,"{{lab2.cpu_ms}} {{end}} {{else}}"' \
    'b,gpu,type=f32,64,64,8,8,64,,,cold,,,,,failed,"<script>alert(1)</script> <!-- | a | b |"' \
    'c,gpu,type=f32,64,64,8,8,64,,,cold,,,,,failed,"``` $x$ [l](http://h.invalid/) **b**' \
    '' '# heading' '| cell |"' \
    'd|e`f,gpu,type=f32,64,64,8,8,64,0.001,,cold,49152,524288,,,ok,'
reported hostile
for page in "$out/report.md" "$out/report.ja.md"; do
    is "hostile notes: no element, heading or cell of theirs in $(basename "$page")" \
        "$(grep -c -e '^<script' -e '[^\]<script' -e '[^\]<!--' -e '^# heading' -e '^| cell' "$page")" 0
    is "each in its row of six cells" "$(awk '/^\| lab2 \| failed/ { gsub(/\\\|/, ""); n = gsub(/\|/, ""); print n }' "$page" | tr '\n' ' ')" '7 7 7 '
done
has "directives in them are text" '{{lab2.cpu'

# GPU rows alone, then nothing that went well.
begin gpu-only
file lab2_matprod \
    'naive,gpu,type=f32,64,64,8,8,64,0.002,0.003,cold,49152,524288,26,1,ok,' \
    'naive,gpu,type=f32,64,64,16,16,256,0.00125,0.003,cold,49152,524288,26,1,ok,' \
    'cublas,vendor,type=f32,64,64,,,,0.001,0.003,cold,49152,524288,,,ok,'
file lab1_vecadd 'naive,gpu,type=f32,1024,1,256,1,256,0.000375,0.003,cold,12288,1024,26,1,ok,'
reported gpu-only
has "a GPU without CPU rows has its times in the report" '| naive | gpu | 16x16 | 1.25 | 3 |'
has "those of every lab" '| naive | gpu | 256 | 0.375 | 3 |'
ok "it is not said to have no GPU" not grep -q 'no GPU' "$out/report.md"

begin luckless
file lab1_vecadd 'cpu,cpu,type=f32,1024,1,,,,,,hot,12288,1024,,,failed,power cut'
file lab2_matprod 'naive,gpu,type=f32,64,64,8,8,64,0.002,,cold,49152,524288,26,1,wrong,all of it'
reported luckless
has "where nothing went well that is told" 'power cut'

# One lab alone: each of the recorded ones; then all of them at one size and block.
for file in "$h200"/lab*.csv; do
    name=only-$(basename "$file" .csv)
    mkdir -p "$results/$name"
    cp "$file" "$results/$name/"
    reported "$name"
    case $name in
        only-lab[1-6]*)
            n=${name#only-lab}
            n=${n%%_*}
            has "its section is there" "### 4.$n "
            is "alone" "$(grep -c '^### 4\.' "$out/report.md")" 1
            ;;
    esac
    case $name in
        only-lab[234]*) has "and its kernels' occupancy" '| naive | 16x16 | 256 | ' ;;
    esac
done

begin single
for lab in lab1_vecadd:268435456:256 lab2_matprod:1024:16 lab3_bilateral:1024:16 lab4_template:1024:16 lab5_gaussian:6720:32 lab6_banding:1920:32; do
    name=${lab%%:*} size=${lab#*:}
    awk -F , -v width="${size%:*}" -v block="${size#*:}" \
        'NR == 1 || ($5 !~ /cpu_threads|transfer/ && $6 == width && ($8 == "" || ($8 == block && $9 ~ /^(1|8|16)$/)))' \
        "$h200/$name.csv" >"$results/single/$name.csv"
done
reported single
has "a single size and block make a report" '### 4.6'

# A million rows.
begin million
awk -v head="$head" 'BEGIN {
    print head
    split("1 2 4 8 16 32", side, " ")
    for (n = 1; n <= 500; n++)
        print "cpu,cpu,type=f32," n "," n ",,,," n * 1e-3 ",,hot," 12 * n * n "," 2 * n * n * n ",,,ok,"
    for (i = 0; i < 999500; i++) {
        n = i % 500 + 1
        block = side[int(i / 500) % 6 + 1]
        print "v" int(i / 3000) ",gpu,type=f32," n "," n "," block "," block "," block * block "," n * 1e-6 ",,cold," 12 * n * n "," 2 * n * n * n ",26,1,ok,"
    }
}' >"$results/million/lab2_matprod.csv"
is "a file has a million rows" "$(wc -l <"$results/million/lab2_matprod.csv" | tr -d ' ')" 1000001
reported million
has "they are counted" 1000000

done_testing
