INPUTS = --input $(IMAGES)/image.bmp --template $(IMAGES)/template.bmp
PROFILE = --sizes 1024x768 --blocks 16

# The dissimilarity map, the match, and the gray image to frame it in.
define PICTURES
$(RUN) $(B)/template --variants naive --check-only $(IMAGES)/image.bmp $(IMAGES)/template.bmp \
  --map "$$pictures/template_map.pgm" --dat "$$pictures/result.dat" \
  --match "$$pictures/template_match.txt" --gray "$$pictures/template_input.pgm"
endef
