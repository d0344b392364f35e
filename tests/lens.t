#!/bin/sh
# lens.t - the lens: kernels of lens/known.cu whose requests, sectors, passes and lanes are known; the same
# rows twice; and a page that a browser shows without overlap, at both widths.
. tests/tap.sh

! why=$(lacks Boost.Context) || skip_all "$why"
thorough || [ "$BACKEND" = cpu ] || skip_all 'make test-all tries the CPU build on a GPU, too'

known=tests/lens/known.cu

# wants: lines of kernel, memory, access, a column, and what it is for one request (`requests`: in all).
# An H200's counters are the same (docs/lens.md), but for ragged, whose loop nvcc unrolls.
wants() {
    cat <<'END'
coalesced global load sectors 4
coalesced global load least_sectors 4
coalesced global load tags 1
coalesced global store sectors 4
strided<2> global load sectors 8
strided<8> global load sectors 32
strided<32> global load sectors 32
strided<32> global load tags 32
shifted global load sectors 5
broadcast global load sectors 1
broadcast global load least_sectors 1
vector4 global load sectors 16
vector4 global load least_sectors 16
vector4 global load requests 512
vector4 global store sectors 16
structures global load sectors 16
structures global load least_sectors 4
bytes global load sectors 1
transpose<0> shared load sectors 32
transpose<0> shared store sectors 1
transpose<1> shared load sectors 1
transpose<1> shared store sectors 1
transpose<1> global load sectors 4
transpose<1> global store sectors 4
transpose_direct global store sectors 32
wide_shared shared store sectors 3
count_all global atomic same_address 32
count_all global atomic sectors 1
count_each global atomic same_address 1
count_places global atomic same_address 2
count_places global atomic sectors 12
count_places global atomic l2_sectors 12
histogram_shared shared atomic same_address 8
histogram_shared shared atomic tags 1
constants constant load sectors 4.5
local_array local load sectors 18
ragged global load requests 132
ragged global store requests 1
skipping global load requests 8
skipping global store lanes 32
parting global store requests 8
parting global load requests 16
copied global load sectors 4
copied global store sectors 4
calling global store lanes 32
calling global load lanes 16
shuffled global load requests 1
shuffled local load requests no row
gathered<false> global store sectors 16
gathered<false> global store l2_sectors 4
gathered<true> global store l2_sectors 16
sparse global load requests 5
sparse global store lanes 32
copy<pair> global load requests 2
copy<pair> global load sectors 8
copy<pair> global store least_sectors 4
copy<body> global load requests 8
copy<body> global store sectors 32
copy<chunk> global load requests 3
copy<chunk> global load least_sectors 16
stacked local store requests 8
stacked local store lanes 21.375
kept local store requests no row
halves global store requests 1
halves global store sectors 4
in_place global store filled_sectors 4
in_place global store active_lanes 2863311530
END
}

cat >"$folder/answers.awk" <<'AWK'
record > 0 {
    key = csv("kernel") " " csv("space") " " csv("access")
    for (name in column)
        sum[key, name] += csv(name)
}
END {
    while ((getline line < wants) > 0) {
        split(line, w, " ")
        key = w[1] " " w[2] " " w[3]
        n = sum[key, "requests"]
        print key, w[4], n == 0 ? "no row" : w[4] == "requests" ? n : sum[key, w[4]] / n
    }
}
AWK
wants >"$folder/wants"

# answers FILE [WANTS]: the same lines, with what the rows have.
answers() {
    awk -v wants="${2-$folder/wants}" -f "$root/tools/csv.awk" -f "$folder/answers.awk" "$1"
}

ok 'cpu-nvcc -lens' "$root/tools/cpu-nvcc" -lens "$known" -o "$folder/known"
CUDA_CPU_LENS_BLOCKS=0 CUDA_CPU_LENS="$folder/known.csv" "$folder/known"
is 'every known answer' "$(answers "$folder/known.csv")" "$(wants)"
is 'two forms of a template are told apart' "$(column kernel launches bytes_each sectors "$folder/known.csv" |
    grep -v ',0,0$' | sed -n 's/^deduced,//p' | sort)" '1,4,4
1,8,8'
ok 'what counters have beyond that is another matter' "$root/tools/cpu-nvcc" -lens "${known%known.cu}traffic.cu" \
    -o "$folder/traffic"
CUDA_CPU_LENS_BLOCKS=4 CUDA_CPU_LENS="$folder/traffic.csv" "$folder/traffic"
cat >"$folder/passes" <<'END'
half_sectors global store sectors 32
half_sectors global store l2_sectors 16
shared_reads<true> shared load sectors 1
shared_writes<true> shared store sectors 1
END
is 'lanes that meet in no bank, and halves that fill sectors' "$(answers "$folder/traffic.csv" "$folder/passes")" \
    "$(cat "$folder/passes")"
