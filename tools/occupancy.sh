#!/bin/sh
# occupancy.sh - how the kernels of some programs would fill a multiprocessor of a card.
# usage: MAKE=make NVCC=/usr/local/cuda/bin/nvcc BLOCKS="8 16" WIDE=yes LABS=lab2_matprod \
#          sh tools/occupancy.sh CARD PROGRAM...
#
# Registers and shared memory are those that nvcc gives for the nearest architecture, at most the
# card's where it has one; without nvcc those of the recorded H200's rows, and the programs say so.
set -u
card=$1
shift

if [ -x "$NVCC" ]; then
  wanted=$("$1" --occupancy-of "$card" --print-machine) || exit 2
  arch=$("$NVCC" --list-gpu-code | awk -F _ -v card="${wanted#sm_}" '
    { n = $2 + 0; if (n <= card + 0 && n > below) below = n; if (!least || n < least) least = n }
    END { n = below ? below : least; print "sm_" n (n >= 90 ? "a" : "") }')
  [ "${arch%a}" = "$wanted" ] ||
    echo "nvcc does not compile for $wanted; registers are those of $arch"
  "$MAKE" -s LABS="$LABS" "build/resources/$arch.csv" || exit 1
  resources=build/resources/$arch.csv
fi
for program do
  "$program" --occupancy-of "$card" ${resources:+--resources "$resources"} \
    ${WIDE:+--wide} ${BLOCKS:+--blocks "$BLOCKS"} || exit
done
