# The GPGPU lab suite. `make help` lists the targets; config.mk the settings.

include config.mk

# All labs; LABS on the command line picks some to be run.
ALL_LABS := $(sort $(patsubst %/,%,$(dir $(wildcard lab*_*/*.cu))))
LABS := $(ALL_LABS)
program = $(lastword $(subst _, ,$1))
number = $(firstword $(subst _, ,$1))

# All that make calls reads and writes numbers with points, and texts as bytes.
export LC_ALL := C

MAKEFLAGS += --no-print-directory
ifeq ($(MAKELEVEL),0)
  MAKEFLAGS += -j$(shell nproc) # for what is built; what is run never runs beside anything
endif

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SECONDARY:
.SUFFIXES:
# A target in small letters is no file.
TARGETS := $(shell sed -n 's/^\([a-z-]*\):.*/\1/p' Makefile)
RUNS := $(foreach lab,$(ALL_LABS),run-$(lab) run-$(call number,$(lab)))
.PHONY: FORCE $(TARGETS) $(ALL_LABS) $(RUNS)

space := $(subst ,, )
comma := ,
quoted = '$(subst ','\'',$1)'
yes = $(filter-out 0 no,$1)

# ---- names that do not exist are refused --------------------------------------------------------

SETTINGS := $(shell sed -n 's/^\([A-Z_]*\) *?*=.*/\1/p' config.mk) $(ALL_LABS:%=SIZES_%) \
            $(foreach lab,$(ALL_LABS),SIZES_$(call number,$(lab))) \
            A B LABS ACCEPT N SEED FILES SECONDS SHELL MAKE MAKEFLAGS
given := $(foreach v,$(.VARIABLES),$(if $(filter command,$(firstword $(origin $v))),$v))
unknown := $(firstword $(filter-out $(SETTINGS),$(given)))
ifneq ($(unknown),)
  $(error $(unknown) is no setting$(shell sh tools/nearest.sh $(call quoted,$(unknown)) \
    $(SETTINGS)); config.mk lists them)
endif

# The rules below put these into single or double quotes; what `words` has into none.
$(foreach v,RESULTS FIGURES REPORT IMAGES,$(if $($v),,$(error $v= is empty; give a folder)))
words := ARCH CUDA_HOME IMAGES MPI_HOME MUTANTS NCCL_HOME TESTS \
  $(if $(filter compare-runs,$(MAKECMDGOALS)),,B)
$(foreach v,MACHINE RESULTS FIGURES REPORT REPORT_LANG PHOTO HISTORY A B,\
  $(foreach c,' " ` \ $$,\
    $(if $(findstring $c,$(value $v)),$(error $v=$(value $v): the name holds a $c))))
is_no_name = $(shell LC_ALL=C; case '$1' in ([.-]* | *[!A-Za-z0-9._-]*) echo bad;; esac)
$(foreach v,MACHINE HISTORY,$(if $(and $($v),$(call is_no_name,$($v))),\
  $(error $v=$($v): letters, digits, `.`, `_` and `-`, beginning with none of the last)))
special = $(shell printf %s $(call quoted,$1) | LC_ALL=C tr -d 'A-Za-z0-9\200-\377._/:@%+=,*? -')
$(foreach v,$(words),$(if $(and $($v),$(call special,$($v))),\
  $(error $v=$($v): the name holds a $(call special,$($v)))))
ifneq ($(filter-out $(ALL_LABS),$(LABS)),)
  $(error LABS=$(LABS): some of $(ALL_LABS))
endif
ifneq ($(filter-out race asan fuzz,$(CHECK)),)
  $(error CHECK=$(CHECK): race or asan)
endif
ifneq ($(if $(GPUS),$(shell printf '%s\n' $(foreach g,$(GPUS),$(call quoted,$g)) | \
    grep -vx '[1-9][0-9]*')),)
  $(error GPUS=$(GPUS): numbers of GPUs, such as "1 2 4")
endif
ifneq ($(and $(call yes,$(FRESH)),$(call yes,$(RESUME))),)
  $(error FRESH=1 starts anew and RESUME=1 goes on: one of them)
endif

.DEFAULT:
	$(error there is no target '$@'$(shell sh tools/nearest.sh $(call quoted,$@) $(TARGETS) \
	  $(LABS) $(RUNS)); `make help` lists them, and there are the labs $(LABS))

# Of compare-runs A and B are the runs; of all else B is the folder to build into. Runs that are not
# both given as folders are of this machine, whose name a program knows.
given_run = $(if $(filter command,$(origin $1)),$($1))
ifeq ($(MAKECMDGOALS),compare-runs)
  OLD_RUN := $(call given_run,A)
  NEW_RUN := $(call given_run,B)
  ifneq ($(and $(NEW_RUN),$(if $(OLD_RUN),,1)),)
    $(error B=$(NEW_RUN) is compared with a run A=, which is missing)
  endif
  ASK_MACHINE := $(strip $(if $(MACHINE),,\
    $(shell { [ -d '$(OLD_RUN)' ] && [ -d '$(NEW_RUN)' ]; } || echo yes)))
else ifneq ($(and $(filter compare-runs,$(MAKECMDGOALS)),$(call given_run,B)),)
  $(error B= is compared by compare-runs and built into by $(filter-out compare-runs,\
    $(MAKECMDGOALS)): please make one after the other)
endif

# ---- several goals ------------------------------------------------------------------------------

# Only what is built is made side by side. Of other goals each has a make of its own, in turn: a run
# is not disturbed, and what setup installs is there when the rest is configured.
SIDE_BY_SIDE := all images ptx sass resources $(LABS)
alone := $(strip $(foreach g,$(filter-out $(SIDE_BY_SIDE),$(MAKECMDGOALS)),\
           $(if $(findstring /,$g),,$g)))
ifneq ($(and $(alone),$(word 2,$(MAKECMDGOALS))),)

.NOTPARALLEL:
.PHONY: $(MAKECMDGOALS)
$(sort $(MAKECMDGOALS)):
	@$(MAKE) $(call quoted,$@)

else

# ---- backend ------------------------------------------------------------------------------------

# Asked once, and only if something wants to know: with RUN the answer may be a job's in a queue.
COMPUTE_CAPABILITY = $(eval COMPUTE_CAPABILITY := $(shell $(RUN) $(NVIDIA_SMI) \
  --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | \
  sed -n '1s/^\([0-9]*\)\.\([0-9]*\)$$/\1\2/p'))$(COMPUTE_CAPABILITY)

ifneq ($(CHECK),)
  ifeq ($(BACKEND),cuda)
    $(error CHECK=$(CHECK) is a build for the CPU; on a GPU there is NVIDIA's compute-sanitizer)
  endif
  override BACKEND := cpu
endif
NEEDS_NO_BUILD := help setup setup-dev setup-report lint format clean distclean submit \
  $(if $(ASK_MACHINE),,compare-runs)
ifneq ($(filter-out $(NEEDS_NO_BUILD),$(or $(MAKECMDGOALS),help)),)
  ifeq ($(BACKEND),auto)
    override BACKEND := $(if $(and $(wildcard $(NVCC)),$(COMPUTE_CAPABILITY)),cuda,cpu)
  endif
endif
ifeq ($(filter auto cuda cpu,$(BACKEND)),)
  $(error BACKEND=$(BACKEND): auto, cuda or cpu)
endif
ifeq ($(MAKECMDGOALS),compare-runs)
  override B := build/$(BACKEND)
else
  B := build/$(BACKEND)$(if $(CHECK),-$(CHECK))
endif

# ---- flags, the same in every lab ---------------------------------------------------------------

# What clang cannot vectorise as g++ does is no warning.
WARN := -Wall -Wextra -Wno-missing-field-initializers -Wno-unknown-pragmas \
  $(if $(findstring clang,$(shell $(CXX) --version 2>/dev/null)),-Wno-pass-failed)
HOST_FLAGS := $(OPTIMISE) -g -fopenmp
LIBS := -lm
CPPFLAGS := -Icommon

# package NAME,HAVE_NAME,PKG-CONFIG-NAME: NAME_FLAGS and NAME_LIBS, which are empty where it is not.
package = $(if $(shell pkg-config --exists $3 2>/dev/null && echo yes),\
            $(eval $1_FLAGS := -DHAVE_$2 $(shell pkg-config --cflags $3))\
            $(eval $1_LIBS := $(shell pkg-config --libs $3)))
$(call package,png,PNG,libpng)
$(call package,jpeg,JPEG,libjpeg)
$(call package,cblas,CBLAS,openblas)
CPPFLAGS += $(png_FLAGS) $(jpeg_FLAGS)
LIBS += $(png_LIBS) $(jpeg_LIBS)

# shared_library FOLDER,NAME: flags for lib$2.so there, or for one that has a version only, as Python
# packages do.
shared_library = $(patsubst %,-Xlinker % -Xlinker -rpath -Xlinker $1,\
                   $(firstword $(wildcard $1/lib$2.so) $(sort $(wildcard $1/lib$2.so.*))))
ifneq ($(MPI_HOME),)
  mpi_FLAGS := -I$(MPI_HOME)/include
  mpi_LIBS := $(call shared_library,$(MPI_HOME)/lib,mpi)
else
  $(foreach m,mpich ompi-c,$(call package,mpi,MPI,$m))
endif

CUDA_ROOT := $(or $(patsubst %/bin/nvcc,%,$(realpath $(NVCC))),$(CUDA_HOME))
LIBRARY_NAMES := cblas cublas npp cufft curand # that a lab's lab.mk may ask for

# In the order in which a linker wants them; the engine last: its guard lies behind the kernels'
# shared arrays.
parts = $(filter-out $(ENGINE),$(filter %.o,$^)) $(filter %.a,$^) $(filter $(ENGINE),$^)
ifeq ($(BACKEND),cuda)
  ifeq ($(wildcard $(NVCC)),)
    $(error BACKEND=cuda needs nvcc; set CUDA_HOME to the toolkit's folder, or use BACKEND=cpu)
  endif
  CPPFLAGS += -isystem $(CUDA_ROOT)/include

  # 9.0 and later have features (wgmma, TMA) that only the architecture's `a` form offers.
  ifeq ($(ARCH),native)
    override ARCH := $(foreach c,$(or $(COMPUTE_CAPABILITY),75 80 90),\
                       sm_$c$(if $(filter 9% 10% 11% 12%,$c),a))
  endif
  GENCODE := $(foreach a,$(ARCH),-gencode arch=$(a:sm_%=compute_%),code=$a)

  # toolkit NAME,HEADER,HAVE_NAME,LIBRARIES
  toolkit = $(if $(wildcard $(CUDA_ROOT)/include/$2),\
              $(eval $1_FLAGS := -DHAVE_$3)$(eval $1_LIBS := $4))
  $(call toolkit,cublas,cublas_v2.h,CUBLAS,-lcublas)
  $(call toolkit,npp,nppi_filtering_functions.h,NPP,-lnppif -lnppist -lnppc)
  $(call toolkit,cufft,cufft.h,CUFFT,-lcufft)
  $(call toolkit,curand,curand.h,CURAND,-lcurand)
  NCCL_ROOT := $(firstword $(foreach d,$(or $(NCCL_HOME),$(CUDA_ROOT) /usr /usr/local),\
                 $(if $(wildcard $d/include/nccl.h),$d)))
  nccl_FLAGS := $(if $(NCCL_HOME),-isystem $(NCCL_ROOT)/include)
  nccl_LIBS := $(if $(NCCL_ROOT),$(or $(if $(NCCL_HOME),\
                 $(call shared_library,$(NCCL_ROOT)/lib,nccl)),-lnccl))
  CU_FLAGS := -std=c++20 -O3 -lineinfo $(GENCODE) \
              -Xcompiler $(subst $(space),$(comma),$(strip $(WARN) $(HOST_FLAGS)))
  LINK = $(NVCC) $(GENCODE) -Xcompiler -fopenmp $(parts) -o $@ $(LIBS)
  RELEASE := $(shell $(NVCC) --version | sed -n 's/^Cuda comp.*, release \([^,]*\).*/\1/p')
  COMPILER := nvcc $(RELEASE), $(shell $(CC) --version | head -1)
else
  CPPFLAGS += -Icuda_on_cpu $(if $(CHECK),-DCHECK_BUILD)
  CPU_SOURCES := $(filter-out cuda_on_cpu/racecheck.cpp,$(wildcard cuda_on_cpu/*.cpp))
  ENGINE_FLAGS := $(HOST_FLAGS)
  # DWARF 4: binutils 2.40 takes some line numbers of DWARF 5 for the rewritten file's. A barrier that a
  # function ends with is a call of its own: the engine tells barriers apart by where they are called.
  KERNEL_FLAGS := -gdwarf-4 -fno-optimize-sibling-calls
  # Where variables are kept a debugger wants to know: half of g++'s time for instrumented kernels.
  ifeq ($(CHECK),asan)
    HOST_FLAGS := -Og -g -fno-var-tracking -fopenmp -fsanitize=address,undefined \
                  -fno-sanitize-recover=undefined -fno-omit-frame-pointer
    ENGINE_FLAGS := $(HOST_FLAGS)
    LIBS += -fsanitize=address,undefined
  else ifeq ($(CHECK),race)
    KERNEL_FLAGS += -O1 -fno-var-tracking -fsanitize=thread,alignment
    CPU_SOURCES += cuda_on_cpu/racecheck.cpp
  else ifeq ($(CHECK),fuzz) # of `make test-fuzz`; of gcc's headers clang takes that of OpenMP
    override CC := clang
    FUZZER := -fsanitize=address,undefined,fuzzer
    HOST_FLAGS := -O1 -g $(FUZZER)-no-link -fno-sanitize-recover=undefined -Wno-unused-variable \
                  -idirafter $(dir $(shell gcc -print-file-name=include/omp.h))
    ENGINE_FLAGS := -O1 -g -fopenmp
  endif
  nccl_LIBS := $(if $(CHECK),,-lm) # cuda_on_cpu has NCCL's calls, on MPI; checks are of one process
  CU_FLAGS := -std=c++20 $(WARN) $(HOST_FLAGS) $(KERNEL_FLAGS)
  LINK = $(CXX) -fopenmp -rdynamic $(parts) -o $@ $(LIBS) -lboost_context
  COMPILER := $(shell $(CXX) --version | head -1)
  $(if $(and $(CHECK),$(findstring clang,$(COMPILER))),$(error CHECK=$(CHECK) is a build by g++))
endif

# Several GPUs need both.
ifneq ($(and $(mpi_LIBS),$(nccl_LIBS)),)
  ranks_FLAGS := -DHAVE_RANKS -DOMPI_SKIP_MPICXX $(nccl_FLAGS) \
    $(patsubst -I%,-isystem %,$(filter-out -DHAVE_MPI,$(mpi_FLAGS)))
  CPPFLAGS += $(ranks_FLAGS)
  LIBS += $(mpi_LIBS) $(nccl_LIBS)
endif

# ---- what a lab says of itself ------------------------------------------------------------------

# A lab.mk sets any of these for $(lab), its folder's name:
#   $(lab)_INPUTS     options for the program's inputs
#   $(lab)_LIBRARIES  some of LIBRARY_NAMES
#   $(lab)_PROFILE    for make profile one size and block, where there are no rows, and options; with
#                     a | between them several such
$(foreach lab,$(ALL_LABS),$(eval -include $(wildcard $(lab)/lab.mk))\
  $(foreach l,$(filter-out $(LIBRARY_NAMES),$($(lab)_LIBRARIES)),\
    $(error $(lab)/lab.mk: LIBRARIES are some of $(LIBRARY_NAMES), not $l)))

# ---- building -----------------------------------------------------------------------------------

# Recipes begin with their folder and one short line; V=1 shows the commands instead.
Q := $(if $(call yes,$(V)),,@)
say = @mkdir -p $(@D)$(if $Q,; printf '%-5s %s\n' $1 $2)

COMMON := $(patsubst %.c,$(B)/%.o,$(wildcard common/*.c))
ENGINE := $(CPU_SOURCES:%.cpp=$(B)/%.o)
PROGRAMS := $(foreach lab,$(ALL_LABS),$(B)/$(call program,$(lab)))

all: $(LABS) $(B)/picture ## build every program (BACKEND=auto|cuda|cpu, ARCH=native|sm_90a ...)

# library_flags LAB,FLAGS|LIBS
library_flags = $(foreach l,$($1_LIBRARIES),$($l_$2))
programs = $(B)/$1 $(B)/tests/check_$1 $(B)/fault/$1 # that hold the lab's objects
objects = $(patsubst %.cu,$(B)/%.o,$(wildcard $1/*.cu)) # of a lab: all of them are one program
define lab_rules
$1: $(B)/$(call program,$1)
$(call programs,$(call program,$1)): $(call objects,$1)
$(call programs,$(call program,$1)): LIBS += $(call library_flags,$1,LIBS)
$(call objects,$1): CPPFLAGS += $(call library_flags,$1,FLAGS)
$(call objects,$1): $(wildcard $1/lab.mk)
endef
$(foreach lab,$(ALL_LABS),$(eval $(call lab_rules,$(lab))))

$(B)/picture: $(B)/tools/picture.o

# Programs of the tests: of the harness, of each lab's check(), and the lab that is wrong on purpose.
UNIT_TESTS := $(patsubst tests/unit/%.c,$(B)/tests/%,$(wildcard tests/unit/test_*.c))
$(UNIT_TESTS): $(B)/tests/%: $(B)/tests/unit/%.o
LAB_CHECKS := $(foreach lab,$(ALL_LABS),$(B)/tests/check_$(call program,$(lab)))
$(LAB_CHECKS): $(B)/tests/check/lab_checks.o
ifeq ($(BACKEND),cpu) # CUDA's own runtime keeps memory and files to the end
  $(UNIT_TESTS) $(LAB_CHECKS): $(B)/tests/unit/heap.o
  $(UNIT_TESTS) $(LAB_CHECKS): LIBS += $(patsubst %,-Xlinker --wrap=%,malloc calloc realloc \
    posix_memalign getline free)
endif
$(B)/tests/unit/%.o $(B)/tests/fuzz/fuzz.o: CPPFLAGS += -Itests
$(B)/faulty $(B)/fault/faulty: $(B)/tests/fault/faulty.o
$(B)/clock: $(B)/tests/timing/clock.o
$(B)/clock: LIBS += -Xlinker --wrap=cudaStreamBeginCapture
$(B)/tests/test_store: LIBS += -Xlinker --wrap=flock
$(B)/tests/test_sweep_case: LIBS += -Xlinker --wrap=cudaFuncGetAttributes
$(B)/tests/test_pipeline: LIBS += $(patsubst %,-Xlinker --wrap=cuda%,MemcpyAsync EventRecord \
  StreamWaitEvent EventSynchronize)

$(B)/fuzz: $(B)/tests/fuzz/fuzz.o $(B)/libcommon.a $(ENGINE)
	$(call say,LD,$@)
	$Qclang++ $(FUZZER) -Wl,--wrap=exit -rdynamic $(parts) -o $@ $(LIBS) -lgomp -lboost_context

$(PROGRAMS) $(B)/picture $(UNIT_TESTS) $(LAB_CHECKS) $(B)/faulty $(B)/clock: \
  $(B)/libcommon.a $(ENGINE)
	$(call say,LD,$@)
	$Q$(LINK)

# The ordinary objects once more, with tests/fault/calls.cpp before each call of the CUDA runtime
# that they have, and before what else it wraps.
FAULT_PROGRAMS := $(patsubst %,$(B)/fault/%,vecadd gaussian banding faulty)
$(B)/fault/calls.o: tests/fault/calls.cpp $(B)/build_flags $(B)/libcommon.a \
  $(B)/tests/fault/faulty.o $(foreach lab,$(ALL_LABS),$(call objects,$(lab)))
	$(call say,CXX,$<)
	@nm -u $(parts) | sed -n 's/^ *U \(cuda[A-Z][A-Za-z0-9_]*\)$$/CALL(\1)/p' | sort -u | \
	  grep -v cudaGetErr > $(@D)/calls.inc
	$Q$(CXX) -std=c++20 $(WARN) $(HOST_FLAGS) $(CPPFLAGS) -I$(@D) -c $< -o $@
	@nm $@ | sed -n 's/.* __wrap_/-Xlinker --wrap=/p' > $(@D)/wrap
$(FAULT_PROGRAMS): LIBS += $(if $(filter cuda,$(BACKEND)),-optf ,@)$(B)/fault/wrap
$(FAULT_PROGRAMS): $(B)/fault/calls.o $(B)/libcommon.a $(ENGINE)
	$(call say,LD,$@)
	$Q$(LINK)

# Plain C of the CUDA Toolkit, for the CPU backend too: after cuda_on_cpu, whose headers have names
# of the toolkit's.
CUDA_OCCUPANCY := $(wildcard $(CUDA_ROOT)/include/cuda_occupancy.h)
$(B)/common/occupancy.o: CPPFLAGS += $(if $(CUDA_OCCUPANCY),-idirafter $(dir $(CUDA_OCCUPANCY)))

# stamp NAME: the file $(B)/NAME holds what $(NAME) is and becomes new only when that does.
define stamp
ifneq ($$($1),$$(shell cat '$(B)/$1' 2>/dev/null))
$(B)/$1: FORCE
endif
$(B)/$1:
	@mkdir -p $$(@D) && printf '%s\n' $$(call quoted,$$($1)) > $$@
endef

# Every object depends on what it is built with. The text has all libraries, whichever LABS are
# asked for: LABS= must not compile anew what there is.
build_flags := $(strip $(CC) $(CXX) $(NVCC) $(COMPILER) $(WARN) $(CPPFLAGS) $(CU_FLAGS) \
  $(HOST_FLAGS) $(ENGINE_FLAGS) $(LIBS) $(CUDA_OCCUPANCY) \
  $(foreach l,$(LIBRARY_NAMES),$($l_FLAGS) $($l_LIBS)))
COMMIT := $(COMMIT)
$(foreach s,build_flags COMMIT ALL_LABS,$(eval $(call stamp,$s)))

# The one library that the CPU build cannot do without.
links_boost_context = printf '%s\n' '\#include <boost/context/detail/fcontext.hpp>' 'int main() {}' | \
  $(CXX) -x c++ -o /dev/null - -lboost_context 2>/dev/null
ifeq ($(BACKEND),cpu)
$(B)/build_flags: | $(B)/boost_context
$(B)/boost_context:
	@mkdir -p $(@D) && $(links_boost_context) || \
	  { echo "BACKEND=cpu needs g++ and Boost.Context: make setup installs them" >&2; exit 1; }
	@touch $@
endif

# What rows and run.json say of the build. A new commit compiles only build.c.
c_text = $(call quoted,-D$1="$(subst ",\",$(subst \,\\,$2))")
$(B)/common/build.o: CPPFLAGS += $(call c_text,BUILD_COMPILER,$(COMPILER)) \
  $(call c_text,BUILD_FLAGS,$(strip $(CU_FLAGS))) $(call c_text,BUILD_COMMIT,$(COMMIT))
$(B)/common/build.o: $(B)/COMMIT

$(B)/%.o: %.c $(B)/build_flags
	$(call say,CC,$<)
	$Q$(CC) -std=c11 $(WARN) $(HOST_FLAGS) $(CPPFLAGS) -MMD -MP -c $< -o $@

$(B)/libcommon.a: $(COMMON)
	$(call say,AR,$@)
	@rm -f $@
	$Qar rcs $@ $^

ifeq ($(BACKEND),cuda)
$(B)/%.o: %.cu $(B)/build_flags
	$(call say,NVCC,$<)
	$Q$(NVCC) $(CU_FLAGS) $(CPPFLAGS) -MMD -MP -MF $(@:.o=.d) -c $< -o $@
else
$(B)/%.cu.cpp: %.cu cuda_on_cpu/cu2cpp.awk
	@mkdir -p $(@D)
	@awk -v src=$< -f cuda_on_cpu/cu2cpp.awk $< > $@

$(B)/%.o: $(B)/%.cu.cpp $(B)/build_flags
	$(call say,CXX,$*.cu)
	$Q$(CXX) $(CU_FLAGS) $(CPPFLAGS) -iquote $(*D) -include cuda_runtime.h -MMD -MP -c $< -o $@
	@readelf -sWC $@ | awk -v src=$*.cu -f cuda_on_cpu/static_shared.awk
	$(if $(wildcard $(NVCC)),$(if $(CHECK),$(if $(filter lab%,$*),$Q$(nvcc_reads) $*.cu)))

# What g++ takes and nvcc does not, such as a host function in a kernel: its first half, in 1 or 2 s.
nvcc_reads = $(NVCC) -std=c++20 -Icommon -arch=$(LISTING_ARCH) -allow-unsupported-compiler \
  -ptx -Xcicc -O0 -o $(@:.o=.ptx)

$(ENGINE): $(B)/%.o: %.cpp $(B)/build_flags
	$(call say,CXX,$<)
	$Q$(CXX) -std=c++20 $(WARN) $(ENGINE_FLAGS) $(CPPFLAGS) -MMD -MP -c $< -o $@

# The programs of cuda_on_cpu.t: kernels and the engine, without the harness.
$(B)/cuda_on_cpu/tests/%: $(B)/cuda_on_cpu/tests/%.o $(ENGINE)
	$(call say,LD,$@)
	$Q$(LINK)
endif

# What each lab says of itself, for figures and report.
$(B)/labs.csv: $(PROGRAMS) $(B)/ALL_LABS
	@for program in $(PROGRAMS); do $$program --describe || exit; done > $@.all
	@awk 'NR == 1 || !/^lab,/' $@.all > $@ && rm $@.all

-include $(wildcard $(B)/*/*.d $(B)/*/*/*.d)

# ---- input pictures -----------------------------------------------------------------------------

# Names in rules have a backslash before a blank.
IMAGES_TARGET := $(subst $(space),\ ,$(IMAGES))
OWN := $(if $(PHOTO),/own)
override IMAGES := $(IMAGES)$(OWN)
PHOTO_FILE := $(or $(PHOTO),$(IMAGES)/photo.bmp)
SKY_FILE := $(or $(PHOTO),$(IMAGES)/sky.bmp)

images: $(patsubst %,$(IMAGES_TARGET)$(OWN)/%.bmp,$(if $(PHOTO),,photo sky) image template) ## unpack the input pictures

# A picture is there whole or not at all. Why not, gzip tells; of its lines one is made.
UNPACKED := $(patsubst %,$(IMAGES_TARGET)/%.bmp,photo image sky)
$(UNPACKED): $(wildcard data/pictures/*.gz)
	@mkdir -p '$(IMAGES)'
	@new='$@.tmp-'$$$$; \
	if why=$$(gzip -dc data/pictures/$(lastword $(notdir $@)).gz 2>&1 >"$$new"); then mv "$$new" '$@'; \
	else rm -f "$$new"; echo $$why >&2; exit 1; fi

# A PHOTO's name may hold what make's names cannot: no prerequisite, made anew each time.
$(IMAGES_TARGET)/own/image.bmp: FORCE | $(B)/picture
	@mkdir -p '$(IMAGES)'
	@$(B)/picture --resample 1024x768 '$(PHOTO)' '$@'

$(IMAGES_TARGET)$(OWN)/template.bmp: $(IMAGES_TARGET)$(OWN)/image.bmp | $(B)/picture
	@$(B)/picture --crop 64x64+582+450 '$<' '$@'

# ---- running ------------------------------------------------------------------------------------

# The GPU's short name, or the CPU's: any program tells. Used in recipes whose target needs NAMER.
# With GPUS it is a machine of so many, nvidia-h200-x4; one alone is what it was.
NAMER := $(firstword $(PROGRAMS))
of_gpus := $(patsubst %,-x%,$(filter-out 1,\
             $(lastword $(if $(GPUS),$(shell printf '%s\n' $(GPUS) | sort -n)))))
machine = $(or $(MACHINE),\
  $(eval machine := $(shell $(RUN) $(NAMER) --print-machine)$(of_gpus))$(machine))
results = $(RESULTS)/$(machine)

# options_of LAB
option = $(if $2,$1 $(call quoted,$2))
sizes_of = $(or $(SIZES_$1),$(SIZES_$(call number,$1)),$(SIZES))
options_of = $($1_INPUTS) --results '$(RESULTS)' $(if $(CHECK),--check-only) \
  $(call option,--machine,$(if $(of_gpus),$(machine),$(MACHINE))) \
  $(call option,--variants,$(VARIANTS)) \
  $(call option,--sizes,$(call sizes_of,$1)) $(call option,--blocks,$(BLOCKS)) \
  $(call option,--trials,$(TRIALS)) $(call option,--cpu-limit,$(CPU_LIMIT)) \
  $(if $(call yes,$(FULL)),--full) $(if $(call yes,$(RESUME)),--resume) $(OPTIONS)
# With GPUS a lab that has variants for several runs once more; the rows before are to stay.
DIVIDED := $(if $(GPUS),$(patsubst %/,%,$(dir $(shell grep -l '^ *\.divided *=' lab*_*/*.cu))))
export MPIRUN
run_lab = run_lab $1 $(call command,$1) $(if $(call yes,$(FRESH)),--fresh); \
  $(if $(filter $1,$(DIVIDED)),run_again $(call command,$1) --gpus '$(GPUS)';)
command = $(RUN) $(B)/$(call program,$1) $(options_of)
begin_runs = HISTORY='$(call yes,$(HISTORY))'; . tools/run.sh; \
  begin_runs '$(RESULTS)' '$(FIGURES)' $1;

$(ALL_LABS:%=run-%): run-%: % $(if $(of_gpus),$(NAMER))
	@$(call begin_runs,$*) $(call run_lab,$*) end_runs
$(foreach lab,$(ALL_LABS),$(eval run-$(call number,$(lab)): run-$(lab))\
  $(if $($(lab)_INPUTS),$(eval run-$(lab): images)))

# A lab's pictures.sh writes into the folder $PICTURES.
pictures: all images ## write the pictures that figures show
	@set -e; export PICTURES='$(results)/pictures' RUN='$(RUN)' B='$(B)'; mkdir -p "$$PICTURES"; \
	export IMAGES='$(IMAGES)' PHOTO='$(PHOTO)'; \
	for script in $(wildcard $(LABS:%=%/pictures.sh)); do sh -e $$script >/dev/null; done

# One lab after the other, so that none disturbs another's times; a wrong result is reported at the
# end, when all have run.
run-all: all images ## run every experiment, draw the figures
	@$(call begin_runs,$(LABS)) \
	$(foreach lab,$(LABS),$(call run_lab,$(lab))) \
	for goal in pictures plots; do \
	  after_runs $(MAKE) $$goal MACHINE="$$machine" BACKEND='$(BACKEND)' ARCH='$(ARCH)'; \
	done; \
	end_runs

# Of the labs that have them the variants for several GPUs alone.
run-gpus: all images
	$(if $(GPUS),,$(error run-gpus: on how many? GPUS="1 2 4"))
	@$(call begin_runs,$(DIVIDED)) $(foreach lab,$(DIVIDED),\
	  run_lab $(lab) $(call command,$(lab)) --gpus '$(GPUS)' $(if $(call yes,$(FRESH)),--fresh);) \
	end_runs

# Each part takes some minutes. A GPU's counters are part of it, and several GPUs where they are.
gpus_here = $(filter-out 0,$(if $(and $(filter cuda,$(BACKEND)),$(ranks_FLAGS)),\
  $(shell $(RUN) $(NVIDIA_SMI) --list-gpus 2>/dev/null | awk '/^GPU/ { if (++n == 2^k) { k++; print n } }')))
record: all images ## tests, all sweeps, counters, several GPUs: what data/reference/MACHINE holds
	@MAKE='$(MAKE)' sh tools/record.sh $(call quoted,$(COMMIT)) '$(results)' \
	  'data/reference/$(machine)' test-all $(LABS:%='run-% FULL=1') $(if $(filter cuda,$(BACKEND)),profile) \
	  $(if $(word 2,$(gpus_here)),'run-gpus GPUS="$(gpus_here)"') pictures

# A job for Slurm is given the settings of this command line; those of config.mk it reads itself.
JOBS := one_node several_nodes array
OF_SUBMIT := JOB PARTITION ACCOUNT TIME_LIMIT GPU_TYPE NODE_GPUS NODES SBATCH_OPTIONS
partitions = $(sort $(shell sinfo --noheader --format=%R 2>/dev/null))
unknown_partition = $(filter-out $1,$(if $1,$(subst $(comma), ,$(PARTITION))))
submit_refuses = $(strip $(if $(filter-out $(JOBS),$(or $(JOB),none))$(word 2,$(JOB)),\
    JOB=$(JOB): one of $(JOBS),$(if $(shell command -v sbatch),\
    $(if $(call unknown_partition,$(partitions)),PARTITION=$(PARTITION): some of $(partitions)),\
    submit needs sbatch: jobs are submitted on a node of a cluster that has Slurm)))
one_node_job = --nodes=1 --ntasks=1
several_nodes_job = --nodes=$(call quoted,$(NODES)) --ntasks-per-node=$(call quoted,$(NODE_GPUS))
array_job = $(one_node_job) --array=$(subst $(space),$(comma),$(strip \
  $(foreach lab,$(LABS),$(patsubst lab%,%,$(call number,$(lab))))))
gpus = $(if $(filter cpu,$(BACKEND)),,gpu:$(GPU_TYPE:%=%:)$(NODE_GPUS))
sbatch_option = $(if $2,--$1=$(call quoted,$2))
sbatch = sbatch --job-name=$(JOB) $($(JOB)_job) --requeue --signal=B:USR1@60 --open-mode=append \
  --output='$(RESULTS)/%x-$(if $(filter array,$(JOB)),%A_%a,%j).out' \
  $(call sbatch_option,partition,$(PARTITION)) $(call sbatch_option,account,$(ACCOUNT)) \
  $(call sbatch_option,time,$(TIME_LIMIT)) $(call sbatch_option,gres,$(gpus)) $(SBATCH_OPTIONS) \
  cluster/$(JOB).sh $(foreach v,$(sort $(filter-out $(OF_SUBMIT),$(given))),$v=$(call quoted,$($v)))

submit: ## a job for Slurm: JOB=one_node, several_nodes or array (cluster/README.md)
	$(if $(submit_refuses),$(error $(submit_refuses)))
	@mkdir -p '$(RESULTS)'
	$(strip $(sbatch))

draw = sh plots/draw.sh --results '$(RESULTS)' --labs $(B)/labs.csv --out '$(FIGURES)'
# Tables and facts from the rows, of machine $$m or of those named, into its folder $$out.
tables = out="$(REPORT)/$$m"; sh report/analyse.sh --results '$(RESULTS)' --labs $(B)/labs.csv \
  --out "$$out" $(or $1,"$$m") || exit

plots: $(B)/labs.csv ## draw the figures of MACHINE (default: this one) into plots/figures/
	@m='$(machine)'; out=; if command -v sqlite3 >/dev/null; then $(tables); fi; \
	if command -v gnuplot >/dev/null; then \
	  $(draw) $${out:+--tables "$$out/tables"} "$$m"; \
	else \
	  echo "The results are in $(RESULTS)/$$m. For the figures install gnuplot (make setup)," \
	    "then: make plots"; \
	fi

# ---- the report ---------------------------------------------------------------------------------

# write_report OPTIONS OF draw.sh, OPTIONS OF build.sh: draw.sh's status 3 is a figure left out.
write_report = $(draw) --lang '$(REPORT_LANG)' --formats "svg png pdf" $1 \
  --tables "$$out/tables" "$$m" || [ $$? -eq 3 ] || status=1; \
  sh report/build.sh --figures "$(FIGURES)/$$m" --out "$$out" --lang '$(REPORT_LANG)' $2 && \
  exit $${status:-0}
show = awk -f tools/csv.awk -f report/markdown.awk -f tools/show.awk

report: $(B)/labs.csv ## write the report of MACHINE into report/output/ (REPORT_LANG=en|ja)
	@m='$(machine)'; $(tables); $(call write_report,,$(call option,--template,$(TEMPLATE)))

compare: $(B)/labs.csv ## MACHINES="a b" beside each other, in report/output/compare/
	@m=compare; $(call tables,--compare $(foreach m,$(MACHINES),$(call quoted,$m))); \
	echo "Time in ms of each variant at its best block:"; \
	$(show) "$$out/tables/compare.csv"; \
	$(call write_report,--compare,--template 'report/compare.$(REPORT_LANG).md' --name compare \
	  --formats "md html")

compare-runs: $(if $(ASK_MACHINE),$(NAMER)) ## two runs: A=FOLDER B=FOLDER, or what HISTORY=1 kept
	@sh tools/compare_runs.sh $(call option,--threshold,$(THRESHOLD)) \
	  $(call option,--kinds,$(KINDS)) $(if $(call yes,$(ALL)),--all) \
	  $(if $(call yes,$(ACROSS)),--across) \
	  $(if $(or $(MACHINE),$(ASK_MACHINE)),--results '$(results)') \
	  $(if $(OLD_RUN),'$(OLD_RUN)') $(if $(NEW_RUN),'$(NEW_RUN)')

sql: $(B)/labs.csv ## ask the rows of MACHINE: SQL="select ...", or by hand in sqlite3
	@m='$(machine)'; $(tables); $(if $(SQL), \
	  sqlite3 -readonly -csv -header "$$out/results.db" "$$SQL" | $(show) -, \
	  echo "A table is a view: .tables lists them, .schema row tells of the rows, .quit leaves."; \
	  sqlite3 -readonly -header -column "$$out/results.db")

# write_docs NAME OPTION OF draw.sh: docs/NAME, the text and its figures in both languages.
write_docs = set -e; rm -rf docs/$1 "$$out"/figures*; mkdir docs/$1; \
  for lang in en ja; do \
    $(draw) $2 --lang $$lang --tables "$$out/tables" "$$m"; \
    sh report/build.sh --figures "$(FIGURES)/$$m" --out "$$out" --lang $$lang --formats md \
      --template report/$1.$$lang.md --name $1; \
  done; \
  cp "$$out/$1.md" "$$out/$1.ja.md" docs/$1; \
  for figures in figures figures.ja; do \
    mkdir docs/$1/$$figures; cp "$$out/$$figures"/*.png docs/$1/$$figures; \
  done

# docs/gpus: of the report of a machine with several GPUs the section on them.
write_gpus = set -e; rm -rf docs/gpus "$$out"/figures*; mkdir docs/gpus; \
  for lang in en ja; do \
    case $$lang in en) of=;; *) of=.$$lang;; esac; \
    $(draw) --lang $$lang --tables "$$out/tables" "$$m"; \
    sh report/build.sh --figures "$(FIGURES)/$$m" --out "$$out" --lang $$lang --formats md; \
    awk '/^\#\# /{ p = 0 } /^\#\#\# 5\.6/{ p = 1; sub(/\#\#\# 5\.6/, "\#") } p' \
      "$$out/report$$of.md" >"docs/gpus/gpus$$of.md"; \
    mkdir docs/gpus/figures$$of; \
    cp "$$out/figures$$of/gpus.png" "$$out/figures$$of/lab0_link.png" docs/gpus/figures$$of; \
  done

# What is committed of the recorded results: the H200's report in both languages, the figures that
# it shows, the tables of times in the labs' READMEs; the comparison with other machines. Those that
# show pictures need $(RESULTS)/nvidia-h200/pictures.
docs: $(B)/labs.csv
	@m=nvidia-h200; $(tables); $(call write_docs,report); \
	for readme in lab*_*/README*.md; do \
	  awk -v lab="$${readme%/*}" -v readme="$$readme" -f tools/csv.awk -f report/markdown.awk \
	    -f report/readme.awk "$$out/tables/best_by_size.csv" >"$$out/README.md"; \
	  mv "$$out/README.md" "$$readme"; \
	done; \
	sh tests/timing/claims.sh data/reference/nvidia-h200/timing; \
	mv data/reference/nvidia-h200/timing/timing.png docs
	@m=compare; $(call tables,--compare tesla-c2050 nvidia-h100 nvidia-h200); \
	$(call write_docs,compare,--compare)
	@m=nvidia-h200-x2; $(tables); $(write_gpus)

# ---- what the compiler made of the kernels ------------------------------------------------------

# For one architecture: the first of ARCH. Needs nvcc, but no GPU.
LISTING_ARCH = $(if $(filter cuda,$(BACKEND)),$(firstword $(ARCH)),sm_90a)
listing_all = $(NVCC) -std=c++20 -O3 -lineinfo -Icommon $(foreach l,$(LIBRARY_NAMES),$($l_FLAGS)) \
  $(if $(filter cuda,$(BACKEND)),$(ranks_FLAGS))
listing = $(listing_all) -arch=$(LISTING_ARCH)
listings = $(patsubst %.cu,build/$1/%.$1,$(wildcard $(LABS:%=%/*.cu)))

ptx: $(call listings,ptx) ## write the kernels' PTX to build/ptx/ (the --keep step)

sass: $(call listings,sass) ## write the kernels' machine code to build/sass/

build/ptx/%.ptx: %.cu FORCE
	@mkdir -p $(@D)
	@$(listing) -ptx $< -o $@ && echo $@

build/sass/%.sass: %.cu FORCE
	@mkdir -p $(@D)
	@$(listing) -cubin $< -o $(@:.sass=.cubin)
	@$(or $(wildcard $(dir $(NVCC))cuobjdump),cuobjdump) --dump-sass $(@:.sass=.cubin) > $@ && echo $@

resources: build/resources/$(LISTING_ARCH).csv ## registers, memory and spills of each kernel
	@cp $< build/resources.csv
	@$(show) $<
	@echo "(build/resources.csv)"

# Of the labs that are asked for; each is compiled anew if it has changed.
build/resources/%.csv: $(LABS:%=build/resources/\%/%.csv) FORCE
	@awk 'FNR > 1 || NR == 1' $(filter %.csv,$^) > $@

define resources_rule
build/resources/%/$1.csv: $(wildcard $1/*.cu $1/*.cuh $1/*.h common/*.cuh) tools/resources.sh \
  tools/resources.awk | nvcc-is-here
	@mkdir -p $$(@D)
	@sh tools/resources.sh $$* $1 $(listing_all) > $$@
endef
$(foreach lab,$(LABS),$(eval $(call resources_rule,$(lab))))

nvcc-is-here:
	@[ -x '$(NVCC)' ] || \
	  { echo "resources: nvcc is missing; it comes with the CUDA Toolkit" >&2; exit 1; }

occupancy: all ## how the kernels would fill a multiprocessor of CARD=sm_86 (rtx-3090 ...)
	@MAKE='$(MAKE)' NVCC='$(NVCC)' BLOCKS=$(call quoted,$(BLOCKS)) \
	  sh tools/occupancy.sh $(call quoted,$(CARD)) $(foreach lab,$(LABS),$(B)/$(call program,$(lab)))

# ---- what Nsight Compute measures ---------------------------------------------------------------

# profile_lab PROGRAM,OPTIONS|OPTIONS ...,INPUTS
profile_lab = profile_lab $1 $(subst |,$3; profile_lab $1 ,$2) $3;

ifeq ($(BACKEND),cuda)
profile: all images $(B)/labs.csv ## counters of each GPU variant (Nsight Compute)
	@mkdir -p '$(results)'; m='$(machine)'; db=; \
	if command -v sqlite3 >/dev/null && ls '$(results)'/lab*.csv >/dev/null 2>&1; then \
	  $(tables); db=$$out/results.db; fi; \
	NCU='$(NCU)'; RUN='$(RUN)'; . tools/profile.sh; \
	begin_profile '$(results)/profile.csv' "$$m" "$$db"; \
	$(foreach lab,$(LABS),$(if $($(lab)_PROFILE),\
	  $(call profile_lab,$(B)/$(call program,$(lab)),$($(lab)_PROFILE),$($(lab)_INPUTS)))) \
	end_profile
else
profile:
	@echo "profile: this build runs the kernels on the CPU (BACKEND=$(BACKEND)):" \
	  "there is no GPU to profile" >&2; exit 1
endif

# ---- tests and upkeep ---------------------------------------------------------------------------

setup: ## install what is missing, with the system's package manager
setup-dev: ## the linters, too
setup-report: ## pandoc, LaTeX and a Japanese font, for the report's HTML and PDF
setup setup-dev setup-report:
	@sh tools/setup.sh $(filter --%,$(@:setup-%=--%))

# All that tests run is built before them, so that many of them can run at a time. On a GPU the CPU
# build stands in for more GPUs than there are, where it can be built.
TEST_PROGRAMS = $(UNIT_TESTS) $(LAB_CHECKS) $(B)/faulty $(FAULT_PROGRAMS) $(B)/labs.csv \
  $(if $(filter cpu,$(BACKEND)),$(patsubst %,$(B)/cuda_on_cpu/tests/%,bugs correct language api))
run_tests = UNIT_TESTS='$(UNIT_TESTS)' B='$(B)' BACKEND='$(BACKEND)' MAKE='$(MAKE)' LABS='$(LABS)' \
  sh tests/run.sh $(TESTS)
# On a GPU all tests leave a record, with a sum of everything that GPU builds are made of.
GPU_SOURCES = Makefile config.mk $(sort $(wildcard common/*.[ch] common/*.cuh lab*_*/*.cu \
  lab*_*/*.cuh lab*_*/*.h lab*_*/lab.mk))
gpu_code = $(shell cat $(GPU_SOURCES) | sha256sum | cut -c 1-16)
record_tests = $(if $(filter cuda,$(BACKEND)),RECORD='$(results)/tests.csv' \
  COMMIT=$(call quoted,$(COMMIT)) GPU_CODE=$(gpu_code))
can_stand_in = $(and $(mpi_LIBS),$(shell $(links_boost_context) && echo yes))

test: all images $(TEST_PROGRAMS) $(if $(filter cuda,$(BACKEND)),cpu-programs) ## check what a change breaks, in two minutes
	@$(record_tests) $(run_tests)

test-all: all images $(TEST_PROGRAMS) $(if $(filter cuda,$(BACKEND)),cpu-programs,checked-programs) ## check everything
	@$(record_tests) TEST_ALL=1 $(run_tests)

cpu-programs:
	$(if $(can_stand_in),@$(MAKE) BACKEND=cpu all build/cpu/tests/test_exchange build/cpu/faulty \
	  build/cpu/fault/vecadd)

# Has the GPU code changed since all tests last passed on the recorded card? CI prints this.
gpu-code:
	@sh tests/gpu_code.sh $(gpu_code) data/reference/nvidia-h200/run.json $(GPU_SOURCES)

checked-programs: all
	@for check in race asan; do $(MAKE) BACKEND=cpu CHECK=$$check $(LABS) \
	  $(patsubst %,build/cpu-$$check/cuda_on_cpu/tests/%,bugs correct language api) || exit; done

test-mutants: all images $(TEST_PROGRAMS) ## plant N=40 bugs drawn by SEED: does a test find each?
	@N=$(call quoted,$(N)) SEED=$(call quoted,$(SEED)) FILES=$(call quoted,$(FILES)) FULL='$(call yes,$(FULL))' \
	  B='$(B)' MAKE='$(MAKE)' COMMIT='$(COMMIT)' sh tests/mutants.sh $(MUTANTS)

test-faults: ## make each CUDA call and each write fail, kill runs: what is left behind?
	@FAULTS=all $(MAKE) test TESTS=tests/faults.t

ifeq ($(BACKEND),cuda)
test-sanitizer: all ## compute-sanitizer over all GPU variants: memory, races, leaks
	@B='$(B)' RUN='$(RUN)' SANITIZER='$(SANITIZER)' sh tests/sanitizer.sh $(LABS)
else
test-sanitizer:
	@echo "test-sanitizer: this build runs the kernels on the CPU (BACKEND=$(BACKEND)):" \
	  "CHECK=asan and CHECK=race look at them there" >&2; exit 1
endif

# On a GPU. The rows, and what they say of the times, go to the results' folder timing.
test-timing: $(B)/clock $(NAMER) ## how far times can be believed: known kernels, the profiler
	@NCU='$(NCU)' RUN='$(RUN)' sh tests/timing/timing.sh $(B)/clock '$(results)/timing' '$(machine)'

test-random: all ## run programs with options drawn at random (N=1000 SEED=1)
	@N=$(call quoted,$(N)) SEED=$(call quoted,$(SEED)) RUN='$(RUN)' sh tests/random.sh \
	  $(foreach lab,$(LABS),$(B)/$(call program,$(lab)))

test-fuzz: ## libFuzzer over all that reads a file or words, SECONDS=60 each (needs clang)
	@MAKE='$(MAKE)' sh tests/fuzz.sh $(call quoted,$(or $(SECONDS),60))

test-accept: ## take what the TESTS print now for their golden files
	@ACCEPT=1 $(MAKE) test

# build.c is three macros of the build, bugs.cu is wrong on purpose, timing/ is for GPUs and fuzz/ has
# another test in it. A file at a time: version 14 of clang-tidy mistakes what the one before left.
TIDIED := $(filter-out common/build.c tests/fuzz/%,$(wildcard common/*.c tools/*.c tests/*/*.c)) \
  $(wildcard cuda_on_cpu/*.cpp) $(patsubst %.cu,$(B)/%.cu.cpp,$(filter-out %/bugs.cu tests/timing/%,\
  $(wildcard lab*_*/*.cu cuda_on_cpu/tests/*.cu tests/*/*.cu)))
tidy: $(TIDIED:%=%.tidy) ## look for more mistakes, in minutes (clang-tidy)
%.tidy: % FORCE
	$(call say,TIDY,$<)
	$Qclang-tidy --quiet $< -- $(if $(filter %.c,$<),-std=c11,-std=c++20) $(WARN) $(CPPFLAGS) \
	  -fopenmp $(if $(filter %.cu.cpp,$<),-include cuda_runtime.h) -Itests \
	  -iquote $(<D:$(B)/%=%) -idirafter $(shell $(CC) -print-file-name=include)

SOURCES = $(shell find common cuda_on_cpu lab*_* tests tools -name '*.[ch]' -o -name '*.cpp' \
  -o -name '*.cu' -o -name '*.cuh')
SCRIPTS = .ci/run $(shell find * -path build -prune -o \( -name '*.sh' -o -name '*.t' \) -print)
lint: ## check the format and look for mistakes (clang-format, cppcheck, shellcheck)
	clang-format --dry-run --Werror $(SOURCES)
	cppcheck --quiet --std=c11 --error-exitcode=1 --inline-suppr \
	  --enable=warning,portability,performance -D__GNUC__ -Icommon \
	    $(filter %.c,$(filter-out tests/%,$(SOURCES)))
	shellcheck -x $(SCRIPTS)

format: ## apply the style
	clang-format -i $(SOURCES)

clean: ## remove what was built; results stay
	rm -rf build

distclean: clean ## and pictures, figures and reports: all that git ignores but data/results
	rm -rf data/images plots/figures report/output result.dat result.pgm
	find . -name '*.tmp-*' -type f -exec rm -f {} +

help: ## this list
	@echo "make setup run-all    install what is missing, run all experiments, draw the figures"
	@echo "make run-all report   the same, and write the lab report"
	@echo "make setup test       check it, in two minutes (test-all: everything)"
	@echo
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | awk -F '\t' '{ printf "  %-14s %s\n", $$1, $$2 }'
	@echo "  run-labN       run one: $(foreach lab,$(LABS),$(lab))"
	@echo "                 SIZES=\"256 512\" BLOCKS=\"16 32x8\" TRIALS=5 VARIANTS=\"cpu naive\""
	@echo
	@echo "settings: config.mk has them all, e.g. BACKEND=cpu RUN=\"srun --gres=gpu:1\" PHOTO=my.jpg"

endif
