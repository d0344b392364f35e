#!/bin/sh
# claims.t - what the report may say: planted rows that a comparison must refuse, and sentences that
# must not stand where their rows do not carry them.
# shellcheck source=tests/tap.sh disable=SC2016  # backticks are meant
. tests/tap.sh

! why=$(lacks sqlite3) || skip_all "$why"
rows=$folder/results labs=$folder/labs.csv
mkdir -p "$rows/one" "$folder/figures"
cat >"$labs" <<'END'
lab,program,title,sizes_are,overlapping
lab1_vecadd,vecadd,a sum,vector,
lab2_matprod,matprod,a product,product,
lab3_bilateral,bilateral,a filter,image,
lab4_template,template,a match,image,
lab6_banding,banding,bands,image,early_start
END

# analyse MACHINE: to $folder/out, and its report.
analyse() {
    sh report/analyse.sh --results "$rows" --labs "$labs" --out "$folder/out" "$1" >"$folder/said" 2>&1 &&
        sh report/build.sh --figures "$folder/figures" --out "$folder/out" --formats md >>"$folder/said" 2>&1
}
# fact NAME: its value.
fact() {
    column name value "$folder/out/facts.csv" | sed -n "s/^$1,//p"
}
# ask SELECT
ask() {
    sqlite3 -readonly "$folder/out/results.db" "$1"
}

# One work: a kernel on bytes is not set against a library on floats, nor is it the fastest; one whose
# launches overlap is no lab's fastest; one that is less exact is none, either.
cat >"$rows/one/lab3_bilateral.csv" <<'END'
variant,kind,role,parameters,width,height,block_x,block_y,time_s,status,tolerance,end_to_end_s
cpu,cpu,serial,radius=1;type=f32,64,48,,,8,ok,1e-5,
cpu_omp,cpu,scales,radius=1;type=f32,64,48,,,2,ok,1e-5,
naive,gpu,,radius=1;type=f32,64,48,8,8,0.4,ok,1e-5,0.8
better,gpu,,radius=1;type=f32,64,48,8,8,0.2,ok,1e-5,0.5
coarse,gpu,,radius=1;type=f32,64,48,8,8,0.05,ok,1e-2,0.4
bytes,gpu,,radius=1;type=u8,64,48,8,8,0.01,ok,1e-5,0.3
npp,vendor,,radius=1;type=f32,64,48,,,0.1,ok,1e-5,0.4
END
cat >"$rows/one/lab6_banding.csv" <<'END'
variant,kind,role,parameters,width,height,block_x,block_y,time_s,status
cpu,cpu,serial,mode=1,64,48,,,8,ok
naive,gpu,,mode=1,64,48,8,8,0.4,ok
early_start,gpu,,mode=1,64,48,8,8,0.1,ok
pixels4,gpu,,mode=1,64,48,8,8,0.2,ok
END
ok 'a machine of several kinds of work' analyse one
is 'the fastest kernel does the work of the others, as exactly, and a launch of its own' \
    "$(ask 'select lab, variant from fastest order by lab')" 'lab3_bilateral|better
lab6_banding|pixels4'
is 'bytes are no part of a ladder of floats, and no share of its library' \
    "$(ask "select variant, step_gain, peer_percent from ladder where lab = 'lab3_bilateral'")" \
    'naive||25.0
better|2.0|50.0
coarse|4.0|200.0
bytes||
npp||100.0'
is 'they gain nothing over floats' "$(ask "select gain is null from lab3_rungs where variant = 'bytes'")" 1
is 'each gain is of the lab'"'"'s own rows' "$(fact most_plain_gain),$(fact most_plain_gain_lab)" 2.0,3
is 'and has no gain' "$(ask "select gain is null from lab6_rungs where variant = 'early_start'")" 1
is 'nor is it the fastest in a figure' "$(ask "select distinct text from bar_text
    where lab glob 'lab6*' and text glob '; fast*' order by text")" '; fastest: pixels4, {2} times naive
; fastest: pixels4, {40} times one CPU thread'
like 'what overlaps says so' "$(cat "$folder/out/report.md")" \
    '^`early_start` begins before the launch before it has ended'

# One recording: where labs ran on several hosts only rows of one commit are compared.
mkdir "$rows/two"
cat >"$rows/two/lab1_vecadd.csv" <<'END'
variant,kind,role,parameters,width,height,block_x,block_y,time_s,status,commit
cpu,cpu,serial,,1024,1,,,8,ok,old
naive,gpu,,,1024,1,32,1,0.4,ok,new
vector4,gpu,,,1024,1,32,1,0.2,ok,old
END
hosts() {
    printf '{"lab1_vecadd": {"commit": "new", "host": "a"},\n"lab2_matprod": {"commit": "old", "host": "%s"}}\n' "$1" \
        >"$rows/two/run.json"
}
hosts a
ok 'two commits on one host' analyse two
compared() {
    ask "select variant, speedup, gain from mine left join lab1_rungs using (variant) where mine.kind = 'gpu'"
}
is 'are one recording' "$(compared)" 'naive|20.0|1.0
vector4|40.0|2.0'
hosts b
mv "$rows/two/run.json" "$rows/two/card.json"
hosts a
ok 'a card.json beside it' analyse two
is 'tells nothing then' "$(compared)" 'naive|20.0|1.0
vector4|40.0|2.0'
rm "$rows/two/card.json"
hosts b
ok 'two commits on two hosts' analyse two
is 'are two: no speedup and no gain from one to the other' \
    "$(compared)" 'naive||1.0
