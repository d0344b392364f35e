#!/bin/sh
# lens_time.t - the lens's time model: machine code, rows and a card whose answers are known. It needs SciPy, but
# neither nvcc nor nvdisasm: what that prints is made up.
# shellcheck disable=SC2016  # awk's own variables
. tests/tap.sh
export OPENBLAS_NUM_THREADS=1 # SciPy's, which start with it and have nothing to do
python3 -c 'import scipy' 2>/dev/null || skip_all 'SciPy is missing: pip install scipy'

# A kernel that copies 16 bytes a thread, STEPS times by its loop, as nvdisasm lists it.
cat >"$folder/nvdisasm" <<'END'
#!/bin/sh
cat <<'LISTING'
.text._Z4copyPK6float4PS_i:
	//## File "copy.cu", line 2
        /*0000*/                   S2R R0, SR_TID.X ;
        /*0010*/                   IMAD R0, R1, R2, R0 ;
.L_x_0:
	//## File "copy.cu", line 4
        /*0020*/                   LDG.E.128 R4, desc[UR4][R2.64] ;
        /*0030*/                   STG.E.128 desc[UR4][R8.64], R4 ;
	//## File "copy.cu", line 3
        /*0040*/                   IADD3 R0, R0, 0x1, RZ ;
        /*0050*/                   ISETP.GE.AND P0, PT, R0, R9, PT ;
        /*0060*/              @!P0 BRA `(.L_x_0) ;
        /*0070*/                   EXIT ;
LISTING
END
chmod +x "$folder/nvdisasm"

# rows BLOCKS STEPS: what the lens would count of it with 256 threads a block, each sector new to the card.
rows() {
    awk -v blocks="$1" -v steps="$2" 'BEGIN {
        warps = 8 * blocks
        print "lab,variant,parameters,width,height,depth,block_x,block_y,kernel,launched_at,grid,block,launches,blocks," \
            "sampled,registers,shared_bytes,file,line,space,access,bytes_each,requests,lanes,sectors,least_sectors,tags," \
            "same_address,l2_sectors,dram_sectors,addresses"
        start = "lab0_ceilings,copy,measure=copy,1,1,,256,1,\"copy\",copy.cu:9," blocks "x1x1,256x1x1,1," blocks ",16,16,0,"
        print start "copy.cu,3,code,block,0," warps * steps "," 32 * warps * steps ",0,0,0," 32 * warps * steps ",0,0,"
        for (way = 1; way <= 2; way++) {
            n = warps * steps
            print start "copy.cu,4,global," (way == 1 ? "load" : "store") ",16," n "," 32 * n "," 16 * n "," 16 * n "," 4 * n ",0," \
                16 * n "," 16 * n ",0 16 32 48"
        }
    }'
}
estimate() {
    NVDISASM="$folder/nvdisasm" python3 tools/lens_time/estimate.py "$@"
}

# 2^28 floats by copies of 16 bytes: lab 0 measured 712 us on an H100.
rows 262144 1 >"$folder/copy.csv"
estimate nvidia-h100 "$folder/copy.csv" any >"$folder/said"
like 'a copy is bound by DRAM' "$(cat "$folder/said")" '^time  copy 1x1: .* us on nvidia-h100 .*bound: DRAM$'
ok 'its time is that which lab 0 measured' awk '{ exit !($4 < 712 && 712 < $6 && $6 < 2 * $4) }' "$folder/said"
ok 'an H200, whose memory is faster, takes less' awk -v h100="$(awk '{ print $4 }' "$folder/said")" \
    '{ exit !($4 < 0.8 * h100) }' <<END
$(estimate nvidia-h200 "$folder/copy.csv" any)
END

# A file of one's own is compiled for the card.
of_file() {
    printf '#!/bin/sh\n%s\n' "$1" >"$folder/nvcc"
    chmod +x "$folder/nvcc"
    CARD=nvidia-h100 NVCC="$folder/nvcc" NVDISASM="$folder/nvdisasm" sh tools/lens_time.sh "$folder/copy.csv" mine.cu
}
is 'a file of one'"'"'s own' "$(of_file 'case "$*" in *-arch=sm_90*mine.cu) while [ "$1" != -o ]; do shift; done; : >"$2" ;; esac')" \
    "$(cat "$folder/said")"
like 'which nvcc refuses' "$(of_file 'echo "mine.cu(1): error: no"; exit 1')" '^time  not told: nvcc refuses mine.cu: .*error: no'

# A lab's kernels are looked for where they are launched, and where they are.
printf '#!/bin/sh\necho "$@"\nexit 1\n' >"$folder/make"
chmod +x "$folder/make"
sed 's/copy\.cu:/labs\/spine.cu:/' "$folder/copy.csv" >"$folder/apart.csv"
is "of a lab's rows the files of kernels and launches are compiled" "$(CARD=nvidia-h100 NVCC="$folder/nvcc" \
    NVDISASM="$folder/nvdisasm" MAKE="$folder/make" sh tools/lens_time.sh "$folder/apart.csv" 2>&1)" \
    '-s BACKEND=cpu build/sass/copy.cubin build/sass/labs/spine.cubin'

# Loops and registers, by the modules themselves.
like 'a loop turns as often as its accesses say' "$(
    rows 100 7 >"$folder/loop.csv"
    PYTHONPATH=tools/lens_time NVDISASM="$folder/nvdisasm" python3 - "$folder/loop.csv" <<'END'
import sys
import estimate, frequencies, sass
(case, (rows,)), = estimate.cases_of(sys.argv[1])
(code,), = estimate.functions_of(["any"]).values(),
blocks = sass.blocks(code[0])
runs, apart = frequencies.frequencies(blocks, frequencies.Counts(rows, 100 * 256))
print([round(float(r), 3) for r in runs], round(float(apart), 3))
END
)" '^\[1.0, 7.0, 1.0\] 0.0$'

# Five turns of a loop that is unrolled for eight and for four at a time, and three more loads by a predicate.
mkdir "$folder/unrolled"
{
    printf '#!/bin/sh\ncat <<"LISTING"\n.text._Z4copyPK6float4PS_i:\n\t//## File "copy.cu", line 2\n'
    printf '  /*0*/ S2R R0, SR_TID.X ;\n  /*0*/ @!P0 BRA `(.L_x_2) ;\n'
    for form in '1 8' '3 4'; do
        printf '.L_x_%s:\n\t//## File "copy.cu", line 4\n' "${form% *}"
        yes '  /*0*/ LDG.E.128 R4, desc[UR4][R2.64] ;' | head -n "${form#* }"
        printf '\t//## File "copy.cu", line 3\n  /*0*/ IADD3 R0, R0, 0x4, RZ ;\n  /*0*/ @!P0 BRA `(.L_x_%s) ;\n' "${form% *}"
        [ "$form" = '3 4' ] || printf '.L_x_2:\n  /*0*/ @!P0 BRA `(.L_x_4) ;\n'
    done
    printf '.L_x_4:\n\t//## File "copy.cu", line 4\n'
    yes '  /*0*/ @P1 LDG.E.128 R4, desc[UR4][R2.64] ;' | head -n 3
    printf '  /*0*/ STG.E.128 desc[UR4][R8.64], R4 ;\n  /*0*/ EXIT ;\nLISTING\n'
} >"$folder/unrolled/nvdisasm"
chmod +x "$folder/unrolled/nvdisasm"
like 'of a loop'"'"'s unrolled forms that runs which fits its turns' "$(
    rows 100 5 >"$folder/loop.csv"
    PYTHONPATH=tools/lens_time NVDISASM="$folder/unrolled/nvdisasm" python3 - "$folder/loop.csv" <<'END'
