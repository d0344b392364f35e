# shellcheck shell=sh disable=SC2154 # variables of draw.sh
# analysis.sh - the figures of the analysis, drawn from the tables that analyse writes; part of draw.sh,
# whose figure(), skip() and variables it uses. README.md lists the figures.

# table NAME COLUMNS: the rows of $tables/NAME.csv to $work/NAME.table; fails where there are none, and
# sets $why.
table() {
    why="there is no table $1.csv"
    [ -f "$tables/$1.csv" ] || return 1
    if ! awk -v table=1 -v columns="$2" -f "$plots/select.awk" "$tables/$1.csv" >"$work/$1.table"; then
        failures=$((failures + 1))
        why="$1.csv cannot be read"
        return 1
    fi
    why="table $1.csv is empty"
    [ -s "$work/$1.table" ]
}

# optional NAME COLUMNS: the same; a table that is not there is like an empty one.
optional() {
    table "$@" || : >"$work/$1.table"
}

# read_facts: sets $gpu_heading, the machine as the heading names it where kernels are drawn, by the
# facts that lie beside the folder of tables.
read_facts() {
    gpu_heading=$machine
    [ -f "$tables/../facts.csv" ] || return
    awk -v table=1 -v columns=name,value -f "$plots/select.awk" "$tables/../facts.csv" >"$work/facts" ||
        failures=$((failures + 1))
    label=$(awk -F '\t' '$1 == "gpu_recorded" { recorded = 1 } $1 == "gpu_label" { label = $2 }
        END { if (recorded) print label }' "$work/facts")
    [ -z "$label" ] || gpu_heading="GPU: $label, CPU: $machine"
}

# to_points PROGRAM ARGUMENT...: runs an awk program of points; its files go to a fresh $work/points,
# what it prints to $words.
to_points() {
    program=$1
    shift
    rm -rf "$work/points"
    mkdir "$work/points"
    words=$(awk -v folder="$work/points" -f "$plots/text.awk" -f "$plots/$program" "$@")
}

# to_bars FIGURE ROWS [LAB]: the same for bars; sets $title_words, too.
to_bars() {
    rm -rf "$work/points"
    mkdir "$work/points"
    words=$(awk -v figure="$1" -v folder="$work/points" -v lab="${3:-}" -f "$plots/text.awk" \
        -f "$plots/layout.awk" -f "$plots/tables.awk" "$2") || return 1
    title_words=${words%%"$tab"*}
    words=${words#*"$tab"}
}

occupancy() {
    for number in 1 2 3 4 5 6; do
        name=lab${number}_occupancy
        case $number in
        2) program_2012=matprod ;;
        3) program_2012=bilateral ;;
        4) program_2012=template ;;
        *) program_2012='' ;;
        esac
        if ! table "$name" variant,block,occupancy_percent,time_ms; then
            skip "$name" "$why"
        elif optional occupancy_2012 program,row,1,2,4,8,16,32 &&
            to_points occupancy.awk -v lab="lab$number" -v program="$program_2012" "$work/$name.table" \
                "$work/occupancy_2012.table"; then
            figure "$name" occupancy.gp "$work/points" \
                "$words: occupancy and time by block size" "$gpu_heading" "$past_label"
        else
            skip "$name" 'no row has an occupancy or a time'
        fi
    done
}

amdahl() {
    if ! table scaling lab,cpu_threads,speedup; then
        skip amdahl_measured "$why"
    elif optional amdahl lab,size,parallel_percent &&
        to_points amdahl.awk "$work/amdahl.table" "$work/scaling.table"; then
        figure amdahl_measured amdahl_measured.gp "$work/points" "$machine"
    else
        skip amdahl_measured 'no row has a speedup'
    fi
}

rooflines() {
    for processor in gpu cpu; do
        name=roofline_$processor
        heading=$machine what='Roofline of the CPU'
        [ "$processor" = cpu ] || { heading=$gpu_heading && what='Roofline of the GPU'; }
        if ! table ceilings processor,gb_per_s,gflop_per_s ||
            ! table roofline processor,lab,variant,size,flop_per_byte,gflop_per_s,roof_percent; then
            skip "$name" "$why"
        elif to_points roofline.awk -v processor=$processor -v height=190 "$work/ceilings.table" \
            "$work/roofline.table"; then
            figure "$name" roofline.gp "$work/points" "$what$words" "$heading" 190
        else
            skip "$name" "no ceilings or no rates of the $processor"
        fi
    done
}

exponents() {
    if ! table fit_points lab,variant,block,size,x,time_ms,fit_ms; then
        skip exponents "$why"
    elif optional exponents lab,variant,block,exponent_small,exponent_large,bend_size,theory_2012 &&
        to_points exponents.awk "$work/exponents.table" "$work/fit_points.table"; then
        figure exponents exponents.gp "$work/points" "$gpu_heading$words"
    else
        skip exponents 'no row has a time'
    fi
}

# table_bars NAME COLUMNS WHAT X_TITLE WIDTH: a figure of bars, its table of the same name.
table_bars() {
    if ! table "$1" "$2"; then
        skip "$1" "$why"
    elif to_bars "$1" "$work/$1.table"; then
        figure "$1" bars.gp "$work/points" "$3" "$gpu_heading$words" "$4" linear "$5"
    else
        skip "$1" 'no row has a value'
    fi
}

# analysis: all figures of one machine.
analysis() {
    figure amdahl_formula amdahl_formula.gp
    if [ -z "$tables" ]; then
        say 'the other figures of the analysis are skipped: no --tables'
        return
    fi
    read_facts
    occupancy
    amdahl
    rooflines
    exponents
    table_bars split \
        lab,size,variant,total_ms,limit,read_ms,copy_in_ms,kernel_ms,copy_out_ms,write_ms \
        'Where the time goes, from file to file' 'share of the total time / %' 800
    table_bars profile \
        lab,variant,occupancy_percent,achieved_percent,compulsory_mb,dram_mb,issue_percent \
        'Theory beside measurement: occupancy, memory traffic, issue' '' 900
}

# comparison: the figures of several machines, from the table `compare`.
comparison() {
    if ! table compare '*'; then
        for name in compare compare_lab1 compare_lab2 compare_lab3 compare_lab4 compare_lab5 compare_lab6; do
            skip "$name" "$why"
        done
        return
    fi
    machines=$(awk -F '\t' 'NR == 1 { print NF - 4 " machines" }' "$work/compare.table")
    if to_bars compare_best "$work/compare.table"; then
        figure compare bars.gp "$work/points" 'CPU and GPU in each lab' \
            "$machines$words; GPU: the fastest variant that most of them have" 'time / ms' log
    else
        skip compare 'no row has a time'
    fi
    for number in 1 2 3 4 5 6; do
        if to_bars compare "$work/compare.table" "lab$number"; then
            figure "compare_lab$number" bars.gp "$work/points" "$title_words" \
                "$machines$words; best block of each variant" 'time / ms' log
        else
            skip "compare_lab$number" "no row of lab$number has a time"
        fi
    done
}