stale=build/lens/counters/nvidia-h200/none
mkdir -p "$stale" && : >"$stale/lens_lab99.csv"
CARD=nvidia-h200 sh tools/lens_counters.sh lab99 true
is 'counters beside a profile are not those of a run before' "$(ls "$stale")" ''
rmdir "$stale"

# Each count has its column, and what differs is named behind it.
counts() {
  printf '%s\n' lab,variant,block_x,status,global_load_sectors_per_request,global_store_sectors_per_request,shared_loads,shared_load_conflicts,shared_store_conflicts,l1_fetched_bytes,l1_written_bytes \
    "lab1_x,v,8,ok,$1" >"$folder/profile.csv"
  printf '%s\n' lab,variant,space,access,requests,sectors,least_sectors,l2_sectors lab1_x,v,global,load,10,40,40,20 \
    lab1_x,v,global,store,10,20,20,10 lab1_x,v,shared,load,1000,1500,1000,0 >"$folder/counts.csv"
  awk -f tools/csv.awk -f tools/lens_counters.awk "$folder/profile.csv" "$folder/counts.csv" |
    awk 'NR == 2 { for (i = 13; i <= NF; i++) printf "%s ", $i; print ";" }'
}
is 'counts that are the profile'"'"'s' "$(counts 4,2,1000,500,0,640,320)" ';'
is 'each that is not' "$(for counted in 5,2,1000,500,0,640,320 4,3,1000,500,0,640,320 4,2,900,500,0,640,320 \
  4,2,1000,400,0,640,320 4,2,1000,500,0,840,320; do counts $counted; done | tr '\n' ' ')" \
  'load ; store ; shared ; conflicts ; L2 ; '
is 'nothing is lost' "$(column lost "$folder/known.csv" | sort -u)" 0
CUDA_CPU_LENS_LOCAL=0 CUDA_CPU_LENS_BLOCKS=0 CUDA_CPU_LENS="$folder/registers.csv" "$folder/known"
echo 'gathered_array global store l2_sectors 4' >"$folder/array"
is 'an array in registers is no load between stores' "$(answers "$folder/registers.csv" "$folder/array")" \
    "$(cat "$folder/array")"
is 'nor is it in local memory' "$(column kernel memory "$folder/registers.csv" | grep -c ',local$')" 0
CUDA_CPU_LENS_LOCAL=104 CUDA_CPU_LENS_BLOCKS=0 CUDA_CPU_LENS="$folder/local.csv" "$folder/known"
echo 'kept local store requests 44' >"$folder/kept"
is 'sums are in local memory where the card has some' "$(answers "$folder/local.csv" "$folder/kept")" "$(cat "$folder/kept")"
CUDA_CPU_LENS_BLOCKS=4 CUDA_CPU_LENS="$folder/first.csv" "$folder/known"
CUDA_CPU_LENS_BLOCKS=4 CUDA_CPU_LENS="$folder/second.csv" "$folder/known"
ok 'the same rows again' cmp "$folder/first.csv" "$folder/second.csv"
is 'a sample of 4 blocks stands for all' "$(column kernel blocks sampled "$folder/first.csv" |
    grep '^coalesced' | sort -u)" coalesced,64,4
is 'and gives the same numbers where blocks are alike' "$(answers "$folder/first.csv" | grep -v '^[rl]')" \
    "$(wants | grep -v '^[rl]')"

ok 'a launch that does much' "$root/tools/cpu-nvcc" -lens tests/lens/heavy.cu -o "$folder/heavy"
CUDA_CPU_LENS_MILLIONS=1 CUDA_CPU_LENS="$folder/heavy.csv" "$folder/heavy"
ok 'is known by a part of its sample' test "$(column sampled "$folder/heavy.csv" | sort -u)" -lt 16
is 'in which what most blocks do is most' "$(column access requests lanes "$folder/heavy.csv" |
    awk -F , '$1 == "load" { n += $2; lanes += $3 } END { print n, (lanes > 16 * n) }')" '81 1'

cat >"$folder/many.cu" <<'END'
__global__ void one(float *p)
{
    p[threadIdx.x] += 1;
}
int main()
{
    float *p;
    cudaMalloc(&p, 128);
    for (int i = 0; i < 20000; i++)
        one<<<1, 32>>>(p);
    cudaFree(p);
    return 0;
}
END
ok 'many launches' "$root/tools/cpu-nvcc" -lens "$folder/many.cu" -o "$folder/many"
ok 'take less than 8 s of a processor' sh -c "ulimit -t 8 && CUDA_CPU_LENS='$folder/many.csv' '$folder/many'"
is 'each with cold caches' "$(column launches access l2_sectors dram_sectors "$folder/many.csv" | grep load)" 20000,load,80000,80000

