$(lab)_LIBRARIES = cublas
$(lab)_PROFILE = --sizes 8192x8192 --blocks 32x8
