# pictures.sh - a sky before and after. `make pictures` runs this.
# shellcheck shell=sh disable=SC2086  # RUN is a command and its arguments
$RUN "$B/banding" --variants naive --check-only "${PHOTO:-$IMAGES/sky.bmp}" \
  "$PICTURES/banding_after.ppm" --before "$PICTURES/banding_before.ppm" --quantise 5 --range 63 \
  --threshold-y 31 --threshold-cb 31 --threshold-cr 31
