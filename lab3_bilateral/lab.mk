INPUTS = --input '$(PHOTO_FILE)'
PROFILE = --sizes 1024x768 --blocks 16

# Zero to three passes: a filter of radius 0 leaves a picture as it is, but gray. The part that the
# figure enlarges is one of the rendered picture.
define PICTURES
bilateral="$(RUN) $(B)/bilateral --variants naive --check-only"
$$bilateral --radius 0 '$(PHOTO_FILE)' "$$pictures/bilateral_0.pgm"
$(if $(PHOTO),rm -f,echo 668 310 112 84 >) "$$pictures/bilateral_crop.txt"
for passes in 1 2 3; do
  $$bilateral --passes $$passes '$(PHOTO_FILE)' "$$pictures/bilateral_$$passes.pgm"
done
endef
