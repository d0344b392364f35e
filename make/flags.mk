# flags.mk - the backend; compilers, flags and libraries, the same in every lab.

# Asked once, and only if something wants to know: with RUN the answer may be a job's in a queue.
COMPUTE_CAPABILITY = $(eval COMPUTE_CAPABILITY := $(shell $(RUN) $(NVIDIA_SMI) \
  --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | \
  sed -n '1s/^\([0-9]*\)\.\([0-9]*\)$$/\1\2/p'))$(COMPUTE_CAPABILITY)

NEEDS_NO_BUILD := help list-settings handout setup setup-dev setup-report lint format clean submit \
  class $(if $(ASK_MACHINE),,compare-runs)
ifneq ($(CHECK),)
  override BACKEND := cpu
else ifneq ($(filter-out $(NEEDS_NO_BUILD),$(or $(MAKECMDGOALS),help)),)
  override BACKEND := $(or $(filter-out auto,$(BACKEND)),\
    $(if $(and $(wildcard $(NVCC)),$(COMPUTE_CAPABILITY)),cuda,cpu))
endif
override B := $(or $(B),build/$(BACKEND)$(CHECK:%=-%))
# The builds race and lens differ from the plain one in their kernels: common/'s C and the engine are the same, and
# lie there.
PLAIN := $(if $(filter race lens,$(CHECK)),$(B:build/cpu-$(CHECK)=build/cpu),$(B))

CXX_NAME := $(shell $(CXX) --version 2>/dev/null | head -1)
# What clang cannot vectorise as g++ does is no warning.
WARN := -Wall -Wextra -Wno-missing-field-initializers -Wno-unknown-pragmas \
  $(if $(findstring clang,$(CXX_NAME)),-Wno-pass-failed)
# Where variables are kept only a debugger wants to know, who takes -Og: a fifth of g++'s time, of instrumented
# kernels half.
HOST_FLAGS := $(OPTIMISE) -g $(if $(findstring clang,$(CXX_NAME))$(filter -Og,$(OPTIMISE)),,-fno-var-tracking) -fopenmp
LIBS := -lm
CPPFLAGS := -Icommon

# package NAME,PACKAGE,FLAG: NAME_FLAGS and NAME_LIBS, which are empty where pkg-config knows none.
package = $(eval found := $(shell pkg-config --cflags --libs $2 2>/dev/null))$(if $(found),\
  $(eval $1_FLAGS := $3 $(filter -I% -D%,$(found)))$(eval $1_LIBS := $(filter-out -I% -D%,$(found))))
$(call package,png,libpng,-DHAVE_PNG)
$(call package,jpeg,libjpeg,-DHAVE_JPEG)
$(call package,cblas,openblas,-DHAVE_CBLAS)
CPPFLAGS += $(png_FLAGS) $(jpeg_FLAGS)
LIBS += $(png_LIBS) $(jpeg_LIBS)

# shared_library FOLDER,NAME: flags for lib$2.so there, or for one that has a version only, as Python
# packages do.
shared_library = $(patsubst %,-Xlinker % -Xlinker -rpath -Xlinker $1,\
                   $(firstword $(wildcard $1/lib$2.so) $(sort $(wildcard $1/lib$2.so.*))))
ifneq ($(MPI_HOME),)
  mpi_FLAGS := -I$(MPI_HOME)/include
  mpi_LIBS := $(call shared_library,$(MPI_HOME)/lib,mpi)
else
  $(foreach p,ompi-c mpich,$(if $(mpi_LIBS),,$(call package,mpi,$p)))
endif

CUDA_ROOT := $(or $(patsubst %/bin/nvcc,%,$(filter %/bin/nvcc,$(realpath $(NVCC)))),$(CUDA_HOME))
LIBRARY_NAMES := cblas cublas npp cufft curand # that a lab's lab.mk may ask for

