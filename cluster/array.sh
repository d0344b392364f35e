#!/bin/sh
# array.sh - an array job for Slurm: task N runs lab N, `make run-labN`. `make submit JOB=array`
# submits it; arguments are settings of make. `make plots` draws when all have ended.
. cluster/job.sh
build "$(echo "lab${SLURM_ARRAY_TASK_ID}"_*)" images "$@"
run "run-lab$SLURM_ARRAY_TASK_ID" "$@"
finish
