INPUTS = --input '$(SKY_FILE)' --quantise 5
PROFILE = --sizes 1920x1080 --blocks 32x8 --mode 1

# A sky before and after.
define PICTURES
$(RUN) $(B)/banding --variants naive --check-only '$(SKY_FILE)' "$$pictures/banding_after.ppm" \
  --before "$$pictures/banding_before.ppm" --quantise 5 --range 63 --threshold-y 31 \
  --threshold-cb 31 --threshold-cr 31
endef
