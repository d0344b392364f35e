#!/bin/sh
# faults.t - what a run leaves behind when a call of the CUDA runtime fails (fault/calls.cpp), a
# write does, or all of it is killed. It ends with one line that names what failed, and a status
# that tells; rows that were saved can be read, none has a time without a passed check; no half file
# is left; and with --resume there are the rows of an undisturbed run, and no temporary file.
#
# `make test` tries some. FAULTS=all, which `make test-faults` sets, tries every call with each
# error, 50 moments and all files; FAULTS="copies 999 57" the one call that a failure names so.
. tests/tap.sh
thorough_only
export OMP_NUM_THREADS=1
here=$folder/here every=499 moments=20 files='rows|map'
if [ "${FAULTS:=some}" = all ]; then
    every=1 moments=$(seq 50) files=''
    # In a namespace of its own a test may mount what is full, or cannot be written.
    if [ -z "${UNSHARED:-}" ] && unshare -m true 2>"$folder/err"; then
        rm -rf "$folder"
        UNSHARED='disk folder' exec unshare -m sh "$0"
    fi
fi
[ "$BACKEND" = cpu ] || every=$((every * 10 + 40)) # a run takes a second there

cases() {
    column variant parameters width height block_x block_y cache status "$1" | sort
}

# rest COMMAND...: what is wrong with what a run left here, and with that when it is resumed.
rest() {
    [ ! -e "$here/rows.csv" ] || column status time_s "$here/rows.csv" | grep -v '^ok,' | grep ',.'
    [ "$status" -eq 137 ] || find "$here" -name '*.tmp-*'
    find "$here" -name '*.tmp-*' -exec touch -d @0 {} + # as if of long ago
    timeout 60 "$@" --csv "$here/rows.csv" --resume >"$here/out" 2>&1 || tail -n 1 "$here/out"
    cases "$here/rows.csv" | cmp - "$folder/whole"
    find "$here" -name '*.tmp-*'
}

# undisturbed COMMAND...: what rest() compares with.
undisturbed() {
    exits "undisturbed: $1" 0 "$@" --csv "$folder/whole.csv" --fresh
    cases "$folder/whole.csv" >"$folder/whole"
}

# ---- calls ---------------------------------------------------------------------------------------

ok 'programs whose CUDA calls can be made to fail are built' \
    "$MAKE" -s BACKEND="$BACKEND" "$B/fault/vecadd" "$B/fault/gaussian" "$B/fault/banding" \
    "$B/fault/faulty" "$B/labs.csv"

# Nobody needs to hear of these: launches are timed one by one then, the clock is not known, an
# error that was told is cleared; what finds no room at the awkward size is checked at its own.
harmless='cudaStreamBeginCapture|cudaDeviceGetPCIBusId|cudaGetLastError|cudaDeviceReset'

# told CALL ERROR: was its failure told, once? Of a launch the next question tells; after 700 it may
# be the next call that is told of, and the rest's.
told() {
    call=$1 said=$(grep -v '%' "$here/err") may_pass=$harmless
    [ "$2" -ne 2 ] || may_pass="$harmless|cudaMalloc|cudaHostAlloc|cudaMallocManaged"
    echo "$call" | grep -q -x -E "$may_pass" || may_pass=''
    [ "$2" -ne 700 ] || [ -z "$may_pass" ] || call=cuda
    [ "$1" != cudaLaunchKernel ] || call=cudaGetLastError
    case $status,$said in
        3,) column status note "$here/rows.csv" | grep '^failed,' >"$here/failed"
            grep -q "${call%_v[0-9]}" "$here/failed" &&
                { [ "$2" -eq 700 ] || [ "$(wc -l <"$here/failed")" -eq 1 ]; } ;;
        3,*) [ "$(echo "$said" | wc -l)" -eq 1 ] && echo "$said" | grep -q ": ${call%_v[0-9]}" ;;
        0,) [ -n "$may_pass" ] && ! column status note "$here/rows.csv" |
            grep -v '^ok,' | grep -q -v -E '^skipped,.*(memory|no room)' ;;
        *) false ;;
    esac
}

