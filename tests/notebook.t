#!/bin/sh
# notebook.t - notebooks/gpgpu_labs.ipynb as a student runs it, from the first cell to the last, in a copy of
# the tree, on the CPU, at small sizes: each cell shows what it is there for, and git has none of it.
. tests/tap.sh
thorough_only

notebook=notebooks/gpgpu_labs.ipynb
why=$(lacks python3) && skip_all "$why"
python=python3
[ -x /usr/bin/python3 ] && python=/usr/bin/python3 # for which distributions have Jupyter

# Jupyter's file format, version 4: cells with their text, and nothing that a run left.
format='import json, sys
book = json.load(open(sys.argv[1]))
assert book["nbformat"] == 4 and book["metadata"]["kernelspec"]["name"] == "python3"
assert len({cell["id"] for cell in book["cells"]}) == len(book["cells"]) > 20
for cell in book["cells"]:
    assert all(isinstance(line, str) for line in cell["source"]) and len(cell["source"]) < 40
    if cell["cell_type"] == "code":
        assert cell["outputs"] == [] and cell["execution_count"] is None, cell["source"][0]'
ok 'it is of nbformat 4, and holds no outputs' $python -c "$format" $notebook

if why=$(lacks Boost.Context sqlite3 jupyter-nbconvert) || {
    why='ipykernel is missing: make setup-dev installs it' && ! $python -c 'import ipykernel' 2>/dev/null
}; then
    skip 'a run of it' "$why"
    done_testing
    exit
fi

# What is built comes along, with its times, and this commit's name, so that little has to be built again.
tree=$folder/tree
mkdir "$tree"
{ git ls-files && git ls-files -o --exclude-standard && find build/cpu build/cpu-race build/cpu-asan \
    -type d \( -name try -o -name tests -o -name fault -o -name judge \) -prune -o -type f -print; } 2>/dev/null |
    tar -cf - -T - | tar -xf - -C "$tree"
export COMMIT="${COMMIT:-$(cat build/cpu/COMMIT 2>/dev/null || echo unknown)}" BACKEND=cpu
export IPYTHONDIR="$folder/ipython" JUPYTER_CONFIG_DIR="$folder/jupyter" JUPYTER_DATA_DIR="$folder/jupyter"
unset CUDA_CPU_STRICT # students do not set it
cd "$tree" || exit 1
sed -i 's/SETUP = \\"setup\\"/SETUP = \\"\\"/; s/SIZES = \\"[0-9 ]*/SIZES = \\"32 40/; s/BLOCKS = \\"[^\\]*/BLOCKS = \\"8/' \
    $notebook
ok 'all cells run' jupyter-nbconvert --to notebook --execute --output-dir "$folder" --output run $notebook
[ "$tap_failed" = 0 ] || { done_testing; exit 1; }

# said WORD: what the cells say whose text has it; of tables a row a line, cells with | between.
said='import html, json, re, sys
for cell in json.load(open(sys.argv[1]))["cells"]:
    if cell["cell_type"] == "code" and sys.argv[2] in "".join(cell["source"]):
        for output in cell["outputs"]:
            text = "".join(output.get("text", output.get("data", {}).get("text/html", "")))
            text = re.sub("</t[dh]>", "|", text.replace("</tr>", "\n"))
            print(html.unescape(re.sub("<[^>]*>|\r|\x1b\\[[0-9;]*[mK]", "", text)))'
said() {
    $python -c "$said" "$folder/run.ipynb" "$1"
}

like 'it tells what runs the kernels' "$(said 'import tables')" '^(No GPU|.*BACKEND=cpu): the kernels run on the CPU'
ladder=$(said tables.ladder)
is 'the ladder has all rungs' "$(echo "$ladder" | sed -n 's/^\([a-z][a-z0-9_]*\)|.*|.*/\1/p' | grep -vx rung)" \
    "$(build/cpu/matprod --list | awk '$2 == "gpu" && $1 != "mine" { print $1 }')"
if echo "$ladder" | grep -q '^T4 is left out: .*cuda_occupancy.h'; then
    skip 'which of them a T4 has' 'cuda_occupancy.h is missing: it comes with the CUDA Toolkit'
else
    like 'it has a column of a T4' "$ladder" '^rung\|idea\|here, on the CPU\|T4 \(sm_75\)\|$'
    like 'which has most of them' "$ladder" '^warp_tile\|.*\|yes\|yes\|$'
    like 'others need a later card' "$ladder" '^tensor_tf32\|.*\|yes\|no: needs compute capability 8.0\|$'
    like 'or more shared memory' "$ladder" \
        '^slice_k\|.*\|yes\|no: needs more shared memory than a multiprocessor has\|$'
fi
like 'some need a GPU' "$ladder" '^tensor_split\|.*\|no: needs the tensor cores of a GPU\|'
rows=$(said 'tables.rows("lab2")')
like 'rows of the CPU have times' "$rows" '^cpu\|40x40x40\|\|[0-9.]+\|1\|ok\|\|$'
like 'those of kernels have none' "$rows" '^naive\|40x40x40\|8x8\|\|\|ok\|\|$'
like 'a skipped one has its reason' "$rows" '^cublas\|.*\|skipped\|needs cuBLAS, which this build lacks\|$'
like "the student's kernel is right" "$(said '"register_sum", "mine"')" '^mine\|40x40x40\|8x8\|\|\|ok\|\|$'
like 'a planted mistake is found' "$(said 'grep -n dim3')" '^mine .* wrong:'
like 'and explained' "$(said 'make doctor')" '^cause +the grid is rounded down'
like 'mended, it is right' "$(said 'cp build/mine_right.cu lab2')" '^mine .* 33x33 .* ok'
like 'a program of its own is tried' "$(said 'make try')" '^verdict +WRONG: a race$'
like 'the hand-in' "$(said 'make handin')" '^handin/lab2.md'
like 'is there' "$(cat handin/lab2.md)" '^\*\*Ada Lovelace\*\*, 1815. Variant .mine. on '
ok 'with the questions' test -s handin/lab2_answers.md
done_testing
