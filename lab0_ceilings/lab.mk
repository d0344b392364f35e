# Each measure at a size at which its rate is steady.
$(lab)_PROFILE = --measure copy --sizes 2^28 --blocks 256 | --measure read --sizes 2^28 --blocks 256 | \
  --measure fma --sizes 2^25 --blocks 256 | \
  --measure l2 --sizes 2^23 --blocks 256 | --measure shared --sizes 2^22 --blocks 256 | \
  --measure loads --sizes 2^22 --blocks 256 | --measure int32 --sizes 2^24 --blocks 256 | \
  --measure exp --sizes 2^22 --blocks 256 | --measure tensor_fp16 --sizes 2^25 --blocks 256 | \
  --measure tensor_tf32 --sizes 2^25 --blocks 256 | --measure tensor_int8 --sizes 2^25 --blocks 256 | \
  --measure tensor_fp64 --sizes 2^24 --blocks 256
