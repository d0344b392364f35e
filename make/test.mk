# test.mk - tests, linters, setup.

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

$(UNIT_TESTS) $(LAB_CHECKS) $(B)/faulty $(B)/clock: $(B)/libcommon.a $(ENGINE)
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
# On a GPU all tests leave a record.
record_tests = $(if $(filter cuda,$(BACKEND)),RECORD='$(results)/tests.csv' \
  COMMIT=$(call quoted,$(COMMIT)))
can_stand_in = $(and $(mpi_LIBS),$(shell sh tools/boost_context.sh $(CXX) && echo yes))

test: all images $(TEST_PROGRAMS) $(if $(filter cuda,$(BACKEND)),cpu-programs) ## check what a change breaks, in two minutes
	@$(record_tests) $(run_tests)

test-all: all images $(TEST_PROGRAMS) $(if $(filter cuda,$(BACKEND)),cpu-programs,checked-programs) ## check everything
	@$(record_tests) TEST_ALL=1 $(run_tests)

cpu-programs:
	$(if $(can_stand_in),@$(MAKE) BACKEND=cpu all build/cpu/tests/test_exchange build/cpu/faulty \
	  build/cpu/fault/vecadd)

# Has the GPU code changed since all tests last passed on the recorded card? CI prints this.
gpu-code:
	@sh tests/gpu_code.sh data/reference/nvidia-h200/run.json

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
	@MAKE='$(MAKE)' sh tests/fuzz.sh $(call quoted,$(SECONDS))

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
