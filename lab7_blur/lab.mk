INPUTS = --input '$(PHOTO_FILE)'
PROFILE = --sizes 1024x768 --blocks 32x8