import sys
import estimate, frequencies, sass
(case, (rows,)), = estimate.cases_of(sys.argv[1])
(code,), = estimate.functions_of(["any"]).values(),
for row in rows:
    if row["access"] == "store":
        for column in ("requests", "lanes", "sectors", "least_sectors"):
            row[column] /= 5
runs, apart = frequencies.frequencies(sass.blocks(code[0]), frequencies.Counts(rows, 100 * 256))
print([abs(round(float(r), 3)) for r in runs], round(float(apart), 3))
END
)" '^\[1.0, 0.0, 1.0, 1.0, 1.0\] 0.0$'

# A loop of 31 turns is unrolled for sixteen: it turns once for each of 30 that a line around it runs.
like 'a loop that is unrolled turns in whole' "$(
    PYTHONPATH=tools/lens_time python3 - <<'END'
import types
import frequencies, sass
def block(line, code):
    return types.SimpleNamespace(code=[sass.Instruction("", c, "R0, R1", ("a.cu", line)) for c in code], next=[])
blocks = [block(3, ["IADD3"]), block(4, 16 * ["LDG.E"]), block(4, 3 * ["LDG.E"])]
counts = types.SimpleNamespace(runs={("a.cu", 3): 30.0, ("a.cu", 4): 930.0},
                               bytes={(("a.cu", 4), "global load"): 3720.0})
