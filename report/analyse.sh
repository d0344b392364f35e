#!/bin/sh
# analyse.sh - a machine's rows to the report's tables and facts, by SQL.
#
#   sh report/analyse.sh --results DIR --labs LABS.csv --out OUT MACHINE
#   sh report/analyse.sh --results DIR --labs LABS.csv --out OUT --compare MACHINE...
#
#   OUT/results.db     all rows, and every table as a view: `make sql` opens it
#   OUT/tables/*.csv   the views, in full precision; a table without rows has no file
#   OUT/facts.csv      the facts of the report's sentences: name, value, digits, source
#
# LABS.csv is what the programs say of themselves (--describe). With --compare the tables of several
# machines (compare.sql). What sqlite3 says of a broken file goes to stderr. A copy, lab1_vecadd (old).csv,
# is passed over, which a line tells. Exit status: 0, also where rows are wrong, which the table `problems`
# tells; 2 for a wrong command line or a machine without rows; 1 where a step failed, or a file is cut off.

here=$(unset CDPATH && cd -- "$(dirname -- "$0")" && pwd) || exit 1
results='' labs='' out='' compare='' options='results labs out' flags='compare'
# shellcheck source=tools/options.sh
. "$here/../tools/options.sh"
[ -n "$results" ] || refuse 'needs --results DIR'
[ -n "$out" ] || refuse 'needs --out OUT'
[ -r "$labs" ] || refuse "cannot read '$labs'"
[ $# -gt 0 ] || refuse 'which machine?'
[ $# -eq 1 ] || [ -n "$compare" ] || refuse 'one machine, or --compare for several'
command -v sqlite3 >/dev/null || refuse 'the tables need sqlite3; make setup installs it'

export HOME="$work" # a user's .sqliterc is for his own questions

# printed: the folders of numbers that a source prints. A run's own folder has a run.json.
printed() {
    for folder in "$here"/../data/reference/*/; do
        [ -f "$folder/run.json" ] || printf '%s\n' "$folder"
    done
}

# origins MACHINE...: lines of an origin and its folder. What other sources print stands beside.
origins() {
    n=0
    for machine in "$@"; do
        folders=$(sh "$here/../tools/stand_in.sh" --results "$results" "$machine") || exit 2
        n=$((n + 1))
        [ -z "$compare" ] || printf 'own%03d %s\n' "$n" "$(printf '%s\n' "$folders" | head -n 1)"
    done
    [ -n "$compare" ] || { printf '%s\n' "$folders" && printed; } | awk -F / '
        !seen[$NF == "" ? $(NF - 1) : $NF]++ {
            print (NR == 1 ? "own" : NR == 2 ? "gpu" : NR == 3 ? "past" : "beside" NR), $0
        }'
}

# import FILE TABLE [ORIGIN]: appends a CSV file to a table by its columns' names; a column that it lacks and
# an empty cell are null.
import() {
    [ ! -s "$work/$1" ] || cat <<END
.import --csv $1 one
.once insert.sql
select printf('insert into $2(origin, file, line, %s)
    select ''${3:-${1%/*}}'', ''${1##*/}'', rowid + 1, %s from one;',
  group_concat(printf('"%w"', name)), group_concat(printf('nullif("%w", '''')', name)))
from pragma_table_info('$2') join pragma_table_info('one') using (name);
.read insert.sql
drop table one;
END
}

# import_rows PREFIX TABLE NEEDS: the files PREFIX*.csv of $folder, but for strays.
import_rows() {
    for file in "$folder/$1"*_*.csv; do
        [ -s "$file" ] || continue
        why=$(awk -v needs="$3" -v ends="$(tail -c 1 "$file")" -f "$here/../tools/csv.awk" \
            -f "$here/../tools/stray.awk" -f "$here/whole.awk" "$file")
        fell=$?
        [ -z "$why" ] || say "$why"
        case $fell in 0) ;; 3) continue ;; *) exit 1 ;; esac
        import "$origin/${file##*/}" "$2"
    done
}

# take ORIGIN FOLDER: a folder's rows.
take() {
    name=$(basename "$2" | sed "s/'/''/g")
    place=$name/
    [ "$1" != own ] || place=''
    echo "insert into origin values ('$1', '$name', '$place');"
    ln -s "$(cd "$2" && pwd)" "$work/$1" || exit 1
    folder=$2 origin=$1
    import_rows lab csv 'variant width height time_s status'
    import_rows timeline_lab stream_steps ''
    import "$1/profile.csv" counters
    # Estimates are the card's, whoever measured its rows.
    recorded=$(cd "$here/../data/reference" && pwd)/$(basename "$2")
    [ -f "$2/estimates.csv" ] || [ ! -f "$recorded/estimates.csv" ] || ln -s "$recorded/estimates.csv" "$work/estimates/$1"
    import "$1/estimates.csv" estimates
    import "estimates/$1" estimates "$1"
}

# alone MACHINE...: each by itself, to $work/alone/own001 and so on: what bounds its kernels.
alone() {
    n=0
    for machine in "$@"; do
        n=$((n + 1))
        sh "$here/analyse.sh" --results "$results" --labs "$labs" \
            --out "$work/alone/$(printf 'own%03d' $n)" "$machine" 2>"$work/said" || {
            cat "$work/said" >&2
            exit 1
        }
    done
}

origins "$@" >"$work/origins" || exit
mkdir "$work/tables" "$work/labs" "$work/estimates" && cp "$labs" "$work/labs/labs.csv" &&
    ln -s "$here" "$work/report" || exit 1
find "$here"/../lab*_*/ -maxdepth 1 \( -name '*.cu' -o -name '*.cuh' -o -name '*.h' \) \
    -exec awk -f "$here/effort.awk" {} + >"$work/labs/effort.csv"
[ -z "$compare" ] || alone "$@"
(
    # A run that is cut off leaves no database: nothing has to reach the disk in order, and all is one
    # transaction, two thirds of the time of hundreds, unless it attaches others.
    printf '%s\n' '.once /dev/null' 'pragma journal_mode = off;' 'pragma synchronous = off;' \
        'pragma temp_store = memory;' "${compare:+-- }begin;"
    cat "$here/schema.sql"
    import labs/labs.csv labs
    import labs/effort.csv effort
    while read -r origin folder; do
        take "$origin" "$folder"
    done <"$work/origins"
    cd "$here" || exit 1
    if [ -n "$compare" ]; then
        cat rows.sql bars.sql compare.sql
    else
        cat rows.sql tables.sql diagnosis.sql facts.sql bars.sql figures.sql curves.sql \
            ../lab*_*/report.sql ladder.sql gpus.sql 2>/dev/null
    fi
    cat export.sql
    echo "${compare:+-- }commit;"
) >"$work/all.sql" || exit 1
(cd "$work" && sqlite3 -bail results.db <all.sql) || {
    say 'the tables could not be made'
    exit 1
}
sqlite3 "$work/results.db" 'select text from remark' >"$work/remarks"
while read -r line; do
    say "$line"
done <"$work/remarks"
find "$work/tables" -size 0 -exec rm {} +
mkdir -p "$out" && rm -rf "$out/tables" &&
    mv "$work/tables" "$out/" && put "$work/facts.csv" "$out/facts.csv" &&
    put "$work/results.db" "$out/results.db"
