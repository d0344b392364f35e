# test.mk - tests, linters, setup.

# Programs of the tests: of the harness, of each lab's check(), and the lab that is wrong on purpose.
UNIT_TESTS := $(patsubst tests/unit/%.c,$(B)/tests/%,$(wildcard tests/unit/test_*.c))
LAB_CHECKS := $(foreach lab,$(ALL_LABS),$(B)/tests/check_$(call program,$(lab)))
$(UNIT_TESTS): $(B)/tests/%: $(B)/tests/unit/%.o
$(LAB_CHECKS): $(B)/tests/check/lab_checks.o
# CUDA's own runtime keeps memory and files to the end: heap.o is for the CPU's.
$(UNIT_TESTS) $(LAB_CHECKS): $(if $(CPU_SOURCES),$(B)/tests/unit/heap.o)
$(B)/tests/unit/%.o $(B)/tests/fuzz/fuzz.o: CPPFLAGS += -Itests
$(B)/faulty $(B)/fault/faulty: $(B)/tests/fault/faulty.o
$(B)/clock: $(B)/tests/timing/clock.o
$(B)/fuzz: $(B)/tests/fuzz/fuzz.o
$(B)/fuzz: LINK = clang++ $(FUZZER) -rdynamic $(parts) -o $@ $(LIBS) -lgomp -lboost_context

# The ordinary objects once more, with tests/fault/calls.cpp before each call of the CUDA runtime
# that they have.
FAULT_PROGRAMS := $(patsubst %,$(B)/fault/%,vecadd gaussian banding faulty)
$(FAULT_PROGRAMS): $(B)/fault/calls.o
$(B)/fault/calls.o: tests/fault/calls.cpp $(B)/build_flags $(B)/libcommon.a \
  $(B)/tests/fault/faulty.o $(foreach lab,$(ALL_LABS),$(call objects,$(lab)))
	@mkdir -p $(@D) && nm -u $(parts) | sed -n 's/^ *U \(cuda[A-Z][A-Za-z0-9_]*\)$$/CALL(\1)/p' | \
	  sort -u | grep -v cudaGetErr > $(@D)/calls.inc
	$(call step,CXX,$<) $(CXX) -std=c++20 $(WARN) $(HOST_FLAGS) $(CPPFLAGS) -I$(@D) -c $< -o $@

$(UNIT_TESTS) $(LAB_CHECKS) $(B)/faulty $(B)/clock $(FAULT_PROGRAMS): $(B)/libcommon.a $(ENGINE)
	$(link_wrapped)

# What is fuzzed is common/'s C. The engine below it is not, and the plain build's will do.
FUZZ_ENGINE := $(CPU_SOURCES:%.cpp=build/cpu/%.o)
$(B)/fuzz: private ENGINE := $(FUZZ_ENGINE)
$(B)/fuzz: $(B)/libcommon.a $(FUZZ_ENGINE)
	$(link_wrapped)
ifeq ($(CHECK),fuzz)
$(FUZZ_ENGINE): $(B)/plain_engine ;
$(B)/plain_engine: FORCE
	@$(MAKE) -s BACKEND=cpu CHECK= $(FUZZ_ENGINE)
endif

# Kernels and the engine, without the harness.
CUDA_TESTS := $(patsubst %,$(B)/cuda_on_cpu/tests/%,bugs correct language api groups wmma textures assertion)
$(CUDA_TESTS): %: %.o $(ENGINE)
	$(call step,LD,$@) $(LINK)

# All that tests run is built before them, so that many of them can run at a time. On a GPU the CPU
# build stands in for more GPUs than there are, where it can be built.
TEST_PROGRAMS := $(UNIT_TESTS) $(LAB_CHECKS) $(B)/faulty $(FAULT_PROGRAMS) $(B)/labs.csv $(B)/verify_rows \
  $(if $(filter cuda,$(BACKEND)),$(if $(cublas_LIBS),$(LIBRARIES) $(addprefix $(B)/tests/,random_calls drawn_data plain_sgemm))) \
  $(if $(CPU_SOURCES),$(CUDA_TESTS) $(if $(TESTS),,try-engines),cpu-programs)
