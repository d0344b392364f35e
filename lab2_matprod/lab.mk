LIBRARIES = cblas cublas
PROFILE = --sizes 1024 --blocks 16
