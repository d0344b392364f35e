#!/bin/sh
# cli.t - what a program refuses: each bad input gives one line on stderr and exit status 2, and
# leaves no file behind.
# shellcheck source=tests/tap.sh
. tests/tap.sh
programs="ceilings vecadd matprod bilateral template gaussian banding"
mkdir "$folder/clean"
bin=$(cd "$B" && pwd)

for p in $programs; do
  for block in 0 -4 abc 16x 16x16x1 1025 x16 1.5 '' 33x33; do
    refuses "$p: block '$block'" 2 "$p: .*('$block'|16 32)" "$bin/$p" --blocks "$block" --csv "$folder/clean/x.csv"
  done
  for size in 0 -1 abc 1000000000000 2^60 16x 1e3 0x10; do
    pattern=$(printf '%s' "$size" | sed 's/\^/\\^/')
    refuses "$p: size '$size'" 2 "$p: '$pattern' is not a legal size" "$bin/$p" --sizes "$size" --csv "$folder/clean/x.csv"
  done
  refuses "$p: unknown variant" 2 "no variant is called 'nonsense'; there are cpu," "$bin/$p" --variants cpu,nonsense
  refuses "$p: unknown option" 2 "unknown option '--nonsense'" "$bin/$p" --nonsense
  refuses "$p: option without its value" 2 '--trials needs a value' "$bin/$p" --trials
  refuses "$p: trials 0" 2 "--trials: '0'" "$bin/$p" --trials 0
  refuses "$p: trials 3x" 2 "--trials: '3x'" "$bin/$p" --trials 3x
  refuses "$p: seed -1" 2 "--seed: '-1'" "$bin/$p" --seed -1
  refuses "$p: no such device" 2 '--device 77' "$bin/$p" --device 77 --sizes 128
  refuses "$p: CSV in a missing folder" 2 "missing/x.csv" "$bin/$p" --csv "$folder/missing/x.csv" --sizes 128
  refuses "$p: CSV is a folder" 2 "$folder" "$bin/$p" --csv "$folder" --sizes 128
  ok "$p: --help" "$bin/$p" --help
  like "$p: --list names the variants" "$("$bin/$p" --list)" '^cpu +cpu .*'
done

refuses 'matprod: order -5' 2 "'-5' is not a legal size" "$bin/matprod" -5
refuses 'matprod: block 33' 2 "'33' is not a legal block" "$bin/matprod" 64 33
refuses 'matprod: a fourth argument' 2 'one argument too many' "$bin/matprod" 64 16 3 1

gigabytes=$(awk '/^MemTotal/ { print int($2 / 1e6) }' /proc/meminfo)
if [ "$gigabytes" -lt 12 ] || { [ "$BACKEND" = cpu ] && [ "$gigabytes" -lt 26 ]; }; then
  refuses 'vecadd: 12 GiB of vectors' 2 'needs 12.0 GiB, more than this machine has memory for' \
    "$bin/vecadd" --sizes 2^30
else
  skip 'a size beyond memory' 'this machine has memory for all legal ones'
fi

cd "$folder/clean" || exit 1
for p in bilateral template; do
  refuses "$p without arguments" 2 'first 2 arguments are needed' "$bin/$p"
done
refuses 'bilateral: radius -1' 2 "--radius: '-1'" "$bin/bilateral" --radius -1
refuses 'bilateral: sigma 0' 2 "--sigma: '0'" "$bin/bilateral" --sigma 0
refuses 'bilateral: sigma nan' 2 "--sigma: 'nan'" "$bin/bilateral" --sigma nan
refuses 'template: template larger than the image' 2 'template is larger than the image' \
  "$bin/template" --sizes 63x64
refuses 'template: width 0' 2 "--template-width: '0'" "$bin/template" --template-width 0

# Pictures that are none, each where a picture is read.
: >../empty.bmp
printf 'BM' >../short.bmp
printf 'hello, world, this is no picture' >../text.bmp
# a BMP header: 40-byte info header, WIDTH HEIGHT BITS COMPRESSION as given, then 64 zero bytes
bmp() {
  le32() { printf '%b' "$(printf '\\0%03o\\0%03o\\0%03o\\0%03o' $(($1 & 255)) $(($1 >> 8 & 255)) $(($1 >> 16 & 255)) $(($1 >> 24 & 255)))"; }
  printf 'BM'; le32 118; le32 0; le32 54; le32 40; le32 "$1"; le32 "$2"
  le32 $((1 + ($3 << 16))); le32 "$4"; le32 0; le32 0; le32 0; le32 0; le32 0
  head -c 64 /dev/zero
}
bmp 4 4 24 0 >../good.bmp
bmp 8 4 24 0 >../truncated.bmp
bmp 4 4 24 1 >../compressed.bmp
bmp 4 4 1 0 >../onebit.bmp
bmp 100000 100000 24 0 >../oversized.bmp
bmp 0 4 24 0 >../zero.bmp
for picture in missing empty short text truncated compressed onebit oversized zero; do
  refuses "bilateral: $picture.bmp" 2 "$picture.bmp: " "$bin/bilateral" ../$picture.bmp out.bmp
  refuses "template: image $picture.bmp" 2 "$picture.bmp: " "$bin/template" ../$picture.bmp ../good.bmp
  refuses "template: template $picture.bmp" 2 "$picture.bmp: " "$bin/template" ../good.bmp ../$picture.bmp
done
refuses 'bilateral: output with no known ending' 2 'out.jpg' "$bin/bilateral" ../good.bmp out.jpg 16 1 1 30 4 4
refuses 'bilateral: output into a missing folder' 2 'no/out.bmp' "$bin/bilateral" ../good.bmp no/out.bmp 16 1 1 30 4 4

is 'nothing was left behind' "$(ls -A "$folder/clean")" ''
ok 'and the good picture is taken' "$bin/bilateral" ../good.bmp out.bmp 16 1 1 30 4 4
done_testing
