# run.mk - runs of labs, and jobs for a cluster.

# The GPU's short name, or the CPU's: any program tells. Used in recipes whose target needs NAMER.
# With GPUS it is a machine of so many, nvidia-h200-x4; one alone is what it was.
NAMER := $(firstword $(PROGRAMS))
of_gpus := $(patsubst %,-x%,$(filter-out 1,\
             $(lastword $(if $(GPUS),$(shell printf '%s\n' $(GPUS) | sort -n)))))
machine = $(or $(MACHINE),\
  $(eval machine := $(shell $(RUN) $(NAMER) --print-machine)$(of_gpus))$(machine))
results = $(RESULTS)/$(machine)

# option NAME,VALUE: if there is one
option = $(if $2,$1 $(call quoted,$2))
sizes_of = $(or $(SIZES_$1),$(SIZES_$(call number,$1)),$(SIZES))
command = $(RUN) $(B)/$(call program,$1) $($1_INPUTS) --results '$(RESULTS)' \
  $(if $(CHECK),--check-only) $(call option,--machine,$(if $(of_gpus),$(machine),$(MACHINE))) \
  $(call option,--variants,$(VARIANTS)) $(call option,--sizes,$(call sizes_of,$1)) \
  $(call option,--blocks,$(BLOCKS)) $(call option,--trials,$(TRIALS)) \
  $(call option,--cpu-limit,$(CPU_LIMIT)) $(if $(call yes,$(FULL)),--full) \
  $(if $(call yes,$(WIDE)),--wide) $(if $(call yes,$(RESUME)),--resume) $(OPTIONS)
