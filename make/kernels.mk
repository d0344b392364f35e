# kernels.mk - what the compiler made of the kernels, and what Nsight Compute measures of them.

# For one architecture: the first of ARCH. Needs nvcc, but no GPU.
LISTING_ARCH = $(if $(filter cuda,$(BACKEND)),$(firstword $(ARCH)),sm_90a)
listing = $(NVCC) -std=c++20 -O3 -lineinfo -Icommon $(foreach l,$(LIBRARY_NAMES),$($l_FLAGS)) \
  $(if $(filter cuda,$(BACKEND)),$(ranks_FLAGS))
listings = $(patsubst %.cu,build/$1/%.$1,$(wildcard $(LABS:%=%/*.cu)))

ptx: $(call listings,ptx) ### write the kernels' PTX to build/ptx/ (the --keep step)

sass: $(call listings,sass) ### write the kernels' machine code to build/sass/

build/ptx/%.ptx: %.cu FORCE
	@mkdir -p $(@D) && $(listing) -arch=$(LISTING_ARCH) -ptx $< -o $@ && echo $@

build/sass/%.sass: %.cu FORCE
	@mkdir -p $(@D) && $(listing) -arch=$(LISTING_ARCH) -cubin $< -o $(@:.sass=.cubin)
	@$(or $(wildcard $(dir $(NVCC))cuobjdump),cuobjdump) --dump-sass $(@:.sass=.cubin) > $@ && echo $@

# What tools/lens_time reads. LISTING_ARCH is that of the cards which it knows the rates of.
build/sass/%.cubin: %.cu $(wildcard common/*.cuh common/*/*.cuh lab*/*.cuh lab*/*.h)
	@mkdir -p $(@D) && $(listing) -arch=$(LISTING_ARCH) -cubin $< -o $@

resources: build/resources/$(LISTING_ARCH).csv ### registers, memory and spills of each kernel
	@cp $< build/resources.csv
	@$(show) $<
	@echo "(build/resources.csv)"

# Only the labs that are asked for; each is compiled anew if it has changed.
build/resources/%.csv: $(LABS:%=build/resources/\%/%.csv) FORCE
	@awk 'FNR > 1 || NR == 1' $(filter %.csv,$^) > $@

define resources_rule
build/resources/%/$1.csv: $(wildcard $1/*.cu $1/*.cuh $1/*.h common/*.cuh common/*/*.cuh) \
  tools/resources.sh tools/resources.awk | nvcc-is-here
	@mkdir -p $$(@D) && sh tools/resources.sh $$* $1 $(listing) > $$@
endef
$(foreach lab,$(LABS),$(eval $(call resources_rule,$(lab))))

nvcc-is-here:
	@[ -x '$(NVCC)' ] || \
	  { echo "resources: nvcc is missing; it comes with the CUDA Toolkit" >&2; exit 1; }

chosen_lab = $(if $(LAB),$(filter $(LAB) $(LAB)_%,$(ALL_LABS)))
occupancy: $(if $(LAB),$(chosen_lab),all) ## how kernels would fill a multiprocessor of CARD=rtx-3090
	@$(if $(chosen_lab),,$(if $(LAB),echo occupancy: $(call quoted,LAB=$(LAB)): there is no such lab >&2; exit 2))
	@MAKE='$(MAKE)' $(if $(call yes,$(WIDE)),WIDE=1) $(call with,NVCC BLOCKS) \
	  LABS=$(call quoted,$(or $(chosen_lab),$(LABS))) sh tools/occupancy.sh $(call quoted,$(CARD)) \
	  $(call programs_of,$(or $(chosen_lab),$(LABS)))

# The lens is a build of its own, which counts what kernels do to the memory. What is not said is the
# case that is profiled.
profiled = $(shell echo '$($1_PROFILE)' | sed 's/.*|//; s/$2/$3/')
of_profile = $(call profiled,$1,.*--$2 \([^ ]*\).*,\1)
others_of_profile = $(call profiled,$1,--sizes [^ ]* *--blocks [^ ]*)
# lens LAB,RESULTS,PAGES
lens = SIZES=$(call quoted,$(or $(call sizes_of,$1),$(call of_profile,$1,sizes))) \
  BLOCKS=$(call quoted,$(or $(BLOCKS),$(call of_profile,$1,blocks))) \
  sh tools/lens.sh $(B)/$(call program,$1) $(call quoted,$2) $(call quoted,$3) $($1_INPUTS) \
  $(or $(OPTIONS),$(call others_of_profile,$1))
ifeq ($(CHECK),lens)
lens: $(chosen_lab) images ## what a kernel does to the memory: LAB=lab2 VARIANTS=mine
	$(if $(chosen_lab),,$(error lens: LAB=$(LAB): one of $(ALL_LABS)))
	@$(call with,CARD VARIANTS ALL LENS MAKE NVCC) $(call lens,$(chosen_lab),$(RESULTS),build/lens)
# lens_counters SETTINGS: counts all labs, then prints the table
lens_counters = $(foreach lab,$(filter-out lab0%,$(LABS)),$(call with,CARD) $1 sh tools/lens_counters.sh $(lab) \
  $(B)/$(call program,$(lab)) $($(lab)_INPUTS) $(call others_of_profile,$(lab));) \
  $(call with,CARD NVCC) $1 sh tools/lens_counters.sh
lens-counters: all images ### the lens beside the profile that the card has recorded
	@$(call lens_counters)
lens-score: all images $(B)/labs.csv $(patsubst %.cu,build/sass/%.cubin,$(wildcard $(filter-out lab0%,$(LABS:%=%/*.cu)))) ### the lens's times beside the card's rows
	@$(call lens_counters,RECORDED=1 DESCRIBED=$(B)/labs.csv)
lens-pages: all images ### docs/lens: a page for each rung
	@rm -rf docs/lens
	@$(foreach lab,$(filter-out lab0%,$(LABS)),CARD=$(reported) $(call with,MAKE NVCC) $(call lens,$(lab),build/lens/pages,docs/lens) | grep ^page;)
else
lens lens-counters lens-score lens-pages:
	@$(MAKE) CHECK=lens BACKEND=cpu B= $@
endif

# on_gpu NEEDED: by a goal that the CPU cannot do.
on_gpu = $(if $(filter cuda,$(BACKEND)),$1,not-on-a-cpu)
not-on-a-cpu:
	@echo "$(MAKECMDGOALS): this build runs the kernels on the CPU (BACKEND=$(BACKEND)): there is" \
	  "no GPU to profile; CHECK=asan and CHECK=race look for mistakes there" >&2; exit 1

# profile_lab PROGRAM,OPTIONS|OPTIONS ...,INPUTS
profile_lab = profile_lab $1 $(subst |,$3; profile_lab $1 ,$2) $3;
profile: $(call on_gpu,all images $(B)/labs.csv) ### counters of each GPU variant (Nsight Compute)
	@mkdir -p '$(results)'
	@if command -v sqlite3 >/dev/null && ls '$(results)'/lab*.csv >/dev/null 2>&1; then \
	  $(call analyse,$(machine),'$(machine)'); fi
	@$(call with,NCU RUN); . tools/profile.sh; \
	begin_profile '$(results)/profile.csv' '$(machine)' '$(REPORT)/$(machine)/results.db'; \
	$(foreach lab,$(LABS),$(if $($(lab)_PROFILE),\
	  $(call profile_lab,$(B)/$(call program,$(lab)),$($(lab)_PROFILE),$($(lab)_INPUTS)))) end_profile
