$(lab)_INPUTS = --input '$(SKY_FILE)' --quantise 5
$(lab)_PROFILE = --sizes 1920x1080 --blocks 32x8 --mode 1