can_stand_in = $(and $(mpi_LIBS),$(shell sh tools/boost_context.sh $(CXX) && echo yes))
# On a GPU all tests leave a record.
run_tests = $(if $(filter cuda,$(BACKEND)),RECORD='$(results)/tests.csv') MAKE='$(MAKE)' \
  $(call with,UNIT_TESTS B BACKEND LABS COMMIT) sh tests/run.sh $(TESTS)

# Builds for checks are g++'s.
by_gcc = $(if $(findstring clang,$(CXX_NAME)),,race asan lens)
try-engines:
	@for check in '' $(by_gcc); do $(MAKE) BACKEND=cpu CHECK=$$check cpu-nvcc || exit; done

# What people's own files read first: by its macros their headers tell nvcc. It is compiled, too: g++ takes
# that in a quarter of the time, where their options suit it. (clang would refuse the others.)
PEOPLES := $(B)/cuda_on_cpu/peoples/cuda_runtime.h
$(if $(CPU_SOURCES),$(eval cpu-nvcc: $(PEOPLES)$(if $(by_gcc),.gch)))
$(PEOPLES): make/test.mk
	@mkdir -p $(@D) && printf '%s\n' '#define __CUDACC__ 1' '#define __NVCC__ 1' '#include <cuda_runtime.h>' \
	  '#define __CUDACC_VER_MAJOR__ (CUDART_VERSION / 1000)' '#define __CUDACC_VER_MINOR__ 0' > $@
$(PEOPLES).gch: $(PEOPLES) cuda_on_cpu/cuda_runtime.h $(B)/build_flags
	@$(CXX) -std=gnu++20 $(HOST_FLAGS) $(KERNEL_FLAGS) -Icuda_on_cpu -MMD -MP -MF $(PEOPLES:.h=.d) \
	  -x c++-header $< -o $@

test: all images $(TEST_PROGRAMS) ## check what a change breaks, in four minutes
	@$(run_tests)

test-all: all images $(TEST_PROGRAMS) $(if $(CPU_SOURCES),checked-programs) ### check everything
	@TEST_ALL=1 $(run_tests)

cpu-programs:
	$(if $(can_stand_in),@$(MAKE) BACKEND=cpu all build/cpu/tests/test_exchange build/cpu/faulty \
	  build/cpu/fault/vecadd)

checked-programs: all try-engines
	@for check in race asan; do $(MAKE) BACKEND=cpu CHECK=$$check $(LABS) \
	  $(CUDA_TESTS:$(B)/%=build/cpu-$$check/%) || exit; done

# Has the GPU code changed since a target's tests last passed on a card? CI prints this.
gpu-code:
	@sh tests/gpu_code.sh data/reference/nvidia-*/run.json

# BACKEND, and the tools' paths, are as for all else.
try: ## your own CUDA file: FILE=mine.cu ARGS="..."
	@$(call with,FILE ARGS SECONDS B BACKEND CXX NVCC SANITIZER NCU RUN LENS CARD) sh tools/try.sh

# It builds the lab itself: an error is a diagnosis, too. (A recipe that names MAKE is run by make -n.)
doctor = MAKE='$(MAKE)' $(call with,LAB VARIANTS SIZES BLOCKS B BACKEND SANITIZER RUN RESULTS) \
  sh tools/doctor.sh
doctor: ## why is a kernel wrong? LAB=lab2 VARIANTS=mine
	@$(doctor)

test-accept: ### take what the TESTS print now for their golden files
	@ACCEPT=1 $(MAKE) test

test-faults: ### make each CUDA call and each write fail: what is left behind?
	@FAULTS=all $(MAKE) test TESTS=tests/faults.t

test-mutants: all images $(TEST_PROGRAMS) ### plant N=40 bugs drawn by SEED: does a test find each?
	@MAKE='$(MAKE)' $(call with,N SEED FILES B COMMIT) FULL='$(call yes,$(FULL))' \
	  sh tests/mutants.sh $(MUTANTS)

test-random: all ### run programs with options drawn at random (N=1000 SEED=1)
	@$(call with,N SEED RUN) sh tests/random.sh $(call programs_of,$(LABS))

# Of lab 2's product as a library, and of a tenth as many large ones by the lab's own program.
test-promise: $(call on_gpu,$(B)/tests/drawn_data) ### FP32's promise on data drawn against it (N=1000 SEED=1)
	@$(RUN) $(B)/tests/drawn_data $(call quoted,$(or $(N),1000)) $(call quoted,$(or $(SEED),1))
	@$(RUN) $(B)/tests/drawn_data $(call quoted,$(or $(N:%0=%),100)) $(call quoted,$(or $(SEED),1)) large

