# config.mk - what a user may want to set; each can also be given on make's command line, where a
# name that is not here is refused. `make list-settings` prints these lines.

# auto: CUDA where nvcc and a GPU are found, else the CPU. cuda, cpu: that one. With RUN set, the
# GPU is looked for where the programs run.
BACKEND ?= auto

# GPU architectures to compile for: native (the card's own; a few common ones where there is no
# card), or a list such as "sm_80 sm_90a".
ARCH ?= native

# The labs that a goal is for, such as "lab1_vecadd lab2_matprod".
LABS = $(ALL_LABS)

# What runs: lists for the programs' --sizes, --blocks, --trials and --variants; empty for their
# defaults. SIZES_lab2 and the like hold for one lab only.
SIZES ?=
BLOCKS ?=
TRIALS ?=
VARIANTS ?=

# A CPU variant that would take longer than so many seconds is skipped and says so, unless it stands
# in VARIANTS; empty for the programs' own limit, 20.
CPU_LIMIT ?=

# Any other options of the programs (--help lists them), handed on as they are.
OPTIONS ?=

# A run replaces the rows that it measured and keeps the others. FRESH=1 starts a lab's file anew;
# RESUME=1 goes on with an interrupted run and measures only what is missing.
FRESH ?=
RESUME ?=

# FULL=1 runs all that the labs have; else what a report of them needs.
FULL ?=

# WIDE=1 shows all columns of the rows, however wide they become; else what fits 80 columns.
WIDE ?=

# HISTORY=1, or a name for it, keeps a copy of the machine's results after a run, in the folder
# history beside them.
HISTORY ?=

# `make compare-runs` A=FOLDER B=FOLDER, or A=NAME of the history: a row is slower or faster if its
# time differs by more than so many percent, and by more than the noise. Rows of these kinds are
# judged (cpu, too, is one); ALL=1 shows those that are the same, ACROSS=1 compares two machines.
A =
THRESHOLD ?= 10
KINDS ?= gpu vendor
ALL ?=
ACROSS ?=

# Several GPUs, "1 2 4": the labs' variants for them run once more with so many processes, one a
# GPU, by MPIRUN (empty: Open MPI's mpirun, with its options); all rows of the run are those of the
# machine NAME-x4. Needs MPI and, on GPUs, NCCL: found by pkg-config and beside the CUDA Toolkit, or
# in these folders.
GPUS ?=
MPIRUN ?=
MPI_HOME ?=
NCCL_HOME ?=

# Put before every program that is run, e.g. RUN="srun --gres=gpu:1".
RUN ?=

# `make submit` hands Slurm a JOB: one_node, several_nodes, array or grade (cluster/README.md). Partition,
# account, time ("30", minutes, or "2:00:00") and type of GPU are the cluster's; empty for its
# defaults. The job has NODE_GPUS of a node (none with BACKEND=cpu), several_nodes NODES nodes.
# SBATCH_OPTIONS are any others of sbatch, e.g. "--exclusive --cpus-per-task=16".
JOB ?= one_node
PARTITION ?=
ACCOUNT ?=
TIME_LIMIT ?=
GPU_TYPE ?=
NODE_GPUS ?= 1
NODES ?= 2
SBATCH_OPTIONS ?=

# The results' folder under RESULTS and the `machine` column; empty for the GPU's name, or the CPU's
# where there is no GPU. Letters, digits, `.`, `_` and `-`.
MACHINE ?=

# The folders of rows, figures and reports: each machine has a folder in each of the three. Rows need a
# file system with locks. With these, IMAGES for the input pictures and B, a build, a run and a report
# write nothing where the source is.
RESULTS ?= data/results
FIGURES ?= plots/figures
REPORT ?= report/output
IMAGES ?= data/images

# The folder to build into; empty for build/cpu, build/cuda or, with CHECK, build/cpu-race. Of
# `make compare-runs` B is the newer run.
B =

# The report's language (en or ja), a template of your own in place of the suite's, and the machines
# that `make compare` sets beside each other (this one and the recorded nvidia-h200).
REPORT_LANG ?= en
TEMPLATE ?=
MACHINES ?= $(machine) $(filter-out $(machine),nvidia-h200)

# `make lens` counts VARIANTS of this LAB at SIZES and BLOCKS, 16 blocks of each launch; ALL=1: all blocks.
# LENS="naive mine" shows these two on one page; for `make try` LENS=1 asks for pages.
LENS ?=

