# pictures.sh - the dissimilarity map, the match, and the gray image to frame it in. `make pictures`
# runs this.
# shellcheck shell=sh disable=SC2086  # RUN is a command and its arguments
$RUN "$B/template" --variants naive --check-only "$IMAGES/image.bmp" "$IMAGES/template.bmp" \
  --map "$PICTURES/template_map.pgm" --dat "$PICTURES/result.dat" \
  --match "$PICTURES/template_match.txt" --gray "$PICTURES/template_input.pgm"
