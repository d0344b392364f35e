#!/bin/sh
# several_nodes.sh - a job for Slurm: the variants over several GPUs, a task a GPU, on all GPUs of
# the job, or with GPUS="1 2 4" on so many in turn. `make submit JOB=several_nodes` submits it;
# arguments are settings of make. RUN= starts the tasks in another way than below.
. cluster/job.sh
gpus=$SLURM_NTASKS run='srun --mpi=pmix --kill-on-bad-exit' labs='' worst=0
for setting; do
  shift
  case $setting in
  GPUS=*) gpus=${setting#GPUS=} ;;
  RUN=*) run=${setting#RUN=} ;;
  LABS=*) labs=${setting#LABS=} ;;
  *) set -- "$@" "$setting" ;;
  esac
done
# Labs that have such variants.
: "${labs:=$(grep -l '\.divided' lab*_*/*.cu | sed 's|/.*||')}"

# shellcheck disable=SC2086  # names without blanks
build $labs images "$@"
for lab in $labs; do
  fresh='' # FRESH=1 is for the first number of GPUs
  for count in $gpus; do
    run "run-$lab" OPTIONS=--divided GPUS= "$@" $fresh RUN="$run --ntasks=$count"
    [ "$status" -le "$worst" ] || worst=$status
    [ -z "$out_of_time" ] || finish
    fresh=FRESH=
  done
done
status=$worst
finish
