#!/bin/sh
# doctor.t - make doctor names mistakes: of the lab that is wrong on purpose what its outputs look like; and
# of those in doctor/mistakes.tsv, planted in copies of real kernels, cause and place. No right kernel gets
# one. PLACES=3 plants each in three labs; make test-all in the first.
. tests/tap.sh

unset CUDA_CPU_STRICT # students do not set it

# ---- what an output looks like -------------------------------------------------------------------

"$MAKE" -s BACKEND="$BACKEND" "$B/faulty" >/dev/null
"$B/faulty" --sizes 1013 --blocks 32 --check-only --diagnose --csv "$folder/rows.csv" \
    --variants 'right_edge zeros whole_blocks reads_behind writes_nan correct' >"$folder/out" 2>&1
column variant note "$folder/rows.csv" >"$folder/notes"
while read -r name seen; do
    like "$name: $seen" "$(cat "$folder/notes")" "^$name,.*; $seen"
done <<'END'
right_edge never written: the last 1 column \(from 1012 on\)
zeros zero: each of the 1013 wrong values is 0
whole_blocks never written: the last 21 columns \(from 992 on, a part of a block\)
reads_behind huge: 1 of 1013 values
writes_nan NaN: 
END
is 'of what is right nothing is said' "$(grep '^correct' "$folder/notes")" 'correct,'
"$B/faulty" --sizes 1000 --blocks 128 --check-only --diagnose --fresh --csv "$folder/rows.csv" \
    --variants 'first_launch cpu_first_run' >"$folder/out" 2>&1
is 'what is right by luck is run again' "$(column variant status note "$folder/rows.csv" |
    sed 's/"//; s/,wrong,.*(it was right before).*/ wrong later/')" 'cpu_first_run wrong later
first_launch wrong later'
printf '%s\n' width,height,depth,block_x,block_y,status,note 8,9,,,,wrong,late 8,8,,,,ok, >"$folder/rows.csv"
is 'a variant without blocks' "$(awk -f tools/csv.awk -f tools/row.awk -f tools/doctor_sizes.awk "$folder/rows.csv")" \
    'output: late (at 8x9)
sizes: right only where width and height are equal'
printf '%s\n' width,height,depth,block_x,block_y,status,note \
    '33,37,35,8,8,wrong,"late; never written: the last 1 column (from 32 on, a part of a block)"' \
    64,64,64,8,8,wrong,late >"$folder/rows.csv"
is 'a last column that is always missing is no partial block' \
    "$(awk -f tools/csv.awk -f tools/row.awk -f tools/doctor_sizes.awk "$folder/rows.csv")" \
    'output: late; never written: the last 1 column (from 32 on) (at 37x33x35, block 8x8)
sizes: bad at all sizes and blocks'
printf '%s\n' 'RACECHECK: shared memory past the end' '  a.cu:94: read in kernel k' 'k emulated wrong:' \
    '    1 of 1 values wrong' 'RACECHECK: 1 finding' >"$folder/race.txt"
is "a table's notes are not the race checker's" \
    "$(SECONDS=1 OUTPUT_MIB=1 sh -c '. tools/says.sh; race_says "$1"' - "$folder/race.txt")" \
    'shared memory past the end: a.cu:94: read in kernel k'
printf '%s\n' 'RACECHECK: race on global memory' '  a.cu:7: read of this memory in kernel k' \
    '  a.cu:7: written before by thread (0,0,0)' 'k emulated 8x8 inf wrong: wrote to the input B' \
    '  why: make doctor LAB=lab2 VARIANTS=mine' 'RACECHECK: 1 finding' >"$folder/race.txt"
is "nor is a row's hint" \
    "$(SECONDS=1 OUTPUT_MIB=1 sh -c '. tools/says.sh; race_says "$1"' - "$folder/race.txt")" \
    'race on global memory: a.cu:7: read of this memory in kernel k; a.cu:7: written before by thread (0,0,0) in the'\
