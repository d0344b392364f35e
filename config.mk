# config.mk - what a user may want to set; each can also be given on make's command line.

# auto: CUDA where nvcc and a GPU are found, else the CPU. cuda, cpu: that one.
BACKEND ?= auto

# GPU architectures to compile for: native (the card's own; a few common ones where there is no
# card), or a list such as "sm_80 sm_90a".
ARCH ?= native

# What runs: lists for the programs' --sizes, --blocks, --trials and --variants; empty for their
# defaults. SIZES_lab2 and the like hold for one lab only.
SIZES ?=
BLOCKS ?=
TRIALS ?=
VARIANTS ?=

# Put before every program that is run, e.g. RUN="srun --gres=gpu:1".
RUN ?=

# The results' folder under data/results/ and the `machine` column; empty for the GPU's name, or
# the CPU's where there is no GPU.
MACHINE ?=

# A picture of your own instead of the rendered one (BMP, PGM, PPM or PNG).
PHOTO ?=

# RESUME=1 goes on with an interrupted run; OPTIONS are handed to the programs as they are.
RESUME ?=
OPTIONS ?=

# Tools. -march=native gives the CPU variants the instructions that this machine has.
CC = gcc
CXX = g++
OPTIMISE ?= -O3 -march=native
CUDA_HOME ?= $(if $(wildcard /usr/local/cuda/bin/nvcc),/usr/local/cuda)
NVCC ?= $(if $(CUDA_HOME),$(CUDA_HOME)/bin/nvcc,$(shell command -v nvcc))
NVIDIA_SMI ?= nvidia-smi

# Nsight Compute's command line, for make profile.
NCU ?= $(or $(shell command -v ncu 2>/dev/null),$(wildcard $(CUDA_HOME)/bin/ncu),$(lastword $(sort $(wildcard /opt/nvidia/nsight-compute/*/ncu))),ncu)

# What run.json calls this version; set it where git is not at hand.
COMMIT ?= $(shell git describe --always --dirty --abbrev=12 2>/dev/null || echo unknown)