# calls NAME ERROR FIRST STEP COMMAND...: from the first call on, until a run makes fewer.
calls() {
    name=$1 error=$2 n=$3 step=$4
    shift 4
    while rm -rf "$here" && mkdir "$here"; do
        status=0
        FAULT_AT=$n FAULT_ERROR=$error FAULT_LOG=$here/call timeout 60 "$@" \
            --csv "$here/rows.csv" >"$here/out" 2>"$here/err" || status=$?
        [ -f "$here/call" ] || break
        why=$(told "$(cat "$here/call")" "$error" || echo "exit $status, not told: $said")
        is "FAULTS='$name $error $n': $(cat "$here/call")" "$why$(rest "$@")" ''
        echo "a call failed, exit status $status" >>"$folder/exits"
        n=$((n + step))
    done
}

while read -r name command; do
    case $FAULTS in all | some | "$name "*) ;; *) continue ;; esac
    # shellcheck disable=SC2086  # words without blanks
    set -- "$B/fault/"$command --trials 1 --time-cap 0
    undisturbed "$@"
    for error in 999 2 700; do
        step=$every
        [ "$error" -ne 700 ] || step=$((every * 5))
        case $FAULTS in
            all | some) calls "$name" $error $((error % every + 1)) "$step" "$@" ;;
            *" $error "*) calls "$name" $error "${FAULTS##* }" 1000000 "$@" ;;
        esac
    done
done <<END
pageable vecadd --sizes 999 --blocks 32 --variants cpu,naive
pinned_hot vecadd --sizes 999 --blocks 32 --variants naive --transfer pinned --hot
mapped vecadd --sizes 999 --blocks 32 --variants naive --transfer mapped
unified vecadd --sizes 999 --blocks 32 --variants naive --transfer unified
constant gaussian --sizes 20x16 --blocks 8 --variants constant --type gray
workspace banding --sizes 20x16 --blocks 8 --variants packed4 --mode 1
plans faulty --sizes 999 --blocks 32 --variants with_plans,constant_one
END
case $FAULTS in *' '*) done_testing; exit ;; esac

# ---- kills ---------------------------------------------------------------------------------------

# A second or two with many saves. A row that is there stays as it is.
set -- "$B/matprod" --variants cpu,naive --blocks '4 8' --trials 2 --time-cap 0.02 --sizes \
    "$(seq 16 32 | tr '\n' ' ')"
started=$(date +%s%N)
undisturbed "$@"
length=$(($(date +%s%N) - started))
for moment in $moments; do
    rm -rf "$here" && mkdir "$here"
    "$@" --csv "$here/rows.csv" >"$here/out" 2>&1 &
    sleep "$(echo "$length $moment" | awk '{ print $1 * $2 / 50e9 }')"
    kill -KILL $! 2>"$folder/err"
    wait $! 2>"$folder/err"
    status=$?
    echo "killed, exit status $status" >>"$folder/exits"
    cat "$here/rows.csv" >"$folder/kept" 2>"$folder/err"
    why=$(rest "$@")
    is "killed at moment $moment of 50" \
        "$why$(head -c "$(wc -c <"$folder/kept")" "$here/rows.csv" | cmp - "$folder/kept")" ''
done

# ---- writes --------------------------------------------------------------------------------------

# writers: what is written into the current folder, by which command.
writers() {
    grep -E "^($files)" <<END
rows.csv|vecadd --variants cpu --sizes 100 --check-only --csv rows.csv
map.dat map.pgm match.txt|template "$in/scene.bmp" "$in/scene.bmp" --sizes 64x64 --variants cpu \
  --check-only --dat map.dat --map map.pgm --match match.txt
part.bmp|picture --crop 64x48+0+0 "$in/scene.bmp" part.bmp
part.png|picture --crop 64x48+0+0 "$in/scene.bmp" part.png
facts.csv|sh "$root/report/analyse.sh" --results "$in" --labs "$root/$B/labs.csv" --out . here
report.md|cp -R "$in/tables" "$in/facts.csv" . && sh "$root/report/build.sh" --figures "$in/here" \
  --out . --formats md
here/split.svg|sh "$root/plots/draw.sh" --results "$in" --labs "$root/$B/labs.csv" --out . \
  --tables "$in/tables" --formats svg here
END
}

