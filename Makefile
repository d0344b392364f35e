# The GPGPU lab suite. `make help` lists the targets, `make list-settings` what may be set.

# All labs, by number; LABS on the command line picks some.
ALL_LABS := $(strip $(foreach digits,lab[0-9] lab[0-9][0-9],\
              $(sort $(patsubst %/,%,$(dir $(wildcard $(digits)_*/*.cu))))))
program = $(lastword $(subst _, ,$1))
number = $(firstword $(subst _, ,$1))

include config.mk

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
RUNS := $(foreach lab,$(ALL_LABS),run-$(lab) run-$(call number,$(lab)))

space := $(subst ,, )
comma := ,
quoted = '$(subst ','\'',$1)'
with = $(foreach v,$1,$v=$(call quoted,$($v))) # these settings in a command's environment
no_words := 0 no No NO off false False FALSE
yes = $(filter-out $(no_words),$1)

include make/settings.mk # refuses names that do not exist, and values that nothing can be done with

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

include make/flags.mk    # the backend; compilers, flags and libraries, the same in every lab
include make/build.mk    # programs
include make/pictures.mk # input pictures
include make/run.mk      # runs of labs, jobs for a cluster
include make/report.mk   # figures, tables, reports
include make/kernels.mk  # what the compiler made of the kernels, what Nsight Compute counts
include make/lib.mk      # a product for other programs
include make/test.mk     # tests, linters, setup
include make/course.mk   # a course: handouts, marks, what students pack, a class

# A target in small letters is no file.
PARTS := $(filter make/%,$(MAKEFILE_LIST)) Makefile
TARGETS := $(shell sed -n 's/^\([a-z-]*\):.*/\1/p' $(PARTS))
.PHONY: FORCE $(TARGETS) $(ALL_LABS) $(RUNS)

help:
	@echo "make setup run-all   install what is missing, run all, draw the figures"
	@echo "make setup test      check it, in four minutes"
	@echo "make run-lab2        one lab: SIZES=64 BLOCKS=\"8 32x8\" VARIANTS=\"naive mine\""
	@echo
	@$(call goals,##)
	@echo
	@echo "labs: $(LABS)" | fold -s -w 80

help-all: ## all that make can do
	@$(call goals,###*)

# goals MARK: a line each of those with this mark: `##`, what comes first, `###`, the rest.
goals = sed -n 's/^\([a-z-]*\):.* $1 /\1\t/p' $(PARTS) | \
  awk -F '\t' '{ printf "  %-14s %s\n", $$1, $$2 }'

endif