' same line'
cat >"$folder/lab.cu" <<'END'
typedef void (*kernel)(const float *a, float *c, shape s);
template <typename T> __global__ void right(T *, T *__restrict__ c, const shape s) { c[0] = down(s.n); }
__device__ int down(int n) /* has { and ( */ {
    return n ? down_again(n - 1) : 0; // "mine",
}
__device__ int down_again(int n) { return down(n); }
__global__ void __launch_bounds__(256)
    other(float *c, const float *a,
          shape s)
{
}
__global__ void by_name(int n) {}
static void launch_by_name() { by_name<<<1, 1>>>(7); }
static const variant variants[] = {
    GPU_VARIANT("a", "a, (b", (launch_tiles<1, 2>),
                .kernel = (const void *)right<float>),
    GPU_VARIANT("b", "other", launch_kernel, .kernel = (const void *)other),
    GPU_VARIANT("c", "", launch_by_name, .kernel = (const void *)by_name),
};
END
for awk in mawk 'gawk -N'; do
    ! why=$(lacks "${awk%% *}") || { skip "$awk: kernels and parameters" "$why"; continue; }
    for variant in a b c; do
        with_awk "$awk" awk -v variant="\"$variant\"" -f tools/doctor_kernel.awk "$folder/lab.cu" >"$folder/$variant"
    done
    like "$awk: the kernel, and what it calls" "$(tr '\n' ':' <"$folder/a")" \
        '^[^:]* right [^:]*:.* right .* down .* down_again .*::$'
    like "$awk: that alone" "$(sed -n 2p "$folder/b")" '^ *GPU_VARIANT launch_kernel kernel const void other *$'
    is "$awk: other parameters" "$(sed -n 3p "$folder/b")" \
        'other(float *c, const float *a, shape s), but its launcher passes (const float *a, float *c, shape s)'
    is "$awk: a kernel launched by its name may have any" "$(sed -n 3p "$folder/c")" ''
done
for file in lab*_*/*.cu; do
    sed -n 's/^ *\([A-Z]*_VARIANT(\)*\("[a-z0-9_]*"\),.*/\2/p' "$file" | while read -r variant; do
        awk -v variant="$variant" -f tools/doctor_kernel.awk "$file" | sed -n 3p
    done
done >"$folder/parameters"
is 'the parameters of all kernels are right' "$(cat "$folder/parameters")" ''
refuses 'no lab' 2 'no such lab' env LAB=lab77 VARIANTS=naive sh tools/doctor.sh
refuses 'sizes' 2 'doctor: SIZES=0: it takes sizes of its own' env LAB=lab2 VARIANTS=naive SIZES=0 sh tools/doctor.sh
refuses 'no variant' 2 'which variant' env LAB=lab2 sh tools/doctor.sh
mkdir -p "$folder/beside/lab2_notes" "$folder/beside/lab2_matprod"
touch "$folder/beside/lab2_matprod/a.cu" "$folder/beside/lab2_matprod/b.cu"
ln -s "$root/tools" "$folder/beside"
refuses 'a folder without sources is no lab' 2 'which variant' env -C "$folder/beside" LAB=lab2 sh tools/doctor.sh
mkdir -p "$folder/full/doctor/lab2_matprod/evidence" # root, too, cannot write to a folder
refuses 'nowhere to write' 2 'doctor: .* cannot be written to' env LAB=lab2 VARIANTS=naive B="$folder/full" sh tools/doctor.sh
printf '#!/bin/sh\necho "error writing to /tmp/x.s: No space left on device"\nexit 1\n' >"$folder/full/make"
chmod +x "$folder/full/make"
refuses 'a full disk' 2 'doctor: .*/tmp/x.s: No space left' env LAB=lab2 VARIANTS=naive B="$folder/full/cpu" \
    MAKE="$folder/full/make" sh tools/doctor.sh

# ---- what a cause is told from -------------------------------------------------------------------

# A made-up program, plain and for checks: it writes the rows, and says the words, that stand beside it.
made=$folder/made
mkdir -p "$made/cpu" "$made/cpu-race" "$made/cpu-asan" "$made/results/here"
cat >"$made/cpu/vecadd" <<'END'
#!/bin/sh
here=$(dirname "$0")
for word do
    [ "$word" != --describe ] || { printf 'sizes_are,blocks\nvector,32 1024 64\n' && exit; }
    [ "${last:-}" != --csv ] || [ ! -f "$here/rows" ] || {
        echo width,height,depth,block_x,block_y,status,note && cat "$here/rows"; } >"$word"
    last=$word
done
[ ! -f "$here/says" ] || cat "$here/says"
echo "$*" >>"$here/asked"
[ ! -f "$here/says" ] || ! grep -q ' is none of ' "$here/says" || exit 2
END
chmod +x "$made/cpu/vecadd"
cp "$made/cpu/vecadd" "$made/cpu-race" && cp "$made/cpu/vecadd" "$made/cpu-asan"
doctor_made() {
    env LAB=lab1 VARIANTS="$1" BLOCKS= RESULTS="$made/results" MAKE=true BACKEND=cpu B="$made/cpu" \
        sh tools/doctor.sh 2>&1
}
# seen NAME TEXT: what the doctor says of the variant `mine`.
seen() {
    doctor_made mine >"$folder/said"
    like "$1" "$(sed 's/^........ //' "$folder/said" | tr '\n' ' ')" "$2"
    rm -f "$made"/cpu*/says "$made"/cpu*/rows
}

