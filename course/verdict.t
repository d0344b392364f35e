#!/bin/sh
# verdict.t - what becomes of what the judge found: status, marks and reason, from made-up rows; GPU's too.
# shellcheck disable=SC2154  # of tap.sh
. tests/tap.sh

printf 'correct\t1024\t1024,1,\ncorrect\t512\t512,1,\nedges\t1\t1,1,\nedges\t1001\t1001,1,\n' >"$folder/classes.tsv"

# rows RUN WORD...: its rows file, of 64 (public), 512 and 1024 (correct), 1 and 1001 (edges): all ok but where a
# WORD says SIZE=STATUS:NOTE.
rows() {
  run=$1
  shift
  for size in 64 512 1024 1 1001; do
    said=ok:
    for word; do
      case $word in "$size="*) said=${word#*=} ;; esac
    done
    [ "$said" = none: ] || printf '%s,1,,256,1,%s,%s\n' "$size" "${said%%:*}" "${said#*:}"
  done >"$folder/$run.rows"
  files="$files $folder/$run.rows"
}

# verdict NAME EXPECTED [KEY=VALUE...]: of what lies in $files, which is then forgotten; then status, correct,
# edges, race, speed, style, marks, of, ratio, reason.
verdict() {
  name=$1 expected=$2
  shift 2
  # shellcheck disable=SC2086  # names without blanks
  is "$name" "$(env on_cpu="${on_cpu-yes}" own_block=256 "$@" awk -v page="$folder/page.md" -v student=ada \
    -v exercise=1.1 -v seed=7 -v machine=m -v block=256 -v style="${style-}" -v library=lib -v late="${late-}" \
    -f course/verdict.awk course/rubric.tsv "$folder/classes.tsv" $files | cut -d , -f 3-10,14,18-)" "$expected"
  files=''
}
files=''

# ---- on the CPU ------------------------------------------------------------------------------------

rows asan; rows race
verdict 'all right' 'ok,4,2,2,,,8,8,,'
rows asan '1=wrong:late' ; rows race
verdict 'wrong at one edge' 'wrong,4,0,2,,,6,8,,"late (at a hidden size, 1, block 256x1)"'
rows asan '64=wrong:late'; rows race
verdict 'wrong at a published size, which divides nothing' 'wrong,4,0,2,,,6,8,,"late (at 64, block 256x1)"'
rows asan '512=wrong:late'; rows race
verdict 'wrong where a block divides the size' 'wrong,0,0,0,,,0,8,,"late (at a hidden size, 512, block 256x1)"'
rows asan '64=wrong:late'; rows race
verdict 'wrong as it was launched' 'wrong,4,0,2,,,6,8,,"late (at 64, block 256x1, grid: 1)"' launch='grid: 1'
rows asan 512=wrong:x 1024=wrong:x 1=wrong:x 1001=wrong:x; rows race
verdict 'right at the published sizes alone' \
  'cheat,0,0,0,,,0,8,,"right at the published sizes alone: x (at a hidden size, 512, block 256x1)"'
rows asan 64=wrong:x 512=wrong:x 1024=wrong:x 1=wrong:x 1001=wrong:x; rows race
verdict 'right nowhere' 'wrong,0,0,0,,,0,8,,"x (at 64, block 256x1)"'
rows asan 512=wrong:x 1024=wrong:x 1=wrong:x; rows race
verdict 'right at one hidden size is no cheating' 'wrong,0,0,0,,,0,8,,"x (at a hidden size, 512, block 256x1)"'
rows asan '1024=wrong:wrote to the input A'; rows race
verdict 'writes to an input' 'cheat,0,0,0,,,0,8,,"wrote to the input A (at a hidden size, 1024, block 256x1)"'
rows asan; rows race 64=failed:ended
verdict 'a race' 'race,4,2,0,,,6,8,,"race on global memory (at 64, block 256x1)"' said_race='race on global memory'
rows asan '1=failed:a barrier is not reached by all threads'
verdict 'who returns before a barrier at an edge' \
  'race,4,0,0,,,4,8,,"a barrier is not reached by all threads (at a hidden size, 1, block 256x1)"'
