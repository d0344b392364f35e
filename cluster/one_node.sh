#!/bin/sh
# one_node.sh - a job for Slurm: all experiments and their figures on one node, `make run-all`.
# `make submit JOB=one_node` submits it; arguments are settings of make.
. cluster/job.sh
build all images "$@"
run run-all "$@"
finish