fresh = $(if $(call yes,$(FRESH)),--fresh)
# With GPUS a lab that has variants for several runs once more; the rows before are to stay.
DIVIDED := $(if $(GPUS),$(patsubst %/,%,$(dir $(shell grep -l '^ *\.divided *=' lab*_*/*.cu))))
export MPIRUN
run_lab = run_lab $1 $(call command,$1) $(fresh); \
  $(if $(filter $1,$(DIVIDED)),run_again $(call command,$1) --gpus '$(GPUS)';)
begin_runs = HISTORY='$(call yes,$(HISTORY))' VARIANTS=$(call quoted,$(VARIANTS)); . tools/run.sh; \
  begin_runs '$(RESULTS)' '$(FIGURES)' $1;

$(ALL_LABS:%=run-%): run-%: % $(if $(of_gpus),$(NAMER))
	@$(call begin_runs,$*) $(call run_lab,$*) end_runs
$(foreach lab,$(ALL_LABS),$(eval run-$(call number,$(lab)): run-$(lab))\
  $(if $($(lab)_INPUTS),$(eval run-$(lab): images)))

# One lab after the other, so that none disturbs another's times; a wrong result is reported at the
# end, when all have run.
run-all: all images ## run every experiment, draw the figures
	@$(call begin_runs,$(LABS)) $(foreach lab,$(LABS),$(call run_lab,$(lab))) \
	for goal in pictures plots; do \
	  after_runs $(MAKE) $$goal MACHINE="$$machine" BACKEND='$(BACKEND)' ARCH='$(ARCH)'; \
	done; \
	end_runs

# The variants for several GPUs alone, of the labs that have them.
run-gpus: all images
	$(if $(GPUS),,$(error run-gpus: on how many? GPUS="1 2 4"))
	@$(call begin_runs,$(DIVIDED)) $(foreach lab,$(DIVIDED),\
	  run_lab $(lab) $(call command,$(lab)) --gpus '$(GPUS)' $(fresh);) end_runs

# Rows for docs/accuracy.md, and for two other seeds the errors. They are made in a folder of their own,
# whose run.json is not that of lab 2's sweep.
errors = $(results)/accuracy
accuracy: lab2_matprod ### lab 2's errors and times on each kind of data
	@mkdir -p '$(errors)'; both='tensor_split tensor_int8_slices'; \
	$(if $(call yes,$(RESUME)),,rm -f '$(errors)'/* '$(results)'/accuracy_*.csv;) \
	for seed in 1 2 3; do \
	  for kind in $$($(B)/matprod --data none 2>&1 | sed 's/.*none of //; s/,//g'); do \
	    set -- --data $$kind --machine '$(machine)' --csv '$(errors)'/accuracy_$$seed.csv \
	      $(if $(call yes,$(RESUME)),--resume) --variants "cublas $$both"; \
	    if [ $$seed = 1 ]; then \
	      $(RUN) $(B)/matprod "$$@" --sizes '512 2048' --all-rows 1 && \
	      $(RUN) $(B)/matprod "$$@ tensor_fp32" --sizes 4096; \
	    else \
	      $(RUN) $(B)/matprod "$$@" --sizes '512 2048' --all-rows 1 --check-only --seed $$seed; \
	    fi && $(RUN) $(B)/matprod "$$@" --variants 'cublas tensor_mixed' --sizes 1024x1024x4096 --all-rows 1 \
	      --check-only --seed $$seed || exit; \
	  done; \
	  cp '$(errors)'/accuracy_$$seed.csv '$(results)'; \
	done

# A lab's pictures.sh writes into the folder $PICTURES.
pictures: all images ### write the pictures that figures show
	@set -e; export PICTURES='$(results)/pictures' $(call with,B RUN IMAGES PHOTO); \
	mkdir -p "$$PICTURES"; \
	for script in $(wildcard $(LABS:%=%/pictures.sh)); do sh -e $$script >/dev/null; done

# Each part takes some minutes. Of a GPU its counters and FP32's accuracy are part of it, and several
# GPUs where they are.
of_a_gpu = $(if $(filter cuda,$(BACKEND)),$(LABS:%='profile LABS=%') $(if $(filter lab2_matprod,$(LABS)),accuracy))
gpus_here = $(filter-out 0,$(if $(and $(filter cuda,$(BACKEND)),$(ranks_FLAGS)),\
  $(shell $(RUN) $(NVIDIA_SMI) --list-gpus 2>/dev/null | awk '/^GPU/ { if (++n == 2^k) { k++; print n } }')))
record: all images ### tests, sweeps, counters: what data/reference/MACHINE holds
	@MAKE='$(MAKE)' sh tools/record.sh $(call quoted,$(COMMIT)) '$(results)' \
	  'data/reference/$(machine)' test-all $(LABS:%='run-% FULL=1') $(of_a_gpu) \
	  $(if $(word 2,$(gpus_here)),'run-gpus GPUS="$(gpus_here)"') pictures

# A job for Slurm is given the settings of this command line; those of config.mk it reads itself.
OF_SUBMIT := JOB PARTITION ACCOUNT TIME_LIMIT GPU_TYPE NODE_GPUS NODES SBATCH_OPTIONS
one_node_job = --nodes=1 --ntasks=1
grade_job = $(one_node_job)
several_nodes_job = --nodes=$(call quoted,$(NODES)) --ntasks-per-node=$(call quoted,$(NODE_GPUS))
array_job = $(one_node_job) --array=$(subst $(space),$(comma),$(strip \
  $(foreach lab,$(LABS),$(patsubst lab%,%,$(call number,$(lab))))))
partitions = $(sort $(shell sinfo --noheader --format=%R 2>/dev/null))
unknown_partition = $(if $(partitions),$(filter-out $(partitions),$(subst $(comma), ,$(PARTITION))))
gpus = $(if $(filter cpu,$(BACKEND)),,gpu:$(GPU_TYPE:%=%:)$(NODE_GPUS))
sbatch_option = $(if $2,--$1=$(call quoted,$2))
submit: ### a job for Slurm: JOB=one_node|several_nodes|array|grade
	$(if $(shell command -v sbatch),,\
	  $(error submit needs sbatch: jobs are submitted on a node of a cluster that has Slurm))
	$(if $(unknown_partition),$(error PARTITION=$(PARTITION): some of $(partitions)))
	@mkdir -p '$(RESULTS)'
	$(strip sbatch --job-name=$(JOB) $($(JOB)_job) --requeue --signal=B:USR1@60 --open-mode=append \
	  --output='$(RESULTS)/%x-$(if $(filter array,$(JOB)),%A_%a,%j).out' \
	  $(call sbatch_option,partition,$(PARTITION)) $(call sbatch_option,account,$(ACCOUNT)) \
	  $(call sbatch_option,time,$(TIME_LIMIT)) $(call sbatch_option,gres,$(gpus)) $(SBATCH_OPTIONS) \
	  cluster/$(JOB).sh $(foreach v,$(sort $(filter-out $(OF_SUBMIT),$(given))),$v=$(call quoted,$($v))))