vector4|40.0|'
is 'and no fastest kernel beside a CPU of another' "$(ask 'select count(*) from cpu_best')" 0

# 2012: its rows have the name of the kernel that does the same.
mkdir "$rows/past"
cat >"$rows/past/lab4_template.csv" <<'END'
variant,kind,role,parameters,width,height,block_x,block_y,time_s,status
cpu,cpu,serial,template=64x64;measure=ssd;type=u8,1024,768,,,8,ok
naive,gpu,,template=64x64;measure=ssd;type=u8,1024,768,16,16,0.001,ok
global_sum,gpu,,template=64x64;measure=ssd;type=u8,1024,768,16,16,0.01261,ok
END
echo '{"lab4_template": {"gpu": "A GPU"}}' >"$rows/past/run.json"
ok 'a lab of 2012' analyse past
is 'is compared with the kernel that sums as it did' "$(ask 'select lab, variant from counterpart')" \
    'lab4_template|global_sum'
is 'and gains what that gains' "$(ask "select round(value, 1) from headline where name = 'past_gain'")" 10.0
like 'one lab is no span from least to most' "$(cat "$folder/out/report.md")" \
    'the kernel of 2012 .lab 4. runs 10 times as fast as then'
is 'and the report says which labs ran' "$(grep -c 'Of the suite.s labs these ran here: 4[.]' \
    "$folder/out/report.md")" 1

# A small size: 31 empty lanes explain nothing where a block of one thread costs little.
mkdir "$rows/small"
cat >"$rows/small/lab2_matprod.csv" <<'END'
variant,kind,role,width,height,depth,block_x,block_y,threads_per_block,occupancy,time_s,status
naive,gpu,,64,64,64,1,1,1,0.5,0.00012,ok
naive,gpu,,64,64,64,16,16,256,1,0.0001,ok
END
ok 'a product of 64' analyse small
is 'whose small blocks cost a fifth' "$(fact lab2.smallest_block_gain)" 1.2
is 'has no sentence of empty lanes' "$(grep -c 'lanes at work' "$folder/out/report.md")" 0

# FP32 kernels that are as exact as the library are no surprise: none of them runs on tensor cores.
mkdir "$rows/plain"
cat >"$rows/plain/lab2_matprod.csv" <<'END'
variant,kind,role,width,height,depth,block_x,block_y,time_s,status,flops,max_error
naive,gpu,,4096,4096,4096,16,16,0.08,ok,137e9,2e-7
warp_tile,gpu,,4096,4096,4096,256,1,0.002,ok,137e9,2e-7
cublas,vendor,,4096,4096,4096,,,0.0022,ok,137e9,2e-7
END
ok 'a product without tensor cores' analyse plain
is 'has an accurate kernel' "$(fact lab2.accurate_variant)" warp_tile
is 'and nothing to say of tensor cores' "$(grep -c 'ensor cores can\|The surprise' "$folder/out/report.md")" 0

# Small sizes, at which nothing gains: headings that say that something does are not there.
mkdir -p "$rows/level"
cat >"$rows/level/lab4_template.csv" <<'END'
variant,kind,role,parameters,width,height,depth,block_x,block_y,time_s,status
naive,gpu,,template=8x8;measure=ssd;type=u8,64,48,,8,8,1e-5,ok
register_tile,gpu,,template=8x8;measure=ssd;type=u8,64,48,,8,8,1.3e-5,ok
integer_dp4a,gpu,,template=8x8;measure=ssd;type=u8,64,48,,8,8,1e-5,ok
tensor_int8_hopper,gpu,,template=8x8;measure=ssd;type=u8,64,48,,8,8,1e-5,ok
END
ok 'kernels that are as slow as the plain one' analyse level
is 'gain nothing' "$(grep -c 'Fewer loads\|gains by fewer\|matrix product of numbers' "$folder/out/report.md")" 0
sed -i '3,$s/,1[.0-9]*e-5/,4e-6/' "$rows/level/lab4_template.csv"
ok 'and faster ones' analyse level
is 'do' "$(grep -c 'Fewer loads\|matrix product of numbers' "$folder/out/report.md")" 2