for size in 1013 1024 70001; do echo "$size,1,,32,1,ok,"; done >"$made/right"
cp "$made/right" "$made/cpu/rows"
echo 'mine prints X' >"$made/cpu/says"
doctor_made mine,other >"$folder/said"
is 'a comma between variants' "$(grep -c '^---- .*\(mine\|other\)$' "$folder/said")" 2
cp "$made/right" "$made/cpu/rows"
printf 'x\033[31m\200y\n' >"$made/cpu/says"
seen 'what a terminal cannot show is not shown' 'such as: x[?][[]31m[?]y '
like 'the largest block, too' "$(cat "$made/cpu/asked")" '--blocks 32 96 1024 '
echo '1013,1,,32,1,wrong,"1012 of 1013 values wrong; never written: the last 1012 columns (from 1 on)"' >"$made/cpu/rows"
seen 'most is missing' 'most is never written: an index of the wrong dimension'
echo '1013,1,,32,1,wrong,"1 of 1013 values wrong; never written: the last 1 column (from 1012 on)"' >"$made/cpu/rows"
seen 'an edge is missing' 'leaves the edge out'
echo '1013,1,,32,1,wrong,"1013 of 1013 values wrong; never written: all 1013 values"' >"$made/cpu/rows"
seen 'all is missing' 'another stream than l->stream'
{ cat "$made/right" && echo '70001,1,,32,1,failed,"cudaGetLastError(): cudaErrorInvalidConfiguration"'; } >"$made/cpu/rows"
sed -i 3d "$made/cpu/rows"
seen 'a launch is refused for large sizes' 'a launch is refused: its block'
{ cat "$made/right" && echo '4194304,1,,32,1,wrong,late'; } >"$made/cpu/rows"
seen 'wrong beyond a large size' 'right up to 70001x1, .* an index is too small'
{ cat "$made/right" && echo '1013,1,,1024,1,wrong,late'; } >"$made/cpu/rows"
seen 'wrong in large blocks' 'right only with blocks of up to 32 threads .*too small for so many threads'
race='RACECHECK: race on shared memory\n  a.cu:7: read of this memory in kernel k, block (0,0,0)\n'
while IFS='|' read -r build text cause; do
    cp "$made/right" "$made/cpu/rows"
    # shellcheck disable=SC2059  # the texts have line ends
    printf "$text\n" >"$made/$build/says"
    seen "$build: $cause" "$cause"
done <<END
cpu-race|$race  a.cu:7: written before by thread (0,0,0)|the same place in one line
cpu-race|$race  a.cu:6: written before by thread (0,0,0)|a barrier is missing
cpu-asan|a.cu:7:33: runtime error: load of misaligned address 0x5 for type 'float4'|is no multiple
cpu-race|RACECHECK: misaligned address\n  a.cu:7: read of this memory in kernel k|is no multiple
cpu-asan|CUDA on the CPU: kernel k, block (0,0,0): deadlock: threads wait for others that never come|some lanes
cpu-asan|CUDA on the CPU: a.cu:7: the mask of a warp function lacks the lane that calls it|some lanes
cpu-asan|CUDA on the CPU: a.cu:7: lanes of a warp meet with different masks|some lanes
END
# shellcheck disable=SC2059
printf "$race  a.cu:7: written before by thread (8,0,0)\n" >"$made/cpu-race/says"
echo "a.cu:7:31: runtime error: index 8 out of bounds for type 'float [8]'" >"$made/cpu-asan/says"
cp "$made/right" "$made/cpu/rows"
seen 'an array too small for the block, in which threads meet' 'an index is beyond the end of an array'
echo '1013,1,,32,1,failed,"a.cu:7: dynamic shared memory, of which the launch gives none, is used"' >"$made/cpu/rows"
printf '==1==ERROR: AddressSanitizer: heap-buffer-overflow on address\nWRITE of size 4\n' >"$made/cpu-asan/says"
seen 'no dynamic shared memory' ' the launch gives no dynamic shared memory give [.]shared_bytes'
for frame in 'void rec<int>(int) lab/a.cu:9' 'void k<int>(float*) lab/a.cu:12'; do
    echo '1013,1,,32,1,failed,"a.cu:8: stack overflow in kernel k"' >"$made/cpu/rows"
    printf '==1==ERROR: AddressSanitizer: stack-overflow on address\n' >"$made/cpu-asan/says"
    printf '    #%s 0x55 in %s\n' 0 'void rec<int>(int) lab/a.cu:8' 1 "$frame" >>"$made/cpu-asan/says"
    case $frame in
        *rec*) seen 'a recursion' 'stack-overflow: rec calls itself at a.cu:9 a function calls itself' ;;
        *) seen 'one call is none' 'stack-overflow a local array is too large' ;;
    esac
