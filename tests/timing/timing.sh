#!/bin/sh
# timing.sh - how far the suite's times can be believed, measured on a GPU: `make test-timing`.
#
#   sh tests/timing/timing.sh PROGRAM FOLDER MACHINE
#
# Runs clock.cu's program quietly, on a busy host, with hot data, without batches, with pinned copies,
# asleep, and under Nsight Compute ($NCU). Its rows go to FOLDER/quiet.csv and so on, what is said of
# them to points.csv and claims.csv (claims.awk). Exit status 1 if a limit was missed.
set -eu
program=$1 folder=$2 machine=$3
root=$(unset CDPATH && cd -- "$(dirname -- "$0")/../.." && pwd)
mkdir -p "$folder"
# From what is over at once to 1.1 GB, closer around the size of an L2 cache.
sizes='256 1024 4096 2^14 2^16 98304 2^17 196608 2^18 2^19 2^20 2^21 2^22'
written='2^18 2^20 2^21 2^22 2^23 2^24 2^25 2^26' # with four floats to a sum a fifth is written

# measure NAME OPTION...: into FOLDER/NAME.csv
measure() {
    name=$1
    shift
    ${RUN:-} "$program" --csv "$folder/$name.csv" --machine "$machine" --blocks 256 "$@"
}

rm -f "$folder"/*.csv
measure quiet --variants 'first second' --sizes "$sizes"
measure hot --variants first --sizes "$sizes" --hot
measure single --variants first --sizes "$sizes" --singly
measure pinned --variants first --sizes '2^20 2^21 2^22' --transfer pinned
measure writing --variants first --sizes "$written" --fours 1
for us in 5 10 20 50 100 200 500 1000 2000 5000; do
    measure asleep --variants 'sleep forked' --sizes 1024 --fours 1 --sleep "${us}000"
done

# A loop for each of the host's threads, and one more.
busy=
trap 'kill $busy 2>/dev/null || :' EXIT
for _ in $(seq "$(nproc)") more; do
    while :; do :; done &
    busy="$busy $!"
done
measure busy --variants first --sizes "$sizes"
# shellcheck disable=SC2086  # a list
kill $busy
busy=

# profile FILE OPTION...: what the profiler sees of one launch of each size; the grid's blocks tell
# which it is.
profile() {
    name=$1
    shift
    for _ in 1 2 3 4 5; do
        ${RUN:-} "$NCU" --csv --page raw --print-units base --clock-control none \
            --cache-control all --log-file "$folder/log" \
            --metrics gpu__time_duration.sum,launch__grid_size,dram__bytes_write.sum \
            "$program" --blocks 256 "$@" --check-only >/dev/null
        sed -n '/^"/p' "$folder/log" |
            awk -v file="$name" -f "$root/tools/csv.awk" -f "$root/tests/timing/profiler.awk" \
                >>"$folder/profiler.csv"
    done
}

echo file,width,time_s,dram_write_bytes >"$folder/profiler.csv"
profile quiet --variants first --sizes "$sizes"
profile writing --variants first --sizes "$written" --fours 1
for us in 10 50 500; do
    profile "$us" --variants sleep --sizes 1024 --fours 1 --sleep "${us}000"
done
rm "$folder/log"

sh "$root/tests/timing/claims.sh" "$folder"