# A library whose short launches were timed one by one is not set against batches.
mkdir -p "$rows/singly"
cat >"$rows/singly/lab3_bilateral.csv" <<'END'
variant,kind,role,parameters,width,height,block_x,block_y,time_s,status,tolerance,note
naive,gpu,,type=f32,64,48,8,8,4e-4,ok,1e-5,
better,gpu,,type=f32,64,48,8,8,2e-4,ok,1e-5,
npp,vendor,,type=f32,64,48,,,3e-4,ok,1e-5,timed singly
END
ok 'a library that was timed singly' analyse singly
is 'has no ratio' "$(ask "select over_library from headlines")$(ask "select gain from rungs where variant = 'npp'")$(fact lab3.vendor_variant)" ''
like 'as the method tells' "$(cat "$folder/out/report.md")" 'in batches, or have no gain[.]'
sed -i 's/e-4/e-2/' "$rows/singly/lab3_bilateral.csv"
ok 'and where launches are long' analyse singly
is 'it has' "$(ask "select over_library from headlines")" 1.5

# A machine without a GPU that ran a few small sizes: sentences are of the recorded kernels' own size.
mkdir -p "$rows/small_cpu"
cat >"$rows/small_cpu/lab2_matprod.csv" <<'END'
variant,kind,role,parameters,width,height,depth,time_s,status,tolerance,flops
cpu,cpu,serial,type=f32,64,64,64,0.0002,ok,1e-5,524288
cpu_omp,cpu,scales,type=f32,64,64,64,0.0001,ok,1e-5,524288
END
ok 'CPU rows of a small product beside recorded kernels' analyse small_cpu
is 'are told of at the recorded size' "$(grep -o 'At N = [0-9]* .naive. writes' "$folder/out/report.md")" \
    'At N = 1024 `naive` writes'
is 'and nowhere at theirs' "$(grep -c 'N = 64[^0-9]' "$folder/out/report.md")" 0

# Labs stand by their numbers, not by their letters.
mkdir "$rows/ten"
echo lab10_histogram,histogram,bytes,vector, >>"$labs"
echo lab,variant,width,height,block_x,block_y,time_s,issue_share,status >"$rows/ten/profile.csv"
for lab in lab10_histogram lab2_matprod; do
    printf '%s\n' variant,kind,width,height,block_x,block_y,time_s,read_s,copy_in_s,copy_out_s,write_s,status \
        naive,gpu,64,64,8,8,1,1,1,1,1,ok >"$rows/ten/$lab.csv"
    echo "$lab,naive,64,64,8,8,1,0.5,ok" >>"$rows/ten/profile.csv"
done
ok 'the second lab and the tenth' analyse ten
is 'stand in this order in tables and in the figure' "$(ask "select group_concat(lab) from status union all
    select group_concat(lab) from profile union all select group_concat(n, ',') from (
      select n from bar where chart = 'split' group by n order by n)")" 'lab2_matprod,lab10_histogram
lab2_matprod,lab10_histogram
2,10'

# That memory ends lab 10's row of limits is said if the last rung has 85 % of the GPU's ceiling, not of the CPU's.
mkdir "$rows/histograms"
cp data/reference/nvidia-h200/lab0_ceilings.csv data/reference/nvidia-h200/lab10_histogram.csv \
    data/reference/nvidia-h200/run.json "$rows/histograms"
# in_turn: how often it is said
in_turn() {
    sh report/analyse.sh --results "$rows" --labs "$B/labs.csv" --out "$folder/out" histograms &&
        grep -c '^lab10[.]in_turn,' "$folder/out/facts.csv"
}
is 'lab 10 as recorded' "$(in_turn)" 1
awk -F , -v OFS=, '$2 == "lane_copies" && $35 != "" { $35 *= 0.7 } { print }' \
    data/reference/nvidia-h200/lab10_histogram.csv >"$rows/histograms/lab10_histogram.csv"
is 'its last rung at 62 % of the ceiling' "$(in_turn)" 0

# Every number of the committed report's abstract stands with its lab, and it keeps its length.
for page in report report.ja; do
    is "$page.md: at most 4,000 words, 18 figures" "$(sed '/^## \(Ref\|参\)/,$d; /^[|$]/d; s/<[^>]*>//g' docs/report/$page.md |
        awk -v words=0 '/^!\[/ { figures++; next } { words += NF } END { print words <= 4000, figures <= 18 }')" '1 1'
done
is 'the abstract has at most 150 words' "$(sed -n '/^## Abstract/,/^## 1/p' docs/report/report.md |
    sed '1d; $d' | wc -w | awk '{ print $1 <= 150 }')" 1
is 'Japanese paragraphs have at most 400 characters' "$(grep -v '^[|!*#$]' docs/report/report.ja.md |
    sed 's/([^()]*)//g' | LC_ALL=C.UTF-8 grep -cE '^.{401,}$')" 0

done_testing