done
names=cpu$(printf ', variant_%s' $(seq 20))
for word in mien:"did you mean 'mine'" vari:"did you mean 'variant_1'" frobnicate:'which --list names'; do
    echo "vecadd: --variants: '${word%%:*}' is none of $names, mine, mime_type" >"$made/cpu/says"
    : >"$made/cpu/rows"
    doctor_made "${word%%:*}" >"$folder/said"
    like "no variant: $word" "$(sed 's/^........ //' "$folder/said" | tr '\n' ' ')" \
        "'${word%%:*}' is none of the 23 variants[;,] ${word#*:}"
    rm "$made/cpu/says" "$made/cpu/rows"
done
printf '%s\n' variant,width,height,depth,block_x,block_y,status,note,date \
    other,64,1,,32,1,wrong,late,2099-01-01T00:00:00Z mine,4096,1,,512,1,wrong,later,2099-01-01T00:00:00Z \
    mine,64,1,,32,1,wrong,old,1999-01-01T00:00:00Z >"$made/results/here/lab1_vecadd.csv"
: >"$made/cpu/asked"
cp "$made/right" "$made/cpu/rows"
exits "the results' row is wrong, which is not seen here" 1 doctor_made mine
like 'it is said' "$(tr -s '\n ' ' ' <"$folder/out")" 'wrong: later [(]at 4096 512x1[)] cause it is right here'
like 'and was tried' "$(cat "$made/cpu/asked")" '--sizes 4096 --blocks 512x1 '
sed -i '/later/d' "$made/results/here/lab1_vecadd.csv"
seen 'other sources, or other variants, do not count' 'nothing wrong was found'
if ! thorough || [ "$BACKEND" != cpu ]; then
    done_testing
    exit
fi

# ---- right kernels -------------------------------------------------------------------------------

: "${PLACES:=1}"
# doctor LAB VARIANT: what it finds goes to $folder/VARIANT.said, without a build before it.
doctor() {
    case $("$B/${1#*_}" --describe | column block_dimensions -) in 1) blocks='32 96' ;; *) blocks='8 16x4' ;; esac
    BLOCKS=$blocks LAB=$1 VARIANTS=$2 MAKE=true BACKEND=cpu sh tools/doctor.sh >"$folder/$2.said" 2>&1 </dev/null
}

for lab in lab*_*/; do
    lab=${lab%/}
    for variant in $("$B/${lab#*_}" --list | awk -v all="$PLACES" '$2 == "gpu" && (all > 1 || !n++) { print $1 }'); do
        doctor "$lab" "$variant"
        like "$lab: nothing is wrong with $variant" "$(cat "$folder/$variant.said")" \
            '^verdict +(nothing wrong|it was not looked at: .*nothing to run)|^cause +it never ran'
        rm "$folder/$variant.said"
    done
done

# ---- planted mistakes ----------------------------------------------------------------------------

tab=$(printf '\t')
tree=$folder/tree
mkdir "$tree"
# Of the builds what the programs of labs with mistakes are made of.
{ git ls-files && git ls-files -o --exclude-standard &&
    for build in build/cpu build/cpu-race build/cpu-asan; do
        find "$build" -maxdepth 1 -type f ! -perm -100
        find "$build/common" "$build"/lab[134578]_* -type f
        find "$build/cuda_on_cpu" -maxdepth 1 -type f
    done; } |
    tar -cf - -T - | tar -xf - -C "$tree"

