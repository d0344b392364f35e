$(lab)_INPUTS = --input '$(PHOTO_FILE)'
$(lab)_LIBRARIES = npp
$(lab)_PROFILE = --sizes 1024x768 --blocks 32x8 --type gray
