#!/bin/sh
# grade.sh - a job for Slurm: `make grade` on a node with a GPU. `make submit JOB=grade SUBMISSIONS=DIR
# EXERCISE=2.3 OUT=grades.csv` submits it; arguments are settings of make. Grading goes on where it was.
. cluster/job.sh
run grade "$@"
finish