# write COMMAND: where there is $limit. Its stderr goes through a pipe, to which none applies.
write() {
    {
        (cd "$place" && $limit && eval "$1" 2>&1 >/dev/null)
        echo $? >"$folder/status"
    } | cat >"$folder/err"
    status=$(cat "$folder/status")
}

# still FILE...: which of them are neither as before nor as where there is room; the latter, if all
# is well. (A report that is out of date is removed.)
still() {
    for file; do
        for other in good old; do
            right=$folder/$other/$file
            [ "$file" = rows.csv ] && [ "$(cases "$place/$file")" = "$(cases "$right")" ] &&
                continue 2
            cmp -s "$place/$file" "$right" && continue 2
            [ "$status" -ne 0 ] || break
        done
        [ "$file" = report.md ] && [ ! -e "$place/$file" ] || echo "half of $file"
    done
}

# give HOW N: a $place with the old files, and so much room.
give() {
    limit=:
    if [ "$1" = limit ]; then
        rm -rf "$place" && cp -R "$folder/old" "$place" && limit="ulimit -f $2"
    else
        umount "$place" 2>"$folder/err"
        mount -t tmpfs -o "size=$((60 + $2 * 4))k" none "$place" && cp -R "$folder/old/." "$place"
        [ "$1" = disk ] || mount -o remount,ro "$place"
    fi
}

in=$folder/in place=$folder/good limit=: PATH=$(cd "$B" && pwd):$PATH
mkdir -p "$in/here" "$folder/old/here" "$folder/place"
picture --crop 64x64+0+0 data/images/photo.bmp "$in/scene.bmp"
cp data/reference/nvidia-h200/lab1_vecadd.csv "$in/here"
[ "$FAULTS" = some ] ||
    sh report/analyse.sh --results "$in" --labs "$B/labs.csv" --out "$in" here
for file in $(writers | sed 's/|.*//'); do
    [ "$file" = report.md ] || echo old >"$folder/old/$file"
done
vecadd --variants cpu --sizes 50 --check-only --csv "$folder/old/rows.csv" --fresh >"$folder/out"
cp -R "$folder/old" "$place"
writers | while IFS='|' read -r written command; do
    write "$command"
    [ "$status" -eq 0 ] || tail -n 1 "$folder/err"
done >"$folder/said"
is 'where there is room, all is written' "$(cat "$folder/said")" ''

place=$folder/place
for how in limit ${UNSHARED:-}; do
    writers >"$folder/list"
    while IFS='|' read -r written command; do
        n=0 status=1
        while [ "$status" -ne 0 ] && [ "$n" -lt 5000 ]; do
            give "$how" "$n"
            write "$command"
            # shellcheck disable=SC2086  # names without blanks
            why=$(still $written)$(find "$place" -name '*.tmp-*')
            case $status,$(wc -l <"$folder/err"),$command in
                0,* | 2,1,* | [1-9]*,[1-9]*,sh* | [1-9]*,[1-9]*,cp*) ;;
                *) why="$why exit status $status, $(cat "$folder/err")" ;;
            esac
            is "$how, $n steps of room for $written" "$why" ''
            echo "$how, exit status $status" >>"$folder/exits"
            [ "$how" != folder ] || break
            n=$((n * 3 / 2 + 1))
        done
    done <"$folder/list"
done
umount "$place" 2>"$folder/err"
sort "$folder/exits" | uniq -c | sed 's/^/#/'
done_testing
