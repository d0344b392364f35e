#!/bin/sh
# cli.t - what a program refuses: each bad input gives one line on stderr and exit status 2, and
# leaves no file behind. All that the common parser refuses test_options knows; some is tried here
# with each program, and what only a whole program meets.
. tests/tap.sh
mkdir "$folder/clean"
bin=$(cd "$B" && pwd)
csv=$folder/clean/x.csv

# What says how far a run is, on a busy machine, is no message.
on_full_disk() {
  full=$1
  shift
  "$bin/$full" "$@" 2>"$folder/said" >/dev/full
  set -- $?
  grep -v ': *[0-9]*% ' "$folder/said" >&2
  return "$1"
}
# What each program says of itself, and what it says of a value that no option takes: with its limits.
for lab in lab*_*/; do
  p=${lab%/} p=${p##*_}
  {
    "$bin/$p" --help
    "$bin/$p" --describe
    for option in $("$bin/$p" --help | sed -n 's/^  \(--[a-z-]*\) .*/\1/p'); do
      "$bin/$p" "$option" x --nonsense 2>&1 | sed -n "s/^$p: .*'x' is /    $option: /p"
    done
  } >>"$folder/help.txt"
  is "$p --help: 80 columns" "$("$bin/$p" --help | awk 'length > 80')" ''
  refuses "$p: a block that is none" 2 "$p: .*16x16x1" "$bin/$p" --blocks 16x16x1 --csv "$csv"
  refuses "$p: a size that is none" 2 "$p: '1e3' is not a legal size" "$bin/$p" --sizes 1e3 \
    --csv "$csv"
  refuses "$p: an unknown variant" 2 "--variants: 'nonsense' is none of cpu," \
    "$bin/$p" --variants cpu,nonsense --csv "$csv"
  refuses "$p: an unknown option" 2 "unknown option '--nonsense'" "$bin/$p" --nonsense
  like "$p: --list names the variants" "$("$bin/$p" --list)" '^cpu +cpu .*'
  for mode in --help --list --describe --print-machine '--variants cpu --sizes 128 --check-only'; do
    # shellcheck disable=SC2086
    refuses "$p $mode: a full disk" 2 'standard output: some of it was lost' on_full_disk $p $mode
  done
done
awk '!seen[$0]++' "$folder/help.txt" >"$folder/each.txt"
golden help.txt "$folder/each.txt"

refuses 'CSV in a missing folder, before any work' 2 'missing/x.csv' timeout -s KILL 10 \
  "$bin/matprod" --csv "$folder/missing/x.csv" --sizes 4000 --variants cpu
refuses 'CSV is a folder' 2 "$folder" "$bin/matprod" --csv "$folder" --sizes 16
refuses 'CSV is a device' 2 '/dev/null: ' "$bin/matprod" --csv /dev/null --sizes 16
refuses 'CSV has no name' 2 'empty' "$bin/matprod" --csv '' --sizes 16
refuses 'a device that is not there' 2 '--device.*77' "$bin/matprod" --device 77 --sizes 16
refuses 'arguments in order: size -5' 2 "'-5' is not a legal size" "$bin/matprod" -5

refuses 'a folder with too long a name' 2 'csv: the file name is too long' \
  "$bin/vecadd" --variants cpu --sizes 16 --results "$(printf %04100d 0)"
"$bin/vecadd" --variants cpu --sizes 16 --check-only --results "$folder/a/b" --machine c >"$folder/out"
ok 'folders that are not there are made' test -s "$folder/a/b/c/lab1_vecadd.csv"
is 'a program of the CPU is not emulated' "$(grep -c emulated "$folder/out")" 0

refuses 'run.json for the rows' 2 'run.json' "$bin/matprod" --csv "$folder/run.json" --sizes 16

gigabytes=$(awk '/^MemTotal/ { print int($2 / 1e6) }' /proc/meminfo)
if [ "$gigabytes" -lt 12 ] || { [ "$BACKEND" = cpu ] && [ "$gigabytes" -lt 26 ]; }; then
  refuses '12 GiB of vectors' 2 'needs 12.0 GiB, more than this machine has memory for' \
    "$bin/vecadd" --sizes 2^30
else
  skip 'a size beyond memory' 'this machine has memory for all legal ones'
fi

# Pictures that are none, each where a picture is read; what is wrong with them test_image knows.
cd "$folder/clean" || exit 1
printf 'hello, world, this is no picture' >../text.bmp
printf 'P5 4 4 255\n0123456789abcdef' >../good.pgm
for picture in missing text; do
  refuses "bilateral: $picture.bmp" 2 "$picture.bmp: " "$bin/bilateral" ../$picture.bmp out.bmp
  refuses "template: image $picture.bmp" 2 "$picture.bmp: " "$bin/template" ../$picture.bmp \
    ../good.pgm
  refuses "template: template $picture.bmp" 2 "$picture.bmp: " \
    "$bin/template" ../good.pgm ../$picture.bmp
done
refuses 'an output with no known ending' 2 'out.txt' "$bin/bilateral" ../good.pgm out.txt 16 1 1 \
  30 4 4
refuses 'an output into a missing folder' 2 'no/out.bmp' "$bin/bilateral" ../good.pgm no/out.bmp
for output in --dat --map --match --gray; do
  refuses "template $output into a missing folder" 2 'no/out.pgm' "$bin/template" \
    --sizes 64x64 --variants cpu $output no/out.pgm
done
refuses 'the input as output' 2 '--output and --input name the same file' \
  "$bin/bilateral" ../good.pgm ./../good.pgm 16 1
refuses 'two outputs into one file' 2 '--dat and --map name the same file' \
  "$bin/template" --sizes 64x64 --dat out.pgm --map out.pgm
refuses 'rows and a picture into one file' 2 '--output and --csv name the same file' \
  "$bin/gaussian" ../good.pgm out.bmp --csv out.bmp
refuses 'a picture of a sweep' 2 '--output: a sweep writes no such file' \
  "$bin/gaussian" --sizes 64x48 --variants cpu --check-only --output out.bmp
refuses 'nothing to run' 2 'nothing to run: no chosen variant belongs' \
  "$bin/vecadd" --variants cpu --transfer pinned
refuses 'a sigma that is too small' 2 '--sigma-space: 1e-20 is neither 0 nor 0.001 or more' \
  "$bin/bilateral" --sizes 64x48 --sigma-space 1e-20
exits 'a run on a full disk' 2 on_full_disk vecadd 1000 32 1
like 'says so at its end' "$(tail -n 1 "$folder/err")" 'some of it was lost'
refuses "picture's help" 2 'some of it was lost' on_full_disk picture --help
# 1 block of `ulimit -f` is 512 or 1024 bytes, less than two rows.
with_little_room() {
  (ulimit -f 1 && "$bin/matprod" --sizes '16 17 18' --check-only --csv x.csv)
}
exits 'a file size limit' 2 with_little_room
like 'is told' "$(tail -n 1 "$folder/err")" 'x.csv: cannot write'
rm -f x.csv
refuses 'a template larger than the image' 2 'template is larger than the image' \
  "$bin/template" --sizes 63x64
is 'nothing was left behind' "$(ls -A "$folder/clean")" ''
ok 'and a good picture is taken' "$bin/bilateral" ../good.pgm out.bmp 16 1 1 30 4 4
done_testing