# ---- the page --------------------------------------------------------------------------------------

printf 'lab\ntry\n' >"$folder/row"
awk -v card=nvidia-h200 -f tools/csv.awk -f tools/lens_case.awk "$folder/row" "$folder/known.csv" >"$folder/rows.csv"
mkdir "$folder/pages"
awk -v pages="$folder/pages" -v tools=tools -f tools/csv.awk -f tools/lens_page.awk "$folder/rows.csv" >"$folder/list"
is 'a page for each launch' "$(wc -l <"$folder/list")" "$(grep -c '<<<' "$known")"
page=$folder/pages/try_transpose.html
ok 'it has the source' grep -q 'tile\[threadIdx.x\]\[threadIdx.y\]' "$page"
is 'of all files of which lines ran' "$(grep -o -e 'return in\[i\];' -e 'v = helper(' "$folder/pages/try_calling.html" | sort)" \
    'return in[i];
v = helper('
grep -h -o '"block":"[^"]*","threads":[0-9]*' "$folder"/pages/*.html docs/lens/*.html | tr -c '0-9\n' ' ' >"$folder/blocks"
is 'and how many threads a block has, of two extents, too' \
    "$(awk '$1 * $2 * $3 != $4; $2 > 1 { two = 1 } END { print two ? "some" : "none" }' "$folder/blocks")" some
is 'none is larger than 60 kB' "$(find "$folder/pages" docs/lens* -name '*.html' -size +59k)" ''
is 'all that it needs is in it' "$(grep -o -E '(src|href)="?[^ >]*|url[(]' "$page")" ''
awk -v pages="$folder/pages" -v tools=tools -v side_by_side=1 -f tools/csv.awk -f tools/lens_page.awk \
    "$folder/rows.csv" >"$folder/list"
is 'two kernels share one' "$(cat "$folder/list")" "$folder/pages/try_coalesced_and_strided.html"

# look WIDTH PAGE: what a browser says of it: parts that reach out of the window, and texts of the source
# that lie on each other. The page stands in a frame, which may be narrower than any window.
look() {
    cat >"$folder/frame.html" <<END
<iframe id=f src="file://$2" style="width:$1px;height:900px;border:0"></iframe>
<script>f.onload=()=>{const d=f.contentDocument,bad=[]
if(d.documentElement.scrollWidth>$1)bad.push('wider than the window: '+d.documentElement.scrollWidth)
const boxes=[...d.querySelectorAll('h1,h2,p,.row,table,svg')].map(e=>[e,e.getBoundingClientRect()]).filter(b=>b[1].height)
boxes.forEach(([e,b],i)=>{if(b.right>$1+1)bad.push(e.className+e.tagName+' reaches out')
boxes.slice(i+1).forEach(([o,c])=>{if(!e.contains(o)&&!o.contains(e)&&b.left<c.right-1&&c.left<b.right-1&&b.top<c.bottom-1&&c.top<b.bottom-1)bad.push(e.tagName+' lies on '+o.tagName)})})
d.querySelectorAll('td,th,.chip,.code').forEach(e=>{if(e.scrollWidth>e.clientWidth+1&&e.clientWidth)bad.push('cut off: '+e.textContent)})
const rows=d.querySelectorAll('.row[tabindex]');rows[0].focus();rows[0].dispatchEvent(new f.contentWindow.KeyboardEvent('keydown',{key:'ArrowDown',bubbles:true}))
if(rows.length>1&&!rows[1].classList.contains('sel'))bad.push('no line is chosen by keyboard')
document.body.innerHTML='<pre>'+(bad.join('\n')||'all is well, '+rows.length+' lines')+'</pre>'}</script>
END
    timeout 60 chromium --headless=new --no-sandbox --disable-gpu --allow-file-access-from-files \
        --user-data-dir="$folder/browser" --window-size=1400,1000 --virtual-time-budget=3000 \
        --dump-dom "file://$folder/frame.html" 2>/dev/null | sed -n 's/<[^>]*>//g; /./p'
}

if why=$(lacks chromium); then
    skip 'a page in a browser' "$why"
else
    for width in $(thorough && echo 1280) 390; do
        like "a page, $width pixels wide" "$(look "$width" "$page")" '^all is well, [0-9]+ lines'
    done
    timeout 60 chromium --headless=new --no-sandbox --disable-gpu --user-data-dir="$folder/browser" \
        --dump-dom "file://$folder/pages/try_in_place.html" 2>/dev/null | sed '/<script>/,/<\/script>/d' >"$folder/dom"
    is 'lanes that take no part are drawn without colour' "$(grep -o 'y="16"[^>]*off' "$folder/dom" | wc -l)" 32
    is 'a store of what was loaded is no second one' "$(grep -o -E 'again and again|as good as they can' "$folder/dom")" ''
    ! thorough || like 'two side by side' "$(look 390 "$(cat "$folder/list")")" '^all is well, [0-9]+ lines'
    sed 's/main{display:grid;/&width:1500px;/' "$page" >"$folder/wide.html"
    like 'one that is too wide is found' "$(look 390 "$folder/wide.html")" 'wider than the window'
fi

# ---- make ------------------------------------------------------------------------------------------

if thorough; then
    FILE=$known LENS=1 B="$folder/build" sh tools/try.sh >"$folder/said" 2>&1
    like 'make try LENS=1 tells the pages' "$(cat "$folder/said")" '^lens  *.*try_coalesced.html'
    like 'and how many more there are' "$(cat "$folder/said")" '^lens  *and [0-9]+ more in'
    like 'and a time, or what it lacks' "$(cat "$folder/said")" '^time  *(.* us on nvidia-h200|not told: |.*cannot tell: )'
    is 'a time for each way in which a kernel is launched' "$(column variant "$folder/build/try/"known-*/lens_cases.csv |
        sort -u | sed -n -E 's/known.cu:[0-9]+/LINE/; /^(deduced|kept)/p' | tr '\n' ';')" \
        'deduced at LINE, 1x1x1, 32x1x1;deduced at LINE, 1x1x1, 32x1x1;kept;'
    cat >"$folder/ends.cu" <<'END'
