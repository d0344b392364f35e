# settings.mk - names and values that are refused.

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
