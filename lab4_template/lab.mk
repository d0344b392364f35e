$(lab)_INPUTS = --input '$(IMAGES)/image.bmp' --template '$(IMAGES)/template.bmp'
$(lab)_PROFILE = --sizes 1024x768 --blocks 16
$(lab)_LIBRARIES = npp cufft