# plant NAME SCRIPT LAB:VARIANT,FUNCTION..: puts the mistake into the lab's file.
plant() {
    lab=${3%%:*}
    file=$lab/${lab#*_}.cu
    awk -v names="$(echo "${3#*:}" | tr , ' ')" -v as="$1" -f tests/doctor/plant.awk "$root/$file" |
        sed -E 's/FOR_TYPE\(([a-z_0-9]*)\),( \.(work|shared)|$)/instance<\1<uint8_t, float>>,\2/' >"$folder/copy"
    sed -E "$2" "$folder/copy" >"$folder/part"
    at=$(diff "$folder/copy" "$folder/part" | sed -n 's/^> //p' | head -n 1)
    [ -n "$at" ] || echo "$1: no change"
    awk -v part="$folder/part" -f tests/doctor/plant.awk "$tree/$file" >"$folder/planted" &&
        cp "$folder/planted" "$tree/$file"
    printf '%s\t%s\t%s\n' "$lab" "$1" "$at" >>"$folder/list"
}

grep -v '^#' tests/doctor/mistakes.tsv >"$folder/mistakes"
while IFS=$tab read -r name cause where script places; do
    letters=abc
    for place in $(echo "$places" | cut -d ' ' -f "1-$PLACES"); do
        plant "${name}_${letters%"${letters#?}"}" "$script" "$place"
        letters=${letters#?}
    done
done <"$folder/mistakes"
commit=$(cat "$B/COMMIT") # of which the copies are
cd "$tree" || exit 1
# A grid of as many blocks as the device holds has two in builds for checks, which hold one.
sed -i 's/atomicAdd(sum, of_block);/*sum += of_block;/' lab8_reduction/reduction.cu
planted="$(cut -f 1 "$folder/list" | sort -u) lab8_reduction"
for check in '' race asan; do
    # shellcheck disable=SC2086  # a list
    ok "planted, the build ${check:-plain}" "$MAKE" -j2 BACKEND=cpu CHECK=$check COMMIT="$commit" $planted
done
[ "$tap_failed" = 0 ] || { done_testing; exit 1; }
while IFS=$tab read -r lab variant at; do
    doctor "$lab" "$variant"
done <"$folder/list"
while IFS=$tab read -r name cause where script places; do
    for said in "$folder/$name"_?.said; do
        variant=$(basename "$said" .said)
        at=$(awk -F "$tab" -v name="$variant" '$2 == name { print $3 }' "$folder/list")
        lab=$(awk -F "$tab" -v name="$variant" '$2 == name { print $1 }' "$folder/list")
        # also of a function that is named before: filter_along_rows_NAME
        line=$(awk -v name="$variant" -v at="$at" 'index($0, name "(") { on = 1 }
            on && $0 == at { print NR; exit }' "$lab/${lab#*_}.cu")
        text=$(sed 's/^........ //' "$said" | tr '\n' ' ')
        like "$variant: $cause" "$(grep -A1 '^cause' "$said" | tr '\n' ' ')" "$cause"
        like "$variant: where" "$text" "$(echo "$where" | sed "s/AT/[.]cu:${line:-none}[^0-9]/")"
    done
done <"$folder/mistakes"
doctor lab8_reduction grid_stride
like 'blocks of a resident grid race' "$(cat "$folder/grid_stride.said")" 'same place of memory in no order'

# ---- what does not build -------------------------------------------------------------------------

# The whole of it, from make on.
while IFS=$tab read -r name cause seen script; do
    for place in $(echo lab1_vecadd:naive lab4_template:constant_template lab7_blur:conv2d |
        cut -d ' ' -f "1-$PLACES"); do
        lab=${place%%:*}
        cp "$root/$lab/${lab#*_}.cu" "$lab/"
        plant "$name" "$script" "$place"
        exits "$place, $name" 2 "$MAKE" BACKEND=cpu COMMIT="$commit" doctor LAB="${lab%%_*}" VARIANTS="$name"
        like "$place: $cause" "$(grep -A1 '^cause' "$folder/out" | tr '\n' ' ')" "$cause"
        like "$place: where" "$(tr '\n' ' ' <"$folder/out")" "$seen"
    done
done <<'END'
static_shared	too much static shared memory	static_shared.*too much static shared	s/^    int [ix] = blockIdx.*/    __shared__ float room[32768]; room[threadIdx.x] = 1; &/
host_function	a kernel uses what is the host's	[.]cu.[0-9]+	1s/^/static float on_host(float v) { return v; }\n/;s/(= )(sum|a\[i\] . b\[i\]);/\1on_host(\2);/
host_variable	a kernel uses what is the host's	[.]cu.[0-9]+	1s/^/static float on_host = 1;\n/;s/(= )(sum|a\[i\] . b\[i\]);/\1on_host * (\2);/
END
done_testing
