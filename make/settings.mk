# settings.mk - what may be set stands in config.mk; other names are refused, as are some values.

SETTINGS := $(shell sed -n 's/^\([A-Z_]*\) *?*=.*/\1/p' config.mk) \
  $(foreach lab,$(ALL_LABS),SIZES_$(lab) SIZES_$(call number,$(lab)))
given := $(foreach v,$(.VARIABLES),$(if $(filter command,$(firstword $(origin $v))),$v))
unknown := $(firstword $(filter-out $(SETTINGS) SHELL MAKE MAKEFLAGS,$(given)))
nearest = $(shell sh tools/nearest.sh $(call quoted,$1) $2)
$(if $(unknown),$(error $(unknown) is no setting$(call nearest,$(unknown),$(SETTINGS)); \
  config.mk lists them))

# A copy of a lab's folder is a lab, too, and would write into the lab's rows. No name that make lists has a blank.
twins := $(strip $(foreach l,$(ALL_LABS),\
  $(if $(word 2,$(filter $(call number,$l)_% %_$(call program,$l),$(ALL_LABS))),$l)))
$(if $(twins),$(error $(twins): labs with one number, or one last word; a copy belongs outside of this folder))
$(if $(filter-out lab%,$(ALL_LABS)),\
  $(error $(shell ls lab[0-9]*_*/*.cu | grep ' ' | head -n 1): the name holds a blank))

.DEFAULT:
	$(if $(wildcard $@),,$(error there is no target '$@'$(call nearest,$@,$(TARGETS) $(LABS) $(RUNS)); \
	  `make help` lists them, and there are the labs $(LABS)))

list-settings: ## what may be set, with defaults
	@sed '1,/^$$/d; :a; /\\$$/{N; s/\\\n *//; ba}; s/ ?=/ =/; s/= .*(shell .*/= (looked for)/' config.mk | \
	  fmt -p '#' -w 80

# Rules put texts into single or double quotes, words into none.
texts := A B FIGURES GRADES HISTORY KEYFILE MACHINE PHOTO REPORT REPORT_LANG RESULTS ROWS
words := ARCH CUDA_HOME EXERCISES IMAGES KEY MPI_HOME MUTANTS NCCL_HOME TESTS \
  $(if $(filter compare-runs,$(MAKECMDGOALS)),,B)
special = $(shell printf %s $(call quoted,$1) | LC_ALL=C tr -d 'A-Za-z0-9\200-\377._/:@%+=,*? -')
no_name = $(shell LC_ALL=C; case '$1' in ([.-]* | *[!A-Za-z0-9._-]*) echo bad;; esac)
$(foreach v,$(texts),$(foreach c,' " ` \ $$,\
  $(if $(findstring $c,$(value $v)),$(error $v=$(value $v): the name holds a $c))))
# A shell looks at all of them at once, and at each only where one is bad.
$(foreach v,$(if $(call special,$(foreach v,$(words),$($v))),$(words)),$(foreach c,$(call special,$($v)),\
  $(error $v=$($v): the name holds a $c)))
$(foreach v,MACHINE HISTORY,$(if $(and $($v),$(call no_name,$($v))),\
  $(error $v=$($v): letters, digits, `.`, `_` and `-`, beginning with none of the last)))
$(foreach v,RESULTS FIGURES REPORT IMAGES,$(if $($v),,$(error $v= is empty; give a folder))\
  $(if $(filter -%,$(firstword $($v))),$(error $v=$($v): programs take that for an option; ./$($v) is a folder)))

# A shell that completes a folder's name puts a slash behind it.
override LAB := $(LAB:/=)
$(if $(filter-out $(ALL_LABS),$(or $(LABS),none)),$(error LABS=$(LABS): some of $(ALL_LABS)))
$(if $(filter-out auto cuda cpu,$(or $(BACKEND),none))$(word 2,$(BACKEND)),\
  $(error BACKEND=$(BACKEND): auto, cuda or cpu))
$(if $(filter-out race asan fuzz lens,$(CHECK))$(word 2,$(CHECK)),$(error CHECK=$(CHECK): race, asan or lens))
$(if $(and $(CHECK),$(filter cuda,$(BACKEND))),\
  $(error CHECK=$(CHECK) is a build for the CPU; on a GPU there is NVIDIA's compute-sanitizer))
$(if $(filter-out one_node several_nodes array grade,$(or $(JOB),none))$(word 2,$(JOB)),\
  $(error JOB=$(JOB): one of one_node several_nodes array grade))
$(foreach v,ACROSS ALL FRESH FULL LEADERBOARD NAMES RESUME V WIDE,\
  $(if $(filter-out 1 yes Yes YES on true True TRUE $(no_words),$($v))$(word 2,$($v)),\
  $(error $v=$($v): yes or no)))
$(if $(and $(call yes,$(FRESH)),$(call yes,$(RESUME))),\
  $(error FRESH=1 starts anew and RESUME=1 goes on: one of them))
$(if $(GPUS),$(if $(shell printf '%s\n' $(foreach g,$(GPUS),$(call quoted,$g)) | \
  grep -vx '[1-9][0-9]*'),$(error GPUS=$(GPUS): numbers of GPUs, such as "1 2 4")))

# B is the newer run of compare-runs, and else the folder to build into.
ifeq ($(MAKECMDGOALS),compare-runs)
  $(if $(and $(B),$(if $(A),,1)),$(error B=$(B) is compared with a run A=, which is missing))
  NEWER := $(B)
  override B :=
  # Runs that are not both given as folders are of this machine, whose name a program knows.
  ASK_MACHINE := $(if $(MACHINE),,$(shell { [ -d '$(A)' ] && [ -d '$(NEWER)' ]; } || echo yes))
else ifneq ($(and $(B),$(filter compare-runs,$(MAKECMDGOALS))),)
  $(error B= is compared by compare-runs and built into by others: please make one after the other)
endif
