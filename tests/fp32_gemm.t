#!/bin/sh
# fp32_gemm.t - the product as a library: random calls against cuBLAS, and programs that call cuBLAS and
# know nothing of it.
. tests/tap.sh

if [ "$BACKEND" != cuda ]; then
    skip 'the library' 'it is for GPUs of compute capability 9.0'
    done_testing
    exit
fi
if ! [ -e "$B/tests/random_calls" ]; then
    skip 'the library' 'cuBLAS is missing: it comes with the CUDA Toolkit'
    done_testing
    exit
fi
preload=$PWD/$B/fp32_gemm_preload.so log=$folder/log
is 'the library shows its own names alone' \
    "$(nm -D --defined-only "$B/libfp32_gemm.so" | awk '$2 == "T" { print $3 }' | tr '\n' ' ')" \
    'fp32_gemm fp32_gemm_declines fp32_gemm_text fp32_gemm_workspace '
is 'what is loaded before others shows two of cuBLAS, too' \
    "$(nm -D --defined-only "$preload" | awk '$2 == "T" && $3 !~ /^fp32/ { print $3 }' | tr '\n' ' ')" \
    'cublasGemmEx cublasSgemm_v2 '
exits 'where there is no device a product is refused' 0 env CUDA_VISIBLE_DEVICES= "$B/tests/random_calls"
like 'by the library itself' "$(cat "$folder/out")" '^ok .*no workspace'
if [ "$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -n 1)" != 9.0 ]; then
    skip 'products' 'the card is not of compute capability 9.0'
    done_testing
    exit
fi

if thorough; then calls=500; else calls=60; fi
"$B/tests/random_calls" "$calls" >"$folder/calls"
status=$?
is "$calls random calls, refusals, a graph" "$(grep -E '^not ok|^#|^Bail' "$folder/calls" | grep -v 'by tensor cores')$status" 0
grep 'by tensor cores' "$folder/calls" | sed 's/^/  /'

# Data that is drawn against the promise, of the library and of lab 2's tensor_fp32.
if thorough; then drawn=300; else drawn=60; fi
exits "$drawn drawn products" 0 "$B/tests/drawn_data" $drawn 12
exits "$((drawn / 5)) drawn large ones" 0 "$B/tests/drawn_data" $((drawn / 5)) 12 large

# with_library COMMAND...: what it prints; the log is that of its calls.
with_library() {
    rm -f "$log"
    LD_PRELOAD=$preload FP32_GEMM_LOG=$log "$@"
}

exits 'a C program that links cuBLAS' 0 with_library "$B/tests/plain_sgemm" 1000
is 'gets its products by tensor cores' "$(sort -u "$log")" \
    'fp32_gemm: cublasSgemm NN m=1000 n=1000 k=1000: tensor cores'
# way OPTION...: which way lab 2's calls of cuBLAS went, as the log tells.
way() {
    with_library "$B/matprod" --check-only --csv "$folder/rows.csv" "$@" >/dev/null 2>&1
    sed 's/.*: //' "$log" | sort -u
}
exits 'a small one' 0 with_library "$B/tests/plain_sgemm" 64
is 'too' "$(sed 's/.*: //' "$log" | sort -u)" 'tensor cores'
exits 'one for which small tiles are too many' 0 with_library "$B/tests/plain_sgemm" 600
is 'is left to cuBLAS' "$(sed 's/.*: //' "$log" | sort -u)" 'it is small'
is 'who allows TF32 gets TF32' "$(way --variants cublas_tf32 --sizes 1024)" 'TF32 is allowed'
is 'who wants cuBLAS to be pedantic gets that' "$(way --variants cublas --sizes 1024)" \
    'its mode of computing is another one'

for library in torch cupy; do
    if python3 -c "import $library" 2>/dev/null; then
        exits "$library.matmul is right" 0 with_library python3 tests/fp32_gemm/time_matmul.py "$library" 1024
        is 'by tensor cores' "$(grep 'm=1024 n=1024' "$log" | sed 's/.*: //' | sort -u)" 'tensor cores'
    else
        skip "$library.matmul" "Python's $library is missing: pip installs it"
    fi
done
done_testing
