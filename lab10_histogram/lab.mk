$(lab)_PROFILE = --sizes 2^28 --blocks 512
