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
# LABS.csv is what the programs say of themselves (--describe). With --compare the one table of
# several machines. Exit status: 0, also where rows are wrong or files broken, which the table
# `problems` tells; 2 for a wrong command line or a machine without rows; 1 where a step failed.

set -u
LC_ALL=C
export LC_ALL
unset CDPATH

here=$(cd -- "$(dirname -- "$0")" && pwd) || exit 1

refuse() {
    printf 'analyse.sh: %s\n' "$1" >&2
    exit 2
}

results='' labs='' out='' compare=''
while [ $# -gt 0 ]; do
    case $1 in
        --compare) compare=yes && shift && continue ;;
        --*) [ $# -gt 1 ] || refuse "$1 needs a value" ;;
    esac
    case $1 in
        --results) results=$2 ;;
        --labs) labs=$2 ;;
        --out) out=$2 ;;
        --*) refuse "unknown option $1" ;;
        *) break ;;
    esac
    shift 2
done
for given in "results$results" "labs$labs" "out$out"; do
    case $given in results | labs | out) refuse "--$given is missing" ;; esac
done
[ -r "$labs" ] || refuse "cannot read $labs"
[ $# -gt 0 ] || refuse 'which machine?'
[ $# -eq 1 ] || [ -n "$compare" ] || refuse 'one machine, or --compare for several'
command -v sqlite3 >/dev/null || refuse 'the tables need sqlite3; make setup installs it'

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
HOME=$work # a user's .sqliterc is for his own questions
export HOME
trap 'exit 130' INT
trap 'exit 143' TERM

# A text as SQL has it, in quotes.
quoted() {
    printf "'%s'" "$(printf %s "$1" | sed "s/'/''/g")"
}

# take ORIGIN FOLDER NAME: copies a folder's files to where the import finds them, and notes whose
# they are. NAME goes before a file's in a fact's source.
take() {
    mkdir -p "$work/$1" || exit 1
    for file in "$2"/lab*_*.csv "$2/profile.csv" "$2/run.json"; do
        [ ! -f "$file" ] || cp "$file" "$work/$1/" || exit 1
    done
    echo "insert into origin values ('$1', $(quoted "$(basename "$2")"), $(quoted "$3"));"
}

# import ORIGIN FILE TABLE: appends a CSV file to a table by its columns' names. A column that the
# file lacks is empty; what sqlite3 complains of goes to the table `broken`.
import() {
    cat <<END
.import --csv $1/$2 one
.once add.sql
select printf('alter table one add column "%w" default '''';', name)
from pragma_table_info('$3') where name not in (select name from pragma_table_info('one'))
  and name not in ('origin', 'file', 'line');
.read add.sql
.once insert.sql
select printf('insert into $3(origin, file, line, %s)
  select ''$1'', ''$2'', rowid + 1, %s from one;',
  group_concat(printf('"%w"', name)), group_concat(printf('nullif("%w", '''')', name)))
from pragma_table_info('$3') where name not in ('origin', 'file', 'line');
.read insert.sql
drop table one;
END
}

# import_all: every file that was taken, each in a run of sqlite3 of its own, whose complaints are
# the file's.
import_all() {
    for path in "$work"/*/*.csv; do
        [ -f "$path" ] || continue
        origin=$(basename "$(dirname "$path")")
        name=$(basename "$path")
        case $name in
            labs.csv) table=labs ;;
            profile.csv) table=counters ;;
            *) table=csv ;;
        esac
        import "$origin" "$name" "$table" | (cd "$work" && sqlite3 results.db) 2>"$work/complaints"
        [ ! -s "$work/complaints" ] ||
            echo "insert into broken values ('$origin', '$name', $(
                quoted "$(sed -n '1s/^[^ ]*: *//p' "$work/complaints")"));"
    done
}

# The folders of all machines, before anything is written.
if [ -n "$compare" ]; then
    n=0
    for machine in "$@"; do
        folders=$(sh "$here/../tools/stand_in.sh" --results "$results" "$machine") || exit 2
        n=$((n + 1))
        own=$(printf '%s\n' "$folders" | sed -n 1p)
        take "$(printf own%03d "$n")" "$own" "$machine/" || exit 1
    done >"$work/origins.sql"
else
    folders=$(sh "$here/../tools/stand_in.sh" --results "$results" "$1") || exit 2
    own=$(printf '%s\n' "$folders" | sed -n 1p)
    gpu=$(printf '%s\n' "$folders" | sed -n 2p)
    past=$(printf '%s\n' "$folders" | sed -n 3p)
    {
        take own "$own" ''
        [ "$gpu" = "$own" ] || take gpu "$gpu" "$(basename "$gpu")/"
        [ "$past" = "$own" ] || take past "$past" "$(basename "$past")/"
        n=0
        for other in "$here"/../data/reference/*/; do
            other=$(basename "$other")
            case " $(basename "$own") $(basename "$gpu") $(basename "$past") " in
                *" $other "*) continue ;;
            esac
            n=$((n + 1))
            take "beside$n" "$here/../data/reference/$other" "$other/"
        done
    } >"$work/origins.sql" || exit 1
fi
mkdir "$work/labs" && cp "$labs" "$work/labs/labs.csv" || exit 1
mkdir -p "$out" && rm -rf "$out/tables" && mkdir "$out/tables" || exit 1

sql() {
    (cd "$work" && sqlite3 -bail results.db) || {
        echo 'analyse.sh: the tables could not be made' >&2
        exit 1
    }
}

# The rows, as they are in the files; then what the .sql files make of them.
cat "$here/schema.sql" "$work/origins.sql" | sql || exit 1
import_all >"$work/broken.sql" && sql <"$work/broken.sql" || exit 1
if [ -n "$compare" ]; then
    cat "$here/rows.sql" "$here/bars.sql" "$here/compare.sql" | sql || exit 1
else
    cat "$here/rows.sql" "$here/tables.sql" "$here/facts.sql" "$here/bars.sql" "$here/figures.sql" \
        "$here"/../lab*_*/report.sql 2>/dev/null | sql || exit 1
fi

# Every view is a table of the report; `filled` names those that have rows.
sql <<'END' || exit 1
.shell mkdir tables
create table filled(name);
.once filled.sql
select printf('insert into filled select %Q where exists (select * from "%w");', name, name)
from sqlite_master where type = 'view';
.read filled.sql
.once export.sql
select printf('.once tables/%s.csv%sselect * from "%w";', name, char(10), name) from filled;
.headers on
.mode csv
.separator , "\n"
.once facts.csv
select name, value, digits, source from fact;
.read export.sql
END
set -- "$work"/tables/*.csv
[ ! -f "$1" ] || cp "$@" "$out/tables/" || exit 1
cp "$work/facts.csv" "$work/results.db" "$out/"
