#!/bin/sh
# source_sum.sh - source_sum.sh FOLDER: a sum of its sources, a lab's or tools/lens_time's, 16 digits; nothing where there are none.
# Parts, which `make pack` puts beside them, are in them already.
export LC_ALL=C
cd -- "$1" && sources=$(find . ! -name . -prune ! -name 'part_*' \
    \( -name '*.cu' -o -name '*.cuh' -o -name '*.h' -o -name '*.py' \) | sort) || exit 1
# shellcheck disable=SC2086  # names without blanks
[ -z "$sources" ] || cat $sources | sha256sum | cut -c 1-16
