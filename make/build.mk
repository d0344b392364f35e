# build.mk - the labs' programs and their objects.

# A lab.mk sets any of these for $(lab), its folder's name:
#   $(lab)_INPUTS     options for the program's inputs
#   $(lab)_LIBRARIES  some of LIBRARY_NAMES
#   $(lab)_PROFILE    for make profile one size and block, where there are no rows, and options; with
#                     a | between them several such
$(foreach lab,$(ALL_LABS),$(eval -include $(wildcard $(lab)/lab.mk))\
  $(foreach l,$(filter-out $(LIBRARY_NAMES),$($(lab)_LIBRARIES)),\
    $(error $(lab)/lab.mk: LIBRARIES are some of $(LIBRARY_NAMES), not $l)))

# A recipe begins with its folder and one short line; V=1 shows its command instead.
step = $(if $(call yes,$(V)),mkdir -p $(@D) &&,@mkdir -p $(@D) && printf '%-5s %s\n' $1 $2 &&)

# C and the engine are compiled once for the builds that share them, and compiled anew by flags of their own.
COMMON_C := $(patsubst %.c,$(PLAIN)/%.o,$(filter-out common/rows/build.c,$(wildcard common/*.c common/*/*.c)))
COMMON := $(COMMON_C) $(B)/common/rows/build.o $(patsubst %.cu,$(B)/%.o,$(wildcard common/*/*.cu))
OF_CHECKS := cuda_on_cpu/racecheck.cpp cuda_on_cpu/lens.cpp
PLAIN_FLAGS := $(PLAIN)/$(if $(CPU_SOURCES),host,build)_flags
PLAIN_ENGINE := $(patsubst %.cpp,$(PLAIN)/%.o,$(filter-out $(OF_CHECKS),$(CPU_SOURCES)))
ENGINE := $(PLAIN_ENGINE) $(patsubst %.cpp,$(B)/%.o,$(filter $(OF_CHECKS),$(CPU_SOURCES)))
programs_of = $(foreach lab,$1,$(B)/$(call program,$(lab)))
PROGRAMS := $(call programs_of,$(ALL_LABS))

all: $(LABS) $(B)/picture ### build every program (BACKEND=auto|cuda|cpu, ARCH=native|sm_90a)

# How a program is linked whose objects have functions __wrap_NAME, which are called in place of
# NAME. (The list's name is none that test_* stands for.)
define link_wrapped
@mkdir -p $(@D) && nm $(filter %.o,$^) | sed -n 's/.* __wrap_/-Xlinker --wrap=/p' > $(@D)/.$(@F).wrap
$(call step,LD,$@) $(LINK) $(if $(filter cuda,$(BACKEND)),-optf ,@)$(@D)/.$(@F).wrap
endef

# library_flags LAB,FLAGS|LIBS
library_flags = $(foreach l,$($1_LIBRARIES),$($l_$2))
programs = $(B)/$1 $(B)/tests/check_$1 $(B)/fault/$1 $(B)/judge/$1 # that hold the lab's objects
objects = $(patsubst %.cu,$(B)/%.o,$(wildcard $1/*.cu)) # of a lab: all of them are one program
define lab_rules
$1: $(B)/$(call program,$1)
$(call programs,$(call program,$1)): $(call objects,$1)
$(call programs,$(call program,$1)): LIBS += $(call library_flags,$1,LIBS)
$(call objects,$1): private CPPFLAGS += $(call library_flags,$1,FLAGS)
$(call objects,$1): $(wildcard $1/lab.mk)
endef
$(foreach lab,$(ALL_LABS),$(eval $(call lab_rules,$(lab))))

$(PROGRAMS) $(B)/picture: $(B)/libcommon.a $(ENGINE)
	$(call step,LD,$@) $(LINK)

$(B)/libcommon.a: $(COMMON)
	$(call step,AR,$@) rm -f $@ && ar rcs $@ $^

$(COMMON_C): $(PLAIN)/%.o: %.c $(PLAIN_FLAGS)
	$(compile_c)
$(B)/%.o: %.c $(B)/build_flags
	$(compile_c)
compile_c = $(call step,CC,$<) $(CC) -std=c11 $(WARN) $(HOST_FLAGS) $(CPPFLAGS) -MMD -MP -c $< -o $@

ifeq ($(BACKEND),cuda)
# The machine code of one architecture, and what ptxas says of it, stay here for make resources.
keep = -Xptxas -v $(if $(word 2,$(ARCH)),,--keep --keep-dir $(@:.o=.keep))
said = 2> $(@:.o=.ptxas) || { cat $(@:.o=.ptxas) >&2; exit 1; }
$(B)/%.o: %.cu $(B)/build_flags
	@mkdir -p $(@:.o=.keep)
	$(call step,NVCC,$<) $(NVCC) $(CU_FLAGS) $(CPPFLAGS) $(keep) -MMD -MP -MF $(@:.o=.d) -c $< -o $@ $(said)
	@grep -v '^ptxas info\|^  *[0-9]* bytes' $(@:.o=.ptxas) >&2 || :
	@mv -f $(@:.o=.keep)/*.cubin $(@:.o=.cubin) 2>/dev/null; rm -rf $(@:.o=.keep)
else
$(B)/%.cu.cpp: %.cu cuda_on_cpu/cu2cpp.awk
	@mkdir -p $(@D) && awk -v src=$< -f cuda_on_cpu/cu2cpp.awk $< > $@

# Each file would read cuda_runtime.h for a second: it is compiled once, before. (g++ forgets what its
# pragma says of warnings then.)
HEADER := $(B)/cuda_on_cpu/cuda_runtime.h
$(HEADER).gch: cuda_on_cpu/cuda_runtime.h $(B)/build_flags
	@mkdir -p $(@D) && echo '#include "cuda_runtime.h"' > $(HEADER)
	@$(CXX) $(CU_FLAGS) $(CPPFLAGS) -MMD -MP -MF $(HEADER:.h=.d) -x c++-header $< -o $@

$(B)/%.o: $(B)/%.cu.cpp $(HEADER).gch cuda_on_cpu/lens_source.awk $(B)/build_flags
	$(call step,CXX,$*.cu) $(if $(filter lens,$(CHECK)),$(readied) &&) $(compiled) -c \
	  $(if $(filter lens,$(CHECK)),,-MMD -MP) $(lists_calls) -o $@
	@readelf -sWC $@ | awk -v src=$*.cu -f cuda_on_cpu/static_shared.awk
	$(if $(lists_calls),@sh cuda_on_cpu/host_calls.sh $(@:.o=.calls) \
	  $(subst -include $(HEADER),-include cuda_runtime.h,$(compiled)))
	$(if $(wildcard $(NVCC)),$(if $(CHECK),$(if $(filter lab%,$*),@$(nvcc_reads))))

compiled = $(CXX) $(CU_FLAGS) $(CPPFLAGS) -iquote $(*D) -Wno-sign-compare \
  $(if $(filter lens,$(CHECK)),$(@:.o=.ii),-include $(HEADER) $<)
# g++ alone can; without optimisation it would keep the place of all.
lists_calls = $(if $(findstring clang,$(CXX_NAME)),,-ftoplevel-reorder -fdump-ipa-visibility=$(@:.o=.calls))

# The lens wants its own way with the source, with all that it includes.
readied = $(CXX) $(CU_FLAGS) $(CPPFLAGS) -iquote $(*D) -include cuda_runtime.h -MMD -MP -MF $(@:.o=.d) \
  -MT $@ -E $< | awk -f cuda_on_cpu/lens_source.awk > $(@:.o=.ii)

# What g++ takes and nvcc does not: its first half, in 1 or 2 s, unless it has taken what is there.
nvcc_reads = for read in build/nvcc/$*.ptx build/cuda/$*.o; do \
    [ -f $$read ] && [ -z "$$(find common $(*D) -newer $$read)" ] && exit; done; mkdir -p build/nvcc/$(*D) && \
  $(NVCC) -std=c++20 -Icommon -arch=$(LISTING_ARCH) -allow-unsupported-compiler -ptx -Xcicc -O0 \
    -o build/nvcc/$*.ptx $*.cu

$(PLAIN_ENGINE): $(PLAIN)/%.o: %.cpp $(PLAIN_FLAGS)
	$(compile_engine)
$(filter-out $(PLAIN_ENGINE),$(ENGINE)): $(B)/%.o: %.cpp $(B)/build_flags
	$(compile_engine)
compile_engine = $(call step,CXX,$<) $(CXX) -std=c++20 $(WARN) $(ENGINE_FLAGS) $(CPPFLAGS) -MMD -MP -c $< -o $@

# What tools/cpu-nvcc makes people's own programs with: the flags of the labs, and the engine.
TRY_ENGINE := $(filter-out %/nccl.o,$(ENGINE))
cpu-nvcc: $(B)/cpu-nvcc.flags
	@:
$(B)/cpu-nvcc.flags: $(TRY_ENGINE) $(B)/build_flags
	@printf '%s\n' 'CXX="$(CXX)"' 'FLAGS="-std=gnu++20 $(HOST_FLAGS) $(KERNEL_FLAGS) $(filter -DLENS_BUILD,$(CHECK_FLAGS))"' \
	  'ENGINE='\''$(TRY_ENGINE:%="$$root/%")'\''' \
	  'LIBRARIES="$(filter -lm -f%,$(LIBS)) -lboost_context"' > $@
endif

# Plain C of the CUDA Toolkit, for the CPU backend too: after cuda_on_cpu, whose headers have names
# of the toolkit's.
CUDA_OCCUPANCY := $(wildcard $(CUDA_ROOT)/include/cuda_occupancy.h)
$(PLAIN)/common/machine/occupancy.o: CPPFLAGS += $(if $(CUDA_OCCUPANCY),-idirafter $(dir $(CUDA_OCCUPANCY)))

# What rows and run.json say of the build. A new commit compiles only build.c.
c_text = $(call quoted,-D$1="$(subst ",\",$(subst \,\\,$2))")
$(B)/common/rows/build.o: CPPFLAGS += $(call c_text,BUILD_COMPILER,$(COMPILER)) \
  $(call c_text,BUILD_FLAGS,$(strip $(CU_FLAGS))) $(call c_text,BUILD_COMMIT,$(COMMIT)) $(CHECK_FLAGS)
$(B)/common/rows/build.o: $(B)/COMMIT $(B)/seal_key
# What seals rows (common/rows/seal.h): a key, and in each lab's program a sum of the lab's sources.
seal_key := $(if $(filter verify-rows,$(MAKECMDGOALS)),,$(or $(KEY),$(if $(wildcard course/key),$(shell cat course/key))))
$(B)/common/rows/build.o: CPPFLAGS += $(if $(seal_key),$(call c_text,BUILD_KEY,$(seal_key)))
define source_rules
$(B)/$(call program,$1): $(B)/$1/source.o
$(B)/$1/source.o: $(wildcard $1/*.cu $1/*.cuh $1/*.h) tools/source_sum.sh
endef
$(foreach lab,$(ALL_LABS),$(eval $(call source_rules,$(lab))))
$(B)/%/source.o:
	@mkdir -p $(@D) && printf 'const char lab_source[] = "%s";\n' "$$(sh tools/source_sum.sh $*)" | \
	  $(CC) -x c -c - -o $@

# What each lab says of itself, for figures and report. Of two makes at once each has a draft.
$(B)/labs.csv: $(PROGRAMS) $(B)/ALL_LABS
	@draft=$@.$$$$; trap 'rm -f "$$draft" "$$draft.all"' EXIT; \
	  for program in $(PROGRAMS); do $$program --describe || exit; done > $$draft.all && \
	  awk 'NR == 1 || !/^lab,/' $$draft.all > $$draft && mv $$draft $@

# Every object depends on what it is built with. The text has all libraries, whichever LABS are
# asked for: LABS= must not compile anew what there is.
build_flags := $(strip $(CC) $(CXX) $(if $(filter cuda,$(BACKEND))$(CHECK),$(NVCC)) $(COMPILER) $(WARN) $(CPPFLAGS) $(CU_FLAGS) \
  $(HOST_FLAGS) $(ENGINE_FLAGS) $(LIBS) $(CUDA_OCCUPANCY) \
  $(foreach l,$(LIBRARY_NAMES),$($l_FLAGS) $($l_LIBS)))
host_flags := $(strip $(CC) $(CXX) $(COMPILER) $(WARN) $(CPPFLAGS) $(HOST_FLAGS) $(ENGINE_FLAGS) $(CUDA_OCCUPANCY))
COMMIT := $(COMMIT)
# The file $(B)/NAME holds what $(NAME) is and becomes new only when that does. (Of what it reads GNU Make 4.3
# keeps the line's end now and then.)
STAMPS := $(patsubst %,$(B)/%,build_flags COMMIT ALL_LABS seal_key) $(filter %/host_flags,$(PLAIN_FLAGS))
stamped = printf '%s\n' $(call quoted,$($(notdir $1)))
differ = $(subst x$1,,x$2)$(subst x$2,,x$1)
$(foreach s,$(STAMPS),$(if $(if $(wildcard $s),$(call differ,$(strip $($(notdir $s))),$(strip $(file <$s))),yes),\
  $(eval $s: FORCE)))
$(STAMPS):
	@mkdir -p $(@D) && $(call stamped,$@) > $@

ifeq ($(BACKEND),cpu)
$(B)/build_flags $(PLAIN_FLAGS): | $(B)/boost_context
$(B)/boost_context:
	@sh tools/boost_context.sh $(CXX) || \
	  { echo "BACKEND=cpu needs g++ and Boost.Context: make setup installs them" >&2; exit 1; }
	@mkdir -p $(@D) && touch $@
endif

-include $(wildcard $(B)/*/*.d $(B)/*/*/*.d $(patsubst %.o,%.d,$(filter-out $(B)/%,$(COMMON_C) $(PLAIN_ENGINE))))
