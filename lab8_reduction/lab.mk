$(lab)_PROFILE = --sizes 2^24 --blocks 256