rows asan; rows race 64=failed:ended
verdict 'a run for races that crashed' 'crash,0,0,0,,,0,8,,"ended (at 64, block 256x1)"'
rows asan 1=failed:ended; rows race
verdict 'out of bounds' 'bounds,4,0,2,,,6,8,,"heap-buffer-overflow (at a hidden size, 1, block 256x1)"' \
  said_asan=heap-buffer-overflow
rows asan 1=failed:ended; rows race
verdict 'a stack too deep' 'crash,0,0,0,,,0,8,,"SEGV stack-overflow (at a hidden size, 1, block 256x1)"' \
  said_asan='SEGV stack-overflow'
rows asan '1=failed:a.cu:9: undefined behaviour in kernel k'; rows race
verdict 'what it is that happened' 'crash,0,0,0,,,0,8,,"division by zero in k (at a hidden size, 1, block 256x1)"' \
  said_asan='division by zero in k'
rows asan '64=failed:took more than 5 s' '512=failed:not run, as another'; rows race
verdict 'too long' 'timeout,0,0,0,,,0,8,,"took more than 5 s (at 64, block 256x1)"'
rows asan; rows race '64=failed:an endless loop'
verdict 'too long where races are looked for' 'timeout,0,0,0,,,0,8,,"an endless loop (at 64, block 256x1)"' said_race=race
rows asan '64=failed:declares too much'; rows race
verdict 'a launch that no device takes' 'refused,0,0,0,,,0,8,,"declares too much (at 64, block 256x1)"'
rows asan 64=wrong:x 512=failed:ended '1=failed:took more than 5 s'; rows race
verdict 'the gravest counts' 'timeout,0,0,0,,,0,8,,"took more than 5 s (at a hidden size, 1, block 256x1)"'
rows asan 512=skipped:odd 1024=skipped:odd; rows race
verdict 'skipped where it counts' 'crash,0,0,0,,,0,8,,odd'
rows asan 512=skipped:odd 1024=skipped:odd; rows race
verdict 'skipped with a block of its own' 'refused,0,0,0,,,0,8,,odd' own_block=128
rows asan '64=skipped:counted, not checked'; rows race
verdict 'what is counted is not looked at' 'ok,4,2,2,,,8,8,,'
rows asan; rows race
verdict 'a race of which the exit status tells nothing' 'race,4,2,0,,,6,8,,race on shared memory' said_race='race on shared memory'
rows asan
verdict 'nobody looked for races' 'ok,4,2,0,,,6,8,,'
verdict 'nothing ran' 'crash,0,0,0,,,0,8,,it did not run'
rows asan '64=failed:not run, as another' '512=failed:not run, as another' '1024=failed:not run, as another'
verdict 'some sizes were not run, and nothing else was wrong' 'crash,0,0,0,,,0,8,,it did not run'
verdict 'refused before' 'refused,0,0,0,,,0,8,,"is no text, it seems"' early=refused reason='is no text, it seems'
rows asan; rows race
late=1 verdict 'all together took too long' 'timeout,0,0,0,,,0,8,,all runs together took too long'
rows asan '64=wrong:wrote to the judge'; rows race
late=1 verdict 'but a cheat stays one' 'cheat,0,0,0,,,0,8,,"wrote to the judge (at 64, block 256x1)"'
rows asan; rows race
style=1.5 verdict 'marks for style' 'ok,4,2,2,,1.5,9.5,10,,'
rows asan '1=wrong:it said ""no"", twice'; rows race
verdict 'quotes' 'wrong,4,0,2,,,6,8,,"it said """"no"""", twice (at a hidden size, 1, block 256x1)"'

# ---- on a GPU --------------------------------------------------------------------------------------

