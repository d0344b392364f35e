INPUTS = --input '$(PHOTO_FILE)'
LIBRARIES = npp
PROFILE = --sizes 1024x768 --blocks 32x8 --type gray
