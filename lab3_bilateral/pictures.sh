# pictures.sh - zero to three passes of the filter; one of radius 0 leaves a picture as it is, but
# gray. The part that the figure enlarges is one of the suite's picture. `make pictures` runs this.
# shellcheck shell=sh disable=SC2086  # RUN is a command and its arguments
bilateral="$RUN $B/bilateral --variants naive --check-only"
photo=${PHOTO:-$IMAGES/photo.bmp}
$bilateral --radius 0 "$photo" "$PICTURES/bilateral_0.pgm"
for passes in 1 2 3; do
  $bilateral --passes $passes "$photo" "$PICTURES/bilateral_$passes.pgm"
done
if [ -n "$PHOTO" ]; then
  rm -f "$PICTURES/bilateral_crop.txt"
else
  echo 668 310 112 84 >"$PICTURES/bilateral_crop.txt"
fi