around = frequencies.around(1, blocks, counts, {0: {0, 1, 2}, 1: {1}}, 1.5)
print(around, frequencies.turns(blocks[1].code, counts, around), frequencies.around(0, blocks, counts, {}, 1.5))
END
)" '^30.0 1 1.0$'

# L1 looks four lines up at a time and then reads a word of each bank: lanes 128 bytes apart want one bank, lanes 132
# apart have each their own. Of 16 bytes a lane half a warp is one pass or two, as many as its words need.
like "L1's passes" "$(
    PYTHONPATH=tools/lens_time python3 - <<'END'
import collections, types
import counters
for apart in 4, 128, 132, 16:
    launch = types.SimpleNamespace(counted=collections.Counter())
    counters.Launch.add_example(launch, {"space": "shared", "access": "load", "requests": 1},
                                [lane // (2 if apart == 16 else 1) * apart for lane in range(32)])
    print(*(launch.counted["shared load", n] for n in ("wavefronts", "passes of 2", "passes of 4")), end="; ")
END
)" '^1 2 4; 32 2 4; 8 2 4; 2 1 2; $'

# launch PARTED: what is said of a launch whose warps issue an instruction so often
launch() {
    PYTHONPATH=tools/lens_time python3 - "$1" <<'END'
import sys, types
import counters, estimate
counters.Launch = lambda rows, code: types.SimpleNamespace(kernel="k", is_tensor=False, apart=0.0, parted=float(sys.argv[1]))
print(estimate.launches_of([[{"kernel": "k"}]], {"k": []})[1] or "told")
END
}
is 'where lanes seldom part a time is told' "$(launch 1.3)" told
like 'where they often do, none' "$(launch 1.5)" '^k: its lanes part'

# What cannot be told is said.
sed -i 's/IADD3 R0, R0/HMMA.16816.F32 R0, R0/' "$folder/nvdisasm"
exits 'a kernel on tensor cores cannot be told' 1 estimate nvidia-h100 "$folder/copy.csv" any
like 'and why is said' "$(estimate nvidia-h100 "$folder/copy.csv" any)" 'cannot tell: copy is for tensor cores'
exits 'a card that lab 0 has not been on' 1 estimate rtx-3090 "$folder/copy.csv" any
like 'make lens says what is missing' "$(MAKE=$MAKE CARD=rtx-3090 sh tools/lens_time.sh "$folder/copy.csv")" \
    "^time  not told: lab 0's rows of rtx-3090 are not there$"

# A score is one of the model that docs/lens.md has scores of.
is 'the model is the one with the scores' "$(sh tools/source_sum.sh tools/lens_time)" \
    "$(sed -n 's/.*time model \([0-9a-f]\{16\}\).*/\1/p' docs/lens.md)"
cat >"$folder/score.csv" <<'END'
lab,variant,parameters,width,height,depth,block_x,block_y,cache,time_s,estimate_s,bound
lab1_x,a,p,8,1,,32,1,cold,1e-5,1e-5,DRAM
lab1_x,a,p,8,1,,64,1,cold,1e-5,2e-5,DRAM
lab1_x,a,p,8,1,,128,1,cold,2e-5,1.5e-5,issue
lab1_x,b,p,8,1,,32,1,cold,1e-5,,b is for tensor cores
lab1_x,c,p,8,1,,32,1,cold,1e-5,1e-5,waiting
lab1_x,c,p,8,1,,32,1,hot,1e-5,1e-5,L2
END
cat >"$folder/diagnosis.csv" <<'END'
lab,variant,parameters,width,height,depth,block_x,block_y,bound
lab1_x,a,p,8,1,,64,1,L2
lab1_x,a,p,8,1,,128,1,FP32
lab1_x,b,p,8,1,,32,1,tensor cores
lab1_x,c,p,8,1,,32,1,latency
END
like 'half, most, untold, the block chosen, and the kinds of two bounds of three' \
    "$(python3 tools/lens_time/score.py "$folder/score.csv" "$folder/diagnosis.csv")" \
    'lab1_x  *6  *17  *1.00  *2.00  *2.00  *100  *67$'
done_testing
