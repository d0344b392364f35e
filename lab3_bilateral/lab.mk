$(lab)_INPUTS = --input '$(PHOTO_FILE)'
$(lab)_PROFILE = --sizes 1024x768 --blocks 16
$(lab)_LIBRARIES = npp