# judged LINE...: judged.txt
judged() {
  printf '%s\n' "$@" >"$folder/judged.txt"
  files="$files $folder/judged.txt"
}
# timed US: ours takes so long; the reference 100, the library 50.
timed() {
  judged "handed_in naive ok $1 1 1 9 " 'peer naive ok 100.000 1 1 9 ' 'peer lib ok 50.000 1 1 9 '
}
rows asan; rows race; rows gpu; timed 100.000
verdict 'as fast' 'ok,4,2,2,3,,11,11,1.000,'
like 'the page says so' "$(cat "$folder/page.md")" 'It takes 100.000 us, the reference 100.000 us, the library 50.000 us'
is 'of a right kernel it says nothing of mistakes' "$(grep -c 'What was wrong' "$folder/page.md")" 0
rows asan; rows race; rows gpu; timed 111.000
verdict '0.9 is enough' 'ok,4,2,2,3,,11,11,0.901,'
rows asan; rows race; rows gpu; timed 112.000
verdict 'less is not' 'ok,4,2,2,2,,10,11,0.893,'
rows asan; rows race; rows gpu; timed 200.000
verdict 'half' 'ok,4,2,2,2,,10,11,0.500,'
rows asan; rows race; rows gpu; timed 400.000
verdict 'a quarter' 'ok,4,2,2,1,,9,11,0.250,'
rows asan; rows race; rows gpu; timed 500.000
verdict 'slower' 'ok,4,2,2,0,,8,11,0.200,'
rows asan; rows race; rows gpu 1001=wrong:late; timed 100.000
verdict 'wrong on the GPU alone, at an edge' 'wrong,4,0,2,0,,6,11,,"late (at a hidden size, 1001, block 256x1)"'
rows asan; rows race; rows gpu 512=wrong:late; timed 100.000
verdict 'wrong on the GPU alone' 'wrong,0,0,0,0,,0,11,,"late (at a hidden size, 512, block 256x1)"'
is 'of a wrong one it does' "$(grep -c 'What was wrong' "$folder/page.md")" 1
rows asan; rows race; rows gpu '64=failed:an illegal memory access'; timed 100.000
verdict 'out of bounds on the GPU' 'bounds,4,2,2,0,,8,11,,"an illegal memory access (at 64, block 256x1)"'
rows asan; rows race; rows gpu '64=failed:unknown error'; timed 100.000
verdict 'a crash on the GPU' 'crash,0,0,0,0,,0,11,,"unknown error (at 64, block 256x1)"'
rows asan; rows race; rows gpu
judged 'handed_in naive wrong - - - 0 4 of 9 values wrong' 'peer naive ok 100.000 1 1 9 '
verdict 'wrong at the size that is timed' 'wrong,4,2,2,0,,8,11,,4 of 9 values wrong (at the size that is timed)'
rows asan; rows race; rows gpu
judged 'handed_in naive ok - - - 3 ' 'peer naive ok - - - 3 '
verdict 'rounds without times' 'ok,4,2,2,,,8,8,,'
rows gpu; timed 100.000
on_cpu='' verdict 'a GPU alone: nobody looks for races' 'ok,4,2,,3,,9,9,1.000,'
like 'which is said' "$(cat "$folder/page.md")" 'Nobody has looked for races'
rows gpu 64=wrong:x; timed 100.000
on_cpu='' verdict 'and its published sizes count' 'wrong,4,0,,0,,4,9,,"x (at 64, block 256x1)"'

# ---- hidden sizes ----------------------------------------------------------------------------------

# drawn EXERCISE SEED: class, size and sides, a line each.
drawn() {
  sizes=$(awk -v exercise="$1" -v column=sizes -f course/field.awk lab*/exercises.tsv)
  ranges=$(awk -v exercise="$1" -v column=hidden -f course/field.awk lab*/exercises.tsv)
  awk -v seed="$2" -v public="$sizes" -v hidden="$ranges" -f course/draw.awk
}
is 'what would be a published size is drawn again' "$(drawn 3.1 28 | grep -c '^correct')" 2
is 'and so is one that there is already' "$(drawn 2.1 28 | cut -f 2 | sort -u | wc -l)" 5
# odd EXERCISE WIDTH HEIGHT [BEYOND]: the correct ones that such a tile does not divide.
odd() {
  drawn "$1" 28 | awk -F '[\t,]' -v width="$2" -v height="$3" -v beyond="${4:-0}" '
    /^correct/ && (($3 - beyond) % width || ($4 - beyond) % height)'
}
is 'correct sizes: a tile of 128 x 128 divides them' "$(odd 2.4 128 128)" ''
is 'one of 128 x 16 the map of an image' "$(odd 4.2 128 16 63)" ''
is 'one of 32 x 128' "$(odd 5.2 32 128)" ''
done_testing