# `make doctor` looks at VARIANTS of this LAB, such as lab2. `make handin` is for it, by this person; its
# variant is the last of VARIANTS, or the newest of yours.
LAB ?=
NAME ?=
NUMBER ?=

# Exercises, such as "2.1 2.3": `make handout` OUT=DIR puts skeletons of them into a tree for students, in a
# new folder; `make pack` packs these of LAB's, if empty all that its sources mark.
EXERCISES ?=

# Rows are sealed with this key, or that of the file course/key, which a handout has; without one they
# are not. `make verify-rows` ROWS="ada/rows.csv ben/rows.csv" looks for rows that are not as a program
# with KEY, or the key in KEYFILE, wrote them.
KEY ?=
KEYFILE ?=
ROWS ?=

# `make class` shows the marks and times of GRADES, grades.csv files or a folder of them. NAMES=no: by
# pseudonyms, which stay the same with KEY or KEYFILE, and are drawn anew without. LEADERBOARD=no leaves
# out who is fastest.
GRADES ?=
NAMES ?= yes
LEADERBOARD ?= yes

# A question for `make sql`, e.g. "select variant, min(time_s) from row group by variant".
SQL ?=

# A picture of your own instead of the suite's.
PHOTO ?=

# The card of `make occupancy`: this machine's, or sm_86, rtx-3090 ... Of `make lens`, which has it
# counted as on that card: one of tools/cards.tsv.
CARD ?= $(if $(COMPUTE_CAPABILITY),sm_$(COMPUTE_CAPABILITY),nvidia-h200)

# race, asan or lens: kernels on the CPU, instrumented to find races, or bad accesses, or to count what
# they do to the memory. Such a build never writes results, and the first two check them.
CHECK ?=

# The tests of `make test`, e.g. "tests/cli.t lab2_matprod/matprod.t"; empty for all. ACCEPT=1 takes
# what they print for their golden files.
TESTS ?=
ACCEPT ?=

# A list of bugs for `make test-mutants`, e.g. tests/mutants.tsv; empty: bugs are drawn, in all files
# or in FILES, e.g. "lab3_bilateral plots".
MUTANTS ?=
FILES ?=

# How many are drawn, of bugs (40) or of options for `make test-random` (1000); the same SEED draws
# the same (empty: the commit's bugs, and 1). `make test-fuzz` gives each of its targets SECONDS.
N ?=
SEED ?=
SECONDS ?= 60

# `make try` FILE=mine.cu: the CUDA file, or several with blanks between, and what its program is
# given. SECONDS limits each run.
FILE ?=
ARGS ?=

# `make grade` SUBMISSIONS=DIR EXERCISE=2.3 OUT=grades.csv judges a folder or archive a student; SEED= gives
# the hidden sizes and data, which else are drawn once for that OUT.
EXERCISE ?=
SUBMISSIONS ?=
OUT ?=

# V=1 shows the commands of a build.
V ?=

# Tools. -march=native gives the CPU variants the instructions that this machine has; where programs
# run on other machines (RUN), OPTIMISE=-O3 suits them all.
CC = gcc
CXX = g++
OPTIMISE ?= -O3 -march=native
CUDA_HOME ?= $(if $(wildcard /usr/local/cuda/bin/nvcc),/usr/local/cuda)
NVCC ?= $(if $(CUDA_HOME),$(CUDA_HOME)/bin/nvcc,$(shell command -v nvcc))
NVIDIA_SMI ?= nvidia-smi

# Nsight Compute's command line, for make profile.
NCU ?= $(or $(shell command -v ncu 2>/dev/null),$(wildcard $(CUDA_HOME)/bin/ncu),\
         $(lastword $(sort $(wildcard /opt/nvidia/nsight-compute/*/ncu))),ncu)

# NVIDIA's compute-sanitizer, for make test-sanitizer.
SANITIZER ?= $(or $(shell command -v compute-sanitizer 2>/dev/null),\
               $(wildcard $(CUDA_HOME)/bin/compute-sanitizer),compute-sanitizer)

# What rows and run.json call this version; set it where git is not at hand. (Git may tell of another
# project, in which this one lies unpacked.)
COMMIT ?= $(shell git ls-files --error-unmatch config.mk >/dev/null 2>&1 && \
            git describe --always --dirty --abbrev=12 2>/dev/null || echo unknown)