# In the order in which a linker wants them; the engine last: its guard lies behind the kernels'
# shared arrays.
parts = $(filter-out $(ENGINE),$(filter %.o,$^)) $(filter %.a,$^) $(filter $(ENGINE),$^)
ifeq ($(BACKEND),cuda)
  $(if $(and $(wildcard $(NVCC)),$(CUDA_ROOT)),,\
    $(error BACKEND=cuda needs nvcc; set CUDA_HOME to the toolkit's folder, or use BACKEND=cpu))
  CPPFLAGS += -isystem $(CUDA_ROOT)/include

  # 9.0 and later have features (wgmma, TMA) that only the architecture's `a` form offers.
  ifeq ($(ARCH),native)
    override ARCH := $(strip $(foreach c,$(or $(COMPUTE_CAPABILITY),75 80 90),\
                       sm_$c$(if $(filter 9% 10% 11% 12%,$c),a)))
  endif
  GENCODE := $(foreach a,$(ARCH),-gencode arch=$(a:sm_%=compute_%),code=$a)

  # toolkit NAME,HEADER,FLAG,LIBRARIES
  toolkit = $(if $(wildcard $(CUDA_ROOT)/include/$2),$(eval $1_FLAGS := $3)$(eval $1_LIBS := $4))
  $(call toolkit,cublas,cublas_v2.h,-DHAVE_CUBLAS,-lcublas)
  $(call toolkit,npp,nppi_filtering_functions.h,-DHAVE_NPP,-lnppif -lnppist -lnppc)
  $(call toolkit,cufft,cufft.h,-DHAVE_CUFFT,-lcufft)
  $(call toolkit,curand,curand.h,-DHAVE_CURAND,-lcurand)
  NCCL_ROOT := $(firstword $(foreach d,$(or $(NCCL_HOME),$(CUDA_ROOT) /usr /usr/local),\
                 $(if $(wildcard $d/include/nccl.h),$d)))
  nccl_FLAGS := $(if $(NCCL_HOME),-isystem $(NCCL_ROOT)/include)
  nccl_LIBS := $(if $(NCCL_ROOT),$(or $(if $(NCCL_HOME),\
                 $(call shared_library,$(NCCL_ROOT)/lib,nccl)),-lnccl))
  CU_FLAGS := -std=c++20 -O3 -lineinfo $(GENCODE) \
              -Xcompiler $(subst $(space),$(comma),$(strip $(WARN) $(HOST_FLAGS)))
  LINK = $(NVCC) $(GENCODE) -Xcompiler -fopenmp $(parts) -o $@ $(LIBS)
  RELEASE := $(shell $(NVCC) --version | sed -n 's/^Cuda comp.*, release \([^,]*\).*/\1/p')
  COMPILER := nvcc $(RELEASE), $(shell $(CC) --version | head -1)
else
  CPPFLAGS += -Icuda_on_cpu
  CHECK_FLAGS := $(if $(CHECK),-DCHECK_BUILD) $(if $(filter lens,$(CHECK)),-DLENS_BUILD) # for kernels, and rows
  CPU_SOURCES := $(filter-out %/racecheck.cpp %/lens.cpp,$(sort $(wildcard cuda_on_cpu/*.cpp)))
  ENGINE_FLAGS := $(HOST_FLAGS)
  # DWARF 4: binutils 2.40 takes some line numbers of DWARF 5 for the rewritten file's. A barrier that a
  # function ends with is a call of its own: the engine tells barriers apart by where they are called.
  KERNEL_FLAGS := -gdwarf-4 -fno-optimize-sibling-calls
  # Registers that are given out loop by loop, and addresses carried forward, take asan a seventh of g++'s time.
  ifeq ($(CHECK),asan)
    HOST_FLAGS := -Og -g -fno-var-tracking -fira-region=one -fno-forward-propagate -fopenmp \
                  -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
    ENGINE_FLAGS := $(HOST_FLAGS)
    LIBS += -fsanitize=address,undefined
  else ifeq ($(CHECK),race)
    KERNEL_FLAGS += -O1 -fsanitize=thread,alignment
    CPU_SOURCES += cuda_on_cpu/racecheck.cpp
  else ifeq ($(CHECK),lens) # in the source's order, with arrays in memory: as the lens tells them
    KERNEL_FLAGS += -O2 -fno-tree-sra -fno-reorder-blocks -fno-thread-jumps \
                    -fno-tree-vectorize -fno-store-merging -fpeel-loops -fsanitize=thread -fsanitize-coverage=trace-pc
    CPU_SOURCES += cuda_on_cpu/lens.cpp
  else ifeq ($(CHECK),fuzz) # of `make test-fuzz`; of gcc's headers clang takes that of OpenMP
    override CC := clang
    FUZZER := -fsanitize=address,undefined,fuzzer
    HOST_FLAGS := -O1 -g $(FUZZER)-no-link -fno-sanitize-recover=undefined -Wno-unused-variable \
                  -idirafter $(dir $(shell gcc -print-file-name=include/omp.h))
    ENGINE_FLAGS := -O1 -g -fopenmp
  endif
  nccl_LIBS := $(if $(CHECK),,-lm) # cuda_on_cpu has NCCL's calls, on MPI; checks are of one process
  CU_FLAGS := -std=c++20 $(WARN) $(ENGINE_FLAGS) $(KERNEL_FLAGS) $(CHECK_FLAGS)
  # Where it is, gold links in half the time of ld.bfd.
  LIBS += $(if $(wildcard $(addsuffix /ld.gold,$(subst :,$(space),$(PATH)))),-fuse-ld=gold)
  LINK = $(CXX) -fopenmp -rdynamic $(parts) -o $@ $(LIBS) -lboost_context
  COMPILER := $(CXX_NAME)
  $(if $(and $(CHECK),$(findstring clang,$(COMPILER))),$(error CHECK=$(CHECK) is a build by g++))
endif

# Several GPUs need both.
ifneq ($(and $(mpi_LIBS),$(nccl_LIBS)),)
  ranks_FLAGS := -DHAVE_RANKS -DOMPI_SKIP_MPICXX $(nccl_FLAGS) $(mpi_FLAGS:-I%=-isystem %)
  CPPFLAGS += $(ranks_FLAGS)
  LIBS += $(mpi_LIBS) $(nccl_LIBS)
endif
