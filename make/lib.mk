# lib.mk - lab 2's product as a library: fp32_gemm/. For compute capability 9.0, whatever ARCH says.

LIB_FLAGS := -std=c++20 -O3 -gencode arch=compute_90a,code=sm_90a -Icommon -Ilab2_matprod -Ifp32_gemm \
  -Xcompiler $(subst $(space),$(comma),$(strip $(WARN) -Wno-unused-function -O3 -fPIC -fvisibility=hidden))
LIB_OBJECTS := $(addprefix $(B)/fp32_gemm/,fp32_gemm.o tensor_thirds.o)
LIBRARIES := $(B)/libfp32_gemm.so $(B)/fp32_gemm_preload.so

lib: $(if $(filter cuda,$(BACKEND)),$(LIBRARIES),no-lib-on-a-cpu) ### lab 2's product as a library, and for programs that call cuBLAS
	@echo "$(B)/libfp32_gemm.so: its functions are in fp32_gemm/fp32_gemm.h"
	@echo "LD_PRELOAD=$$PWD/$(B)/fp32_gemm_preload.so FP32_GEMM_LOG=- program"
no-lib-on-a-cpu:
	@echo "lib: it is for GPUs of compute capability 9.0; BACKEND=cuda builds it where nvcc is" >&2; exit 1

$(B)/fp32_gemm/fp32_gemm.o: fp32_gemm/fp32_gemm.cu
$(B)/fp32_gemm/tensor_thirds.o: lab2_matprod/tensor_thirds.cu
$(LIB_OBJECTS): $(B)/build_flags
	$(call step,NVCC,$(filter %.cu,$^)) $(NVCC) $(LIB_FLAGS) -MMD -MP -MF $(@:.o=.d) -c $(filter %.cu,$^) -o $@
$(B)/fp32_gemm/preload.o: fp32_gemm/preload.c $(B)/build_flags
	$(call step,CC,$<) $(CC) -std=gnu11 $(WARN) -O2 -fPIC -isystem $(CUDA_ROOT)/include -MMD -MP -c $< -o $@

$(LIBRARIES): $(LIB_OBJECTS)
	$(call step,LD,$@) $(NVCC) -shared -gencode arch=compute_90a,code=sm_90a $^ -o $@ -Xlinker -z,defs
$(B)/fp32_gemm_preload.so: $(B)/fp32_gemm/preload.o

# It multiplies by lab 2's program, too; its main() comes before the lab's.
$(B)/drawn/drawn_data.o: tests/fp32_gemm/drawn_data.cu $(B)/build_flags
	$(call step,NVCC,$<) $(NVCC) $(LIB_FLAGS) -MMD -MP -MF $(@:.o=.d) -c $< -o $@
$(B)/tests/drawn_data: $(B)/drawn/drawn_data.o $(call objects,lab2_matprod) $(B)/libcommon.a $(B)/libfp32_gemm.so
	$(call step,LD,$@) $(LINK) $(call library_flags,lab2_matprod,LIBS) -L$(B) -lfp32_gemm -Xlinker -rpath \
	  -Xlinker '$$ORIGIN/..' -Xlinker --allow-multiple-definition
$(B)/tests/random_calls: $(B)/tests/%: tests/fp32_gemm/%.cu tests/fp32_gemm/drawing.cuh $(B)/libfp32_gemm.so
	$(call step,NVCC,$<) $(NVCC) $(LIB_FLAGS) $< -o $@ -L$(B) -lfp32_gemm -lcublas -Xlinker -rpath -Xlinker '$$ORIGIN/..'
$(B)/tests/plain_sgemm: tests/fp32_gemm/plain_sgemm.c $(B)/build_flags
	$(call step,CC,$<) $(NVCC) -O2 $< -o $@ -lcublas