test-fuzz: ### libFuzzer over all that reads a file or words (needs clang)
	@MAKE='$(MAKE)' sh tests/fuzz.sh $(call quoted,$(SECONDS))

test-sanitizer: $(call on_gpu,all) ### compute-sanitizer over all GPU variants
	@$(call with,B RUN SANITIZER) sh tests/sanitizer.sh $(LABS)

# On a GPU. The rows, and what they say of the times, go to the results' folder timing.
test-timing: $(B)/clock $(NAMER) ### how far times can be believed: known kernels, the profiler
	@$(call with,NCU RUN) sh tests/timing/timing.sh $(B)/clock '$(results)/timing' '$(machine)'

# build.c is three macros of the build, bugs.cu is wrong on purpose, timing/ is for GPUs and fuzz/ has
# another test in it. A file at a time: version 14 of clang-tidy mistakes what the one before left.
TIDIED := $(filter-out common/rows/build.c tests/fuzz/% tests/fp32_gemm/%,\
  $(wildcard common/*.c common/*/*.c tools/*.c tests/*/*.c)) $(wildcard cuda_on_cpu/*.cpp) \
  $(patsubst %.cu,$(B)/%.cu.cpp,$(filter-out %/bugs.cu tests/timing/% tests/fp32_gemm/%,\
  $(wildcard lab*_*/*.cu common/*/*.cu cuda_on_cpu/tests/*.cu tests/*/*.cu)))
tidy: $(TIDIED:%=%.tidy) ### look for more mistakes, in minutes (clang-tidy)
# Checks go through all that a file reads: half of it would be <cmath>'s special functions, such as
# std::legendre, which a macro of that header of libstdc++ leaves out.
tidy_flags = $(WARN) $(CPPFLAGS) -D_GLIBCXX_BITS_SPECFUN_H -fopenmp -Itests -idirafter $(gcc_include)
gcc_include = $(eval gcc_include := $(shell $(CC) -print-file-name=include))$(gcc_include)
# The compiled header halves the time of a file of kernels.
$(B)/tidy.pch: cuda_on_cpu/cuda_runtime.h FORCE
	@mkdir -p $(@D) && clang++ -std=c++20 $(tidy_flags) -x c++-header $< -o $@
$(patsubst %,%.tidy,$(filter %.cu.cpp,$(TIDIED))): $(B)/tidy.pch
%.tidy: % FORCE
	$(call step,TIDY,$<) clang-tidy --quiet $< -- $(if $(filter %.c,$<),-std=c11,-std=c++20) \
	  $(tidy_flags) $(if $(filter %.cu.cpp,$<),-include-pch $(B)/tidy.pch) -iquote $(<D:$(B)/%=%)

SOURCES = $(shell find common cuda_on_cpu fp32_gemm lab*_* tests tools -name '*.[ch]' -o -name '*.cpp' \
  -o -name '*.cu' -o -name '*.cuh') $(wildcard course/*.[ch] course/*.cpp)
lint: ### format and mistakes (clang-format, cppcheck, shellcheck)
	clang-format --dry-run --Werror $(SOURCES)
	cppcheck --quiet --std=c11 --error-exitcode=1 --inline-suppr \
	  --enable=warning,portability,performance -D__GNUC__ -Icommon \
	    $(filter %.c,$(filter-out tests/%,$(SOURCES)))
	@! grep -nE '(/[*]|//|^ [*]) *(Of|Those|Where|The same) ' $(SOURCES) || \
	  { echo "lint: a comment names its subject first" >&2; exit 1; }
	find .ci/run * -path build -prune -o \( -path .ci/run -o -name '*.sh' -o -name '*.t' \) -print | \
	  xargs -n 9 -P "$$(nproc)" shellcheck -x

format: ### apply the style
	clang-format -i $(SOURCES)

clean: ### remove what was built; results stay
	rm -rf build

setup: ## install what is missing, with the system's package manager
setup-dev: ### the linters, too
setup-report: ## pandoc, LaTeX and a font, for the report's HTML and PDF
setup setup-dev setup-report:
	@sh tools/setup.sh $(filter --%,$(@:setup-%=--%))