#include <stdlib.h>
__global__ void ends(float *p)
{
    p[threadIdx.x] = 1;
}
int main(int count, char **)
{
    float *p;
    cudaMalloc(&p, 128);
    ends<<<1, 32>>>(p);
    cudaFree(p);
    if (count > 1)
        abort();
    return 0;
}
END
    for args in '' x; do
        FILE=$folder/ends.cu LENS=1 ARGS=$args B="$folder/build" sh tools/try.sh >"$folder/said" 2>&1
        sed 's/ [0-9.]* s$//' "$folder/said" | grep -a -E '^lens|awk' >>"$folder/ends"
        find "$folder/build/try/" -name try_ends.html >>"$folder/ends"
    done
    is 'a program that aborts has no page, nor one of an earlier try' "$(sed 's|.*/||' "$folder/ends")" 'try_ends.html
try_ends.html
lens     nothing was counted: Aborted in host code; at ends.cu:13'
    # make's nvcc refuses by itself: with another NVCC the engine would be built anew, below other tests.
    printf '#error %s\n' 'it is refused for a reason that is told at the end of a long line' >"$folder/refused.h"
    NVCC_APPEND_FLAGS="-include $folder/refused.h" "$MAKE" -s try FILE="$known" LENS=1 BACKEND=cpu B="$folder/build" \
        >"$folder/said" 2>&1
    if why=$(grep 'not told: it needs' "$folder/said"); then
        skip 'or why nvcc refuses it' "$why"
    else
        like 'or why nvcc refuses it' "$(tr -s '\n ' ' ' <"$folder/said")" 'nvcc refuses .* told at the end of a long line'
    fi
    ok 'make lens' "$MAKE" lens LAB=lab1 VARIANTS='naive grid_stride' SIZES=100000 BLOCKS=32 \
        RESULTS="$folder/results"
    like 'prints sums by the names of ncu' "$tap_output" \
        '^  l1tex__t_sectors_pipe_lsu_mem_global_op_ld[.]sum  *25000$'
    is 'and keeps the rows' "$(column variant width block_x card "$folder"/results/*/lens_lab1_vecadd.csv |
        sort -u | tr '\n' ' ')" 'grid_stride,100000,32,nvidia-h200 naive,100000,32,nvidia-h200 '
    if why=$(lacks mawk gawk); then
        skip 'the rows by mawk and by gawk' "$why"
    else
        for awk in mawk gawk; do
            mkdir "$folder/$awk"
            with_awk $awk env VARIANTS=naive SIZES=100000 BLOCKS=32 MAKE='' sh tools/lens.sh build/cpu-lens/vecadd \
                "$folder/$awk/out" "$folder/$awk/page" >"$folder/$awk/said"
            sed -i "s|/$awk/|/|" "$folder/$awk/said"
        done
        for what in said out page; do
            ok "by mawk and by gawk: $what" diff -r "$folder/mawk/$what" "$folder/gawk/$what"
        done
    fi
    refuses 'a card that is not in the table' 2 'CARD=none: one of nvidia-h200' env CARD=none \
        sh tools/lens.sh build/cpu-lens/vecadd "$folder/results" ''
fi
done_testing
