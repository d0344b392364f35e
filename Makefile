# The GPGPU lab suite. `make help` lists the targets; config.mk the settings.

include config.mk

MAKEFLAGS += --no-print-directory

# `make setup run-all`: what setup installs must be there when the rest is configured, so the rest
# runs in a make of its own.
ifneq ($(and $(filter setup%,$(MAKECMDGOALS)),$(filter-out setup%,$(MAKECMDGOALS))),)

.NOTPARALLEL:
.PHONY: $(MAKECMDGOALS)
$(filter setup%,$(MAKECMDGOALS)):
	$(MAKE) $@
$(filter-out setup%,$(MAKECMDGOALS)): $(filter setup%,$(MAKECMDGOALS))
	$(MAKE) $@

else

LABS := $(sort $(patsubst %/,%,$(dir $(wildcard lab*_*/*.cu))))
program = $(lastword $(subst _, ,$1))

# ---- backend ------------------------------------------------------------------------------------

COMPUTE_CAPABILITY := $(shell $(NVIDIA_SMI) --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | \
                        sed -n '1s/^\([0-9]*\)\.\([0-9]*\)$$/\1\2/p')
ifeq ($(BACKEND),auto)
  override BACKEND := $(if $(and $(wildcard $(NVCC)),$(COMPUTE_CAPABILITY)),cuda,cpu)
endif
ifeq ($(filter cuda cpu,$(BACKEND)),)
  $(error BACKEND=$(BACKEND): auto, cuda or cpu)
endif

# CHECK=race or CHECK=asan (CPU only): kernels instrumented to find races, or bad accesses.
CHECK ?=
B := build/$(BACKEND)$(if $(CHECK),-$(CHECK))

# ---- flags, the same in every lab ---------------------------------------------------------------

WARN := -Wall -Wextra -Wno-missing-field-initializers -Wno-unknown-pragmas
HOST_FLAGS := $(OPTIMISE) -g -fopenmp
LIBS := -lm
CPPFLAGS := -Icommon

HAVE_PNG := $(shell pkg-config --exists libpng 2>/dev/null && echo yes)
ifeq ($(HAVE_PNG),yes)
  CPPFLAGS += -DHAVE_PNG $(shell pkg-config --cflags libpng)
  LIBS += $(shell pkg-config --libs libpng)
endif
HAVE_JPEG := $(shell pkg-config --exists libjpeg 2>/dev/null && echo yes)
ifeq ($(HAVE_JPEG),yes)
  CPPFLAGS += -DHAVE_JPEG $(shell pkg-config --cflags libjpeg)
  LIBS += $(shell pkg-config --libs libjpeg)
endif

BLAS := $(shell for p in openblas cblas; do pkg-config --exists $$p 2>/dev/null && echo $$p && break; done)
ifneq ($(BLAS),)
  BLAS_FLAGS := -DHAVE_CBLAS $(shell pkg-config --cflags $(BLAS))
  BLAS_LIBS := $(shell pkg-config --libs $(BLAS))
endif

ifeq ($(BACKEND),cuda)
  ifeq ($(wildcard $(NVCC)),)
    $(error BACKEND=cuda needs nvcc; set CUDA_HOME to the toolkit's folder, or use BACKEND=cpu)
  endif
  CUDA_ROOT := $(patsubst %/bin/nvcc,%,$(realpath $(NVCC)))
  CPPFLAGS += -isystem $(CUDA_ROOT)/include

  # 9.0 and later have features (wgmma, TMA) that only the architecture's `a` form offers.
  architecture_for = sm_$1$(if $(filter 9% 10% 11% 12%,$1),a)
  ifeq ($(ARCH),native)
    ifneq ($(COMPUTE_CAPABILITY),)
      override ARCH := $(if $(filter 75 80 86 87 89,$(COMPUTE_CAPABILITY)),sm_$(COMPUTE_CAPABILITY),$(call architecture_for,$(COMPUTE_CAPABILITY)))
    else
      override ARCH := sm_75 sm_80 sm_90a
    endif
  endif
  GENCODE := $(foreach a,$(ARCH),-gencode arch=$(a:sm_%=compute_%),code=$a)
  ifneq ($(wildcard $(CUDA_ROOT)/include/cublas_v2.h),)
    CUBLAS_FLAGS := -DHAVE_CUBLAS
    CUBLAS_LIBS := -lcublas
  endif
  ifneq ($(wildcard $(CUDA_ROOT)/include/nppi_filtering_functions.h),)
    NPP_FLAGS := -DHAVE_NPP
    NPP_LIBS := -lnppif -lnppc
  endif
  comma := ,
  space := $(subst ,, )
  CU_FLAGS := -std=c++20 -O3 -lineinfo $(GENCODE) \
              -Xcompiler $(subst $(space),$(comma),$(strip $(WARN) $(HOST_FLAGS)))
  LINK = $(NVCC) $(GENCODE) -Xcompiler -fopenmp $^ -o $@ $(LIBS)
  COMPILER := $(shell $(NVCC) --version | sed -n 's/^Cuda compilation tools, release \([^,]*\).*/nvcc \1/p'), $(shell $(CC) --version | head -1)
else
  CPPFLAGS += -Icuda_on_cpu
  CPU_SOURCES := $(filter-out cuda_on_cpu/racecheck.cpp,$(wildcard cuda_on_cpu/*.cpp))
  ENGINE_FLAGS := $(HOST_FLAGS)
  ifeq ($(CHECK),asan)
    HOST_FLAGS := -O1 -g -fopenmp -fsanitize=address,undefined -fno-sanitize-recover=undefined \
                  -fno-omit-frame-pointer
    ENGINE_FLAGS := $(HOST_FLAGS)
    LIBS += -fsanitize=address,undefined
  else ifeq ($(CHECK),race)
    # DWARF 4: binutils 2.40 takes some line numbers of DWARF 5 for the rewritten file's
    KERNEL_FLAGS := -O1 -fsanitize=thread -gdwarf-4
    CPU_SOURCES += cuda_on_cpu/racecheck.cpp
  endif
  CU_FLAGS := -std=c++20 $(WARN) $(HOST_FLAGS) $(KERNEL_FLAGS)
  LINK = $(CXX) -fopenmp -rdynamic $^ -o $@ $(LIBS) -lboost_context
  COMPILER := $(shell $(CXX) --version | head -1)
endif

# ---- building -----------------------------------------------------------------------------------

COMMON := $(patsubst common/%.c,$(B)/common/%.o,$(wildcard common/*.c))
ENGINE := $(patsubst cuda_on_cpu/%.cpp,$(B)/cuda_on_cpu/%.o,$(CPU_SOURCES))
UNIT_TESTS := $(patsubst tests/unit/%.c,$(B)/tests/%,$(wildcard tests/unit/test_*.c))

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SECONDARY:
.SUFFIXES:

.PHONY: all $(LABS)
all: $(LABS) $(B)/render ## build every program (BACKEND=auto|cuda|cpu, ARCH=native|sm_90a ...)

define lab_rules
$1: $(B)/$(call program,$1)
$(B)/$(call program,$1): $(B)/$1/$(call program,$1).o $(B)/libcommon.a $(ENGINE)
	$$(LINK)
endef
$(foreach lab,$(LABS),$(eval $(call lab_rules,$(lab))))

$(B)/matprod: LIBS += $(BLAS_LIBS) $(CUBLAS_LIBS)
$(B)/gaussian: LIBS += $(NPP_LIBS)
$(B)/lab5_gaussian/gaussian.o: CPPFLAGS += $(NPP_FLAGS)
$(B)/lab2_matprod/matprod.o: CPPFLAGS += $(BLAS_FLAGS) $(CUBLAS_FLAGS)

$(B)/common/%.o: common/%.c
	@mkdir -p $(@D)
	$(CC) -std=c11 $(WARN) $(HOST_FLAGS) $(CPPFLAGS) -MMD -MP -c $< -o $@

# Plain C of the CUDA Toolkit, for the CPU backend too: after cuda_on_cpu, whose headers have names of
# the toolkit's.
CUDA_OCCUPANCY := $(firstword $(wildcard $(addsuffix /include/cuda_occupancy.h,$(CUDA_HOME) \
                    $(patsubst %/bin/nvcc,%,$(realpath $(NVCC))))))
$(B)/common/occupancy.o: CPPFLAGS += $(if $(CUDA_OCCUPANCY),-idirafter $(dir $(CUDA_OCCUPANCY)))

HASH := \#

# Rows and run.json tell what a program was built with; the file changes only when that does.
$(B)/common/build.o: CPPFLAGS += -include $(B)/build_info.h
$(B)/common/build.o: $(B)/build_info.h
.PHONY: FORCE
$(B)/build_info.h: FORCE
	@mkdir -p $(@D)
	@printf '#define BUILD_COMPILER "%s"\n#define BUILD_FLAGS "%s"\n#define BUILD_COMMIT "%s"\n%s\n' \
	  '$(COMPILER)' '$(strip $(CU_FLAGS))' '$(COMMIT)' \
	  '$(if $(CHECK),$(HASH)define CHECK_BUILD)' > $@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

$(B)/libcommon.a: $(COMMON)
	@rm -f $@
	ar rcs $@ $^

ifeq ($(BACKEND),cuda)
$(B)/%.o: %.cu
	@mkdir -p $(@D)
	$(NVCC) $(CU_FLAGS) $(CPPFLAGS) -MMD -MP -MF $(@:.o=.d) -c $< -o $@
else
$(B)/%.cu.cpp: %.cu cuda_on_cpu/cu2cpp.awk
	@mkdir -p $(@D)
	awk -v src=$< -f cuda_on_cpu/cu2cpp.awk $< > $@

$(B)/%.o: $(B)/%.cu.cpp
	$(CXX) $(CU_FLAGS) $(CPPFLAGS) -iquote $(*D) -include cuda_runtime.h -MMD -MP -c $< -o $@

$(B)/cuda_on_cpu/%.o: cuda_on_cpu/%.cpp
	@mkdir -p $(@D)
	$(CXX) -std=c++20 $(WARN) $(ENGINE_FLAGS) $(CPPFLAGS) -MMD -MP -c $< -o $@
endif

# The renderer's picture must come out the same on every machine: no fused multiply-adds.
RENDER := $(wildcard data/render/*.c)
$(B)/data/render/%.o: data/render/%.c
	@mkdir -p $(@D)
	$(CC) -std=c11 $(WARN) -O2 -ffp-contract=off -fopenmp $(CPPFLAGS) -MMD -MP -c $< -o $@

$(B)/render: $(RENDER:data/render/%.c=$(B)/data/render/%.o) $(B)/libcommon.a
	$(CC) -fopenmp $^ -o $@ $(LIBS)

-include $(wildcard $(B)/*.d $(B)/*/*.d $(B)/*/*/*.d)

# ---- input pictures -----------------------------------------------------------------------------

ifeq ($(PHOTO),)
  IMAGES := data/images
  PHOTO_FILE := $(IMAGES)/photo.bmp
  SKY_FILE := $(IMAGES)/sky.bmp
else
  IMAGES := data/images/own
  PHOTO_FILE := $(PHOTO)
  SKY_FILE := $(PHOTO)
endif

.PHONY: images
images: $(if $(PHOTO),,$(PHOTO_FILE) $(SKY_FILE)) $(IMAGES)/image.bmp $(IMAGES)/template.bmp ## render the input pictures

data/images/photo.bmp: $(RENDER) | $(B)/render
	@mkdir -p $(@D)
	$(B)/render --scene coast $@

data/images/image.bmp: $(RENDER) | $(B)/render
	@mkdir -p $(@D)
	$(B)/render --scene town $@

# A name may hold blanks, which make's own names cannot: no prerequisite, made anew each time.
data/images/own/image.bmp: FORCE | $(B)/render
	@mkdir -p $(@D)
	$(B)/render --resample 1024x768 '$(PHOTO)' $@

# The upper half of the coast, from closer and without grain: bands show where it is quantised.
data/images/sky.bmp: $(RENDER) | $(B)/render
	@mkdir -p $(@D)
	$(B)/render --scene sky $@

$(IMAGES)/template.bmp: $(IMAGES)/image.bmp | $(B)/render
	$(B)/render --crop 64x64+582+450 $< $@

# ---- running ------------------------------------------------------------------------------------

# Known once a program is built: the GPU's short name, or the CPU's.
machine = $(or $(MACHINE),$(shell $(RUN) $(B)/vecadd --print-machine))
RESULTS ?= data/results
FIGURES ?= plots/figures
results = $(RESULTS)/$(machine)

sweep_options = $(if $(VARIANTS),--variants "$(VARIANTS)") $(if $(BLOCKS),--blocks "$(BLOCKS)") \
  $(if $(TRIALS),--trials "$(TRIALS)") $(if $(RESUME),--resume) $(OPTIONS) \
  $(if $(or $(SIZES_$1),$(SIZES)),--sizes "$(or $(SIZES_$1),$(SIZES))")

INPUTS_lab3_bilateral = --input '$(PHOTO_FILE)'
INPUTS_lab4_template = --input $(IMAGES)/image.bmp --template $(IMAGES)/template.bmp
INPUTS_lab5_gaussian = --input '$(PHOTO_FILE)'
INPUTS_lab6_banding = --input '$(SKY_FILE)' --quantise 5

# Table 1 of the blog post on Gaussian blurs, from the rows just measured.
AFTER_lab5_gaussian = t="$(RESULTS)/$$m/gaussian_algorithms.csv"; [ -n "$$status" ] || \
  awk -f lab5_gaussian/algorithms.awk "$(RESULTS)/$$m/lab5_gaussian.csv" > "$$t" || rm -f "$$t";

define run_rules
.PHONY: run-$1 run-$(firstword $(subst _, ,$1))
run-$(firstword $(subst _, ,$1)): run-$1
run-$1: $1 lab1_vecadd $(if $(filter-out lab0% lab1% lab2%,$1),images)
	@m='$$(machine)'; mkdir -p "$(RESULTS)/$$$$m"; set -x; \
	$$(RUN) $(B)/$(call program,$1) --csv "$(RESULTS)/$$$$m/$1.csv" --machine "$$$$m" \
	  $$(INPUTS_$1) $$(call sweep_options,$(firstword $(subst _, ,$1))) || status=$$$$?; \
	$$(AFTER_$1) exit $$$${status:-0}
endef
$(foreach lab,$(LABS),$(eval $(call run_rules,$(lab))))

# The pictures of figures 5 and 7: zero to three passes of the filter (a filter of radius 0 leaves a
# picture as it is, but gray), the dissimilarity map and the match; a sky before and after lab 6.
.PHONY: pictures
pictures: lab1_vecadd lab3_bilateral lab4_template lab6_banding images ## write the pictures that figures show
	@m='$(machine)'; p="$(RESULTS)/$$m/pictures"; mkdir -p "$$p"; set -ex; \
	bilateral="$(RUN) $(B)/bilateral --variants naive --check-only"; \
	$$bilateral --radius 0 '$(PHOTO_FILE)' "$$p/bilateral_0.pgm"; \
	$(if $(PHOTO),rm -f,echo 668 310 112 84 >) "$$p/bilateral_crop.txt"; \
	for passes in 1 2 3; do \
	  $$bilateral --passes $$passes '$(PHOTO_FILE)' "$$p/bilateral_$$passes.pgm"; \
	done; \
	$$bilateral --radius 0 $(IMAGES)/image.bmp "$$p/template_input.pgm"; \
	$(RUN) $(B)/template --variants naive --check-only $(IMAGES)/image.bmp $(IMAGES)/template.bmp \
	  --map "$$p/template_map.pgm" --dat "$$p/result.dat" --match "$$p/template_match.txt"; \
	$(RUN) $(B)/banding --variants naive --check-only '$(SKY_FILE)' "$$p/banding_after.ppm" \
	  --before "$$p/banding_before.ppm" --quantise 5 --range 63 --threshold-y 31 --threshold-cb 31 \
	  --threshold-cr 31

# One lab after the other, so that none disturbs another's times; a wrong result is reported at the
# end, when all have run.
.PHONY: run-all
run-all: all images ## run every experiment, draw the figures
	@status=0; \
	for lab in $(LABS); do $(MAKE) --no-print-directory run-$$lab || status=$$?; done; \
	$(MAKE) --no-print-directory pictures || status=$$?; \
	$(MAKE) --no-print-directory plots || status=$$?; \
	[ $$status -eq 0 ] || echo "Not all went well; 'make report' writes the report all the same." >&2; \
	exit $$status

# Tables and facts from the rows, of machine $$m.
analyse = sh report/analyse.sh --results '$(RESULTS)' --labs $(B)/labs.csv --out "$(REPORT)/$$m"
draw = sh plots/draw.sh --results '$(RESULTS)' --labs $(B)/labs.csv --out '$(FIGURES)'

.PHONY: plots
plots: $(B)/labs.csv ## draw the figures of MACHINE (default: this one) into plots/figures/
	@m='$(machine)'; tables=; \
	! command -v sqlite3 >/dev/null || { $(analyse) "$$m" && tables="$(REPORT)/$$m/tables"; } || exit; \
	if command -v gnuplot >/dev/null; then \
	  $(draw) $${tables:+--tables "$$tables"} "$$m"; \
	else \
	  echo "The results are in $(RESULTS)/$$m. For the figures install gnuplot (make setup), then: make plots"; \
	fi

# ---- the report ---------------------------------------------------------------------------------

REPORT ?= report/output
REPORT_LANG ?= en
TEMPLATE ?=
MACHINES ?= $(machine) $(filter-out $(machine),nvidia-h200)
print = $(draw) --formats "svg png pdf"
terminal = awk -v RS='\036' -v FS='\037' -f report/markdown.awk -f report/terminal.awk

# In `make run-all report` the runs come first, with -j too.
.PHONY: report compare sql
report compare sql: | $(filter run-% pictures plots profile,$(MAKECMDGOALS))

report: $(B)/labs.csv ## write the report of MACHINE into report/output/ (REPORT_LANG=en|ja, TEMPLATE=mine.md)
	@m='$(machine)'; out="$(REPORT)/$$m"; $(analyse) "$$m" || exit; \
	$(print) --tables "$$out/tables" "$$m" || [ $$? -eq 3 ] || status=1; \
	sh report/build.sh --figures "$(FIGURES)/$$m" --out "$$out" --lang '$(REPORT_LANG)' \
	  $(if $(TEMPLATE),--template '$(TEMPLATE)') || status=1; \
	exit $${status:-0}

compare: $(B)/labs.csv ## MACHINES="a b" beside each other, in report/output/compare/
	@m=compare; out="$(REPORT)/$$m"; $(analyse) --compare $(MACHINES) || exit; \
	$(print) --compare --tables "$$out/tables" "$$m" || [ $$? -eq 3 ] || status=1; \
	echo "Time in ms of each variant at its best block:"; \
	sqlite3 -readonly -ascii -header "$$out/results.db" 'select * from compare' | $(terminal); \
	sh report/build.sh --figures "$(FIGURES)/$$m" --out "$$out" --lang '$(REPORT_LANG)' \
	  --template report/compare.$(REPORT_LANG).md --name compare --formats "md html" || status=1; \
	exit $${status:-0}

sql: $(B)/labs.csv ## ask the rows of MACHINE: SQL="select ...", or by hand in sqlite3
	@m='$(machine)'; $(analyse) "$$m" || exit; \
	$(if $(SQL),sqlite3 -readonly -ascii -header "$(REPORT)/$$m/results.db" "$$SQL" | $(terminal), \
	  echo "A table is a view: .tables lists them, .schema row tells of the rows, .quit leaves."; \
	  sqlite3 -readonly -header -column "$(REPORT)/$$m/results.db")

# What is committed of the recorded H200's results: the report in both languages, and the figures that
# it shows. Those that show pictures need $(RESULTS)/nvidia-h200/pictures.
.PHONY: docs
docs: $(B)/labs.csv
	@m=nvidia-h200; out=docs/report; set -e; \
	$(analyse) "$$m"; $(draw) --tables "$(REPORT)/$$m/tables" "$$m"; rm -rf $$out; mkdir -p $$out; \
	cp "$(REPORT)/$$m/results.db" $$out/; \
	for lang in en ja; do \
	  sh report/build.sh --figures "$(FIGURES)/$$m" --out $$out --lang $$lang --formats md; \
	done; \
	rm -f $$out/results.db $$out/figures/*.svg $$out/figures/*.pdf

# ---- what the compiler made of the kernels ------------------------------------------------------

# For one architecture: the first of ARCH. Needs nvcc, but no GPU.
LISTING_ARCH = $(if $(filter cuda,$(BACKEND)),$(firstword $(ARCH)),sm_90a)
listing_all = $(NVCC) -std=c++20 -O3 -lineinfo -Icommon $(BLAS_FLAGS) $(CUBLAS_FLAGS)
listing = $(listing_all) -arch=$(LISTING_ARCH)

.PHONY: ptx sass resources
ptx: ## write the kernels' PTX to build/ptx/ (the --keep step)
	@mkdir -p build/ptx
	@for lab in $(LABS); do program=$${lab#*_}; \
	  $(listing) -ptx $$lab/$$program.cu -o build/ptx/$$program.ptx && echo build/ptx/$$program.ptx || exit 1; done

sass: ## write the kernels' machine code to build/sass/
	@mkdir -p build/sass
	@command -v cuobjdump >/dev/null || { echo "sass: cuobjdump is missing; it comes with the CUDA Toolkit" >&2; exit 1; }
	@for lab in $(LABS); do program=$${lab#*_}; \
	  $(listing) -cubin $$lab/$$program.cu -o build/sass/$$program.cubin && \
	  cuobjdump --dump-sass build/sass/$$program.cubin > build/sass/$$program.sass && \
	  echo build/sass/$$program.sass || exit 1; done

resources: build/resources/$(LISTING_ARCH).csv ## registers, shared, constant, local bytes and spills of each kernel
	@cp $< build/resources.csv
	@awk '{ gsub(/"/, ""); gsub(/,/, "\t"); gsub(/\t /, ", "); n = split($$0, f, "\t"); \
	  printf "%-16s %-36s %-8s", f[1], f[2], f[3]; \
	  for (i = 4; i < n; i++) printf " %18s", f[i]; print "" }' $<
	@echo "(build/resources.csv)"

build/resources/%.csv: $(wildcard lab*/*.cu lab*/*.cuh lab*/*.h) common/resources.sh common/resources.awk
	@mkdir -p $(@D)
	@[ -x '$(NVCC)' ] || { echo "resources: nvcc is missing; it comes with the CUDA Toolkit" >&2; exit 1; }
	@sh common/resources.sh $* $(listing_all) -- $(LABS) > $@

# The figures are those of nvcc's nearest architecture, at most the card's where it has one.
CARD ?= $(if $(COMPUTE_CAPABILITY),sm_$(COMPUTE_CAPABILITY),nvidia-h200)
.PHONY: occupancy
occupancy: all ## how the kernels would fill a multiprocessor of CARD=sm_86 (or rtx-3090, tesla-c2050 ...)
	@if [ -x '$(NVCC)' ]; then \
	  card=$$($(B)/vecadd --occupancy-of '$(CARD)' --print-machine) || exit 2; \
	  arch=$$('$(NVCC)' --list-gpu-code | awk -F _ -v card="$${card#sm_}" ' \
	    { n = $$2 + 0; if (n <= card + 0 && n > below) below = n; if (!least || n < least) least = n } \
	    END { n = below ? below : least; print "sm_" n (n >= 90 ? "a" : "") }'); \
	  [ "$${arch%a}" = "$$card" ] || echo "nvcc does not compile for $$card; registers are those of $$arch"; \
	  $(MAKE) -s build/resources/$$arch.csv || exit 1; \
	  figures=build/resources/$$arch.csv; \
	fi; \
	$(foreach lab,$(LABS),$(B)/$(call program,$(lab)) --occupancy-of '$(CARD)' $${figures:+--resources "$$figures"} \
	  $(if $(BLOCKS),--blocks "$(BLOCKS)") || exit;)

# ---- what Nsight Compute measures ---------------------------------------------------------------

# One size and one block a lab, of those in its default sweep: the ones of a run with positional
# arguments, but more than the 16 elements of lab 1 and the 32 x 32 of lab 2, which leave a GPU idle.
# A lab without a line here is left out.
PROFILE_lab1_vecadd = --sizes 2^24 --blocks 256
PROFILE_lab2_matprod = --sizes 1024 --blocks 16
PROFILE_lab3_bilateral = --sizes 1024x768 --blocks 16
PROFILE_lab4_template = --sizes 1024x768 --blocks 16
PROFILE_lab5_gaussian = --sizes 1024x768 --blocks 32x8 --type gray
PROFILE_lab6_banding = --sizes 1920x1080 --blocks 32x8 --mode 1

.PHONY: profile
ifeq ($(BACKEND),cuda)
profile: all images ## counters of each GPU variant (Nsight Compute)
	@m='$(machine)'; mkdir -p "$(RESULTS)/$$m"; \
	NCU='$(NCU)' RUN='$(RUN)' sh common/profile.sh "$(RESULTS)/$$m/profile.csv" "$$m" \
	  $(foreach lab,$(LABS),$(if $(PROFILE_$(lab)),--lab $(B)/$(call program,$(lab)) $(PROFILE_$(lab)) $(INPUTS_$(lab)))); \
	status=$$?; [ $$status -ne 0 ] || echo "($(RESULTS)/$$m/profile.csv)"; exit $$status
else
profile:
	@echo "profile: this build runs the kernels on the CPU (BACKEND=$(BACKEND)): there is no GPU to profile" >&2; exit 1
endif

# ---- tests and upkeep ---------------------------------------------------------------------------

.PHONY: setup setup-dev setup-report test unit lint format clean help
setup: ## install what is missing, with the system's package manager
	sh common/setup.sh

setup-dev: setup ## the linters, too
	sh common/setup.sh --dev

setup-report: ## pandoc and LaTeX, for the report's HTML and PDF
	sh common/setup.sh --report

$(B)/tests/%.o: tests/unit/%.c
	@mkdir -p $(@D)
	$(CC) -std=c11 $(WARN) $(HOST_FLAGS) $(CPPFLAGS) -Itests -MMD -MP -c $< -o $@

$(B)/tests/%: $(B)/tests/%.o $(B)/libcommon.a $(ENGINE)
	$(LINK)

test: all images $(UNIT_TESTS) ## check everything (TAP, through prove)
	BUILD=build B='$(B)' BACKEND='$(BACKEND)' MAKE='$(MAKE)' sh tests/run.sh $(TESTS)

LINTED := $(wildcard common/*.[ch] cuda_on_cpu/*.h cuda_on_cpu/*.cpp data/*.c lab*/*.cu lab*/*.cuh lab*/*.h tests/*.h tests/*/*.c tests/*/*.cu)
lint: ## check the format and look for mistakes (clang-format, cppcheck, shellcheck)
	clang-format --dry-run --Werror $(LINTED)
	cppcheck --quiet --std=c11 --error-exitcode=1 --inline-suppr \
	  --enable=warning,portability,performance -D__GNUC__ -Icommon common/*.c data/*.c
	shellcheck -x $(wildcard common/*.sh plots/*.sh report/*.sh tests/*.sh tests/*.t) .ci/run

format: ## apply the style
	clang-format -i $(LINTED)

clean: ## remove what was built; results stay
	rm -rf build

help: ## this list
	@echo "make setup run-all    install what is missing, run all experiments, draw the figures"
	@echo "make run-all report   the same, and write the lab report"
	@echo "make setup test       check everything"
	@echo
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | awk -F '\t' '{ printf "  %-14s %s\n", $$1, $$2 }'
	@echo "  run-lab2       run one experiment; SIZES=\"256 512\" BLOCKS=\"16 32x8\" TRIALS=5 VARIANTS=\"cpu naive\""
	@echo
	@echo "settings: config.mk. This build: BACKEND=$(BACKEND)$(if $(ARCH), ARCH=\"$(ARCH)\")"

endif
