/*
 * cuda_runtime_api.h - the CUDA runtime's C interface, on the CPU (C11 and C++).
 *
 * Stands in for the toolkit's header of the same name: the same names, numbers and signatures
 * (those of CUDA 13), as far as the suite uses them. README.md tells what each call does here; the
 * calls themselves are in memory.cpp, runtime.cpp and streams.cpp.
 */
#ifndef CUDA_CPU_CUDA_RUNTIME_API_H
#define CUDA_CPU_CUDA_RUNTIME_API_H

#include <stddef.h>
#include "texture_types.h"
#include "vector_types.h"

#define CUDA_ON_CPU    1     /* how a source tells that it is built for the CPU */
#define CUDART_VERSION 13000 /* the interface that this header follows */
#define CUDA_VERSION   13000
#define CUDART_CB
/* By these of the toolkit's guards other headers (NVIDIA's helper_cuda.h) know what is included. */
#define __DRIVER_TYPES_H__
#ifdef __cplusplus
#define __CUDA_RUNTIME_H__
#endif

#ifdef __cplusplus
#define CUDA_CPU_DEFAULT(value) = value
extern "C" {
#else
#define CUDA_CPU_DEFAULT(value)
#endif

/* The errors that can be met here or that source asks for by name: name, number, text. */
#define CUDA_CPU_ERRORS(X)                                                                         \
    X(cudaSuccess, 0, "no error")                                                                  \
    X(cudaErrorInvalidValue, 1, "invalid argument")                                                \
    X(cudaErrorMemoryAllocation, 2, "out of memory")                                               \
    X(cudaErrorInvalidConfiguration, 9, "invalid configuration argument")                          \
    X(cudaErrorInvalidPitchValue, 12, "invalid pitch argument")                                    \
    X(cudaErrorInvalidSymbol, 13, "invalid device symbol")                                         \
    X(cudaErrorInvalidChannelDescriptor, 20, "invalid channel descriptor")                         \
    X(cudaErrorInvalidMemcpyDirection, 21, "invalid copy direction for memcpy")                    \
    X(cudaErrorInvalidFilterSetting, 26, "linear filtering not supported for non-float type")      \
    X(cudaErrorInvalidNormSetting, 27,                                                             \
      "read as normalized float not supported for 32-bit non float type")                          \
    X(cudaErrorInsufficientDriver, 35,                                                             \
      "CUDA driver version is insufficient for CUDA runtime version")                              \
    X(cudaErrorInvalidDeviceFunction, 98, "invalid device function")                               \
    X(cudaErrorNoDevice, 100, "no CUDA-capable device is detected")                                \
    X(cudaErrorInvalidDevice, 101, "invalid device ordinal")                                       \
    X(cudaErrorUnsupportedLimit, 215, "limit is not supported on this architecture")               \
    X(cudaErrorFileNotFound, 301, "file not found")                                                \
    X(cudaErrorInvalidResourceHandle, 400, "invalid resource handle")                              \
    X(cudaErrorIllegalState, 401, "the operation cannot be performed in the present state")        \
    X(cudaErrorNotReady, 600, "device not ready")                                                  \
    X(cudaErrorIllegalAddress, 700, "an illegal memory access was encountered")                    \
    X(cudaErrorAssert, 710, "device-side assert triggered")                                        \
    X(cudaErrorHostMemoryAlreadyRegistered, 712,                                                   \
      "part or all of the requested memory range is already mapped")                               \
    X(cudaErrorHostMemoryNotRegistered, 713,                                                       \
      "pointer does not correspond to a registered memory region")                                 \
    X(cudaErrorLaunchFailure, 719, "unspecified launch failure")                                   \
    X(cudaErrorCooperativeLaunchTooLarge, 720, "too many blocks in cooperative launch")            \
    X(cudaErrorNotSupported, 801, "operation not supported")                                       \
    X(cudaErrorStreamCaptureUnsupported, 900, "operation not permitted when stream is capturing")  \
    X(cudaErrorStreamCaptureInvalidated, 901,                                                      \
      "operation failed due to a previous error during capture")                                   \
    X(cudaErrorStreamCaptureUnmatched, 903, "capture was not initiated in this stream")            \
    X(cudaErrorStreamCaptureUnjoined, 904, "capturing stream has unjoined work")                   \
    X(cudaErrorStreamCaptureIsolation, 905,                                                        \
      "dependency created on uncaptured work in another stream")                                   \
    X(cudaErrorStreamCaptureImplicit, 906,                                                         \
      "operation would make the legacy stream depend on a capturing blocking stream")              \
    X(cudaErrorCapturedEvent, 907,                                                                 \
      "operation not permitted on an event last recorded in a capturing stream")                   \
    X(cudaErrorUnknown, 999, "unknown error")

#define CUDA_CPU_ENUMERATOR(name, number, ...) name = number,
enum cudaError { CUDA_CPU_ERRORS(CUDA_CPU_ENUMERATOR) cudaErrorApiFailureBase = 10000 };
typedef enum cudaError cudaError_t;

enum cudaMemcpyKind {
    cudaMemcpyHostToHost,
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault
};

/* The attributes: name, number, member of the properties, value (the engine's, a GPU's, or 1). */
#define CUDA_CPU_ATTRIBUTES(X)                                                                     \
    X(cudaDevAttrMaxThreadsPerBlock, 1, maxThreadsPerBlock, MAX_THREADS)                           \
    X(cudaDevAttrMaxBlockDimX, 2, maxThreadsDim[0], MAX_THREADS)                                   \
    X(cudaDevAttrMaxBlockDimY, 3, maxThreadsDim[1], MAX_THREADS)                                   \
    X(cudaDevAttrMaxBlockDimZ, 4, maxThreadsDim[2], MAX_BLOCK_Z)                                   \
    X(cudaDevAttrMaxGridDimX, 5, maxGridSize[0], MAX_GRID_X)                                       \
    X(cudaDevAttrMaxGridDimY, 6, maxGridSize[1], MAX_GRID_YZ)                                      \
    X(cudaDevAttrMaxGridDimZ, 7, maxGridSize[2], MAX_GRID_YZ)                                      \
    X(cudaDevAttrMaxSharedMemoryPerBlock, 8, sharedMemPerBlock, DEFAULT_SHARED_BYTES)              \
    X(cudaDevAttrTotalConstantMemory, 9, totalConstMem, 64 * 1024)                                 \
    X(cudaDevAttrWarpSize, 10, warpSize, warpSize)                                                 \
    X(cudaDevAttrMaxRegistersPerBlock, 12, regsPerBlock, REGISTERS)                                \
    X(cudaDevAttrClockRate, 13, clockRate, 1000000)                                                \
    X(cudaDevAttrGpuOverlap, 15, deviceOverlap, 0)                                                 \
    X(cudaDevAttrMultiProcessorCount, 16, multiProcessorCount, multiprocessors())                  \
    X(cudaDevAttrIntegrated, 18, integrated, 1)                                                    \
    X(cudaDevAttrCanMapHostMemory, 19, canMapHostMemory, 1)                                        \
    X(cudaDevAttrComputeMode, 20, computeMode, cudaComputeModeDefault)                             \
    X(cudaDevAttrConcurrentKernels, 31, concurrentKernels, 0)                                      \
    X(cudaDevAttrL2CacheSize, 38, l2CacheSize, cache_size())                                       \
    X(cudaDevAttrMaxThreadsPerMultiProcessor, 39, maxThreadsPerMultiProcessor, MAX_THREADS)        \
    X(cudaDevAttrAsyncEngineCount, 40, asyncEngineCount, 0)                                        \
    X(cudaDevAttrUnifiedAddressing, 41, unifiedAddressing, 1)                                      \
    X(cudaDevAttrComputeCapabilityMajor, 75, major, 8)                                             \
    X(cudaDevAttrComputeCapabilityMinor, 76, minor, 0)                                             \
    X(cudaDevAttrMaxSharedMemoryPerMultiprocessor, 81, sharedMemPerMultiprocessor,                 \
      MULTIPROCESSOR_SHARED_BYTES)                                                                 \
    X(cudaDevAttrMaxRegistersPerMultiprocessor, 82, regsPerMultiprocessor, REGISTERS)              \
    X(cudaDevAttrManagedMemory, 83, managedMemory, 1)                                              \
    X(cudaDevAttrPageableMemoryAccess, 88, pageableMemoryAccess, 0)                                \
    X(cudaDevAttrConcurrentManagedAccess, 89, concurrentManagedAccess, 1)                          \
    X(cudaDevAttrCooperativeLaunch, 95, cooperativeLaunch, 1)                                      \
    X(cudaDevAttrMaxSharedMemoryPerBlockOptin, 97, sharedMemPerBlockOptin, OPT_IN_SHARED_BYTES)    \
    X(cudaDevAttrMaxBlocksPerMultiprocessor, 106, maxBlocksPerMultiProcessor, 1)
enum cudaDeviceAttr { CUDA_CPU_ATTRIBUTES(CUDA_CPU_ENUMERATOR) cudaDevAttrMax };
#undef CUDA_CPU_ENUMERATOR

enum cudaComputeMode { cudaComputeModeDefault, cudaComputeModeProhibited = 2 };
enum cudaFuncCache {
    cudaFuncCachePreferNone,
    cudaFuncCachePreferShared,
    cudaFuncCachePreferL1,
    cudaFuncCachePreferEqual
};
enum cudaLimit { cudaLimitStackSize, cudaLimitPrintfFifoSize, cudaLimitMallocHeapSize };

enum cudaMemoryType {
    cudaMemoryTypeUnregistered,
    cudaMemoryTypeHost,
    cudaMemoryTypeDevice,
    cudaMemoryTypeManaged
};

enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout = 9
};

enum cudaStreamCaptureMode {
    cudaStreamCaptureModeGlobal,
    cudaStreamCaptureModeThreadLocal,
    cudaStreamCaptureModeRelaxed
};

enum cudaStreamCaptureStatus {
    cudaStreamCaptureStatusNone,
    cudaStreamCaptureStatusActive,
    cudaStreamCaptureStatusInvalidated
};

#define cudaHostAllocDefault           0x00
#define cudaHostAllocPortable          0x01
#define cudaHostAllocMapped            0x02
#define cudaHostAllocWriteCombined     0x04
#define cudaHostRegisterDefault        0x00
#define cudaHostRegisterPortable       0x01
#define cudaHostRegisterMapped         0x02
#define cudaMemAttachGlobal            0x01
#define cudaMemAttachHost              0x02
#define cudaMemAttachSingle            0x04
#define cudaDeviceScheduleAuto         0x00
#define cudaDeviceScheduleSpin         0x01
#define cudaDeviceScheduleYield        0x02
#define cudaDeviceBlockingSync         0x04
#define cudaDeviceScheduleBlockingSync 0x04
#define cudaDeviceMapHost              0x08
#define cudaCpuDeviceId                (-1)
#define cudaInvalidDeviceId            (-2)
#define cudaStreamDefault              0x00
#define cudaStreamNonBlocking          0x01
#define cudaStreamLegacy               ((cudaStream_t)0x1)
#define cudaStreamPerThread            ((cudaStream_t)0x2)
#define cudaEventDefault               0x00
#define cudaEventBlockingSync          0x01
#define cudaEventDisableTiming         0x02

typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
typedef struct CUgraph_st *cudaGraph_t;
typedef struct CUgraphExec_st *cudaGraphExec_t;

/* The members of the toolkit's structure that mean something on a CPU, under the same names. */
struct cudaDeviceProp {
    char name[256];
    int major, minor;
    int warpSize, maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
    int multiProcessorCount, maxBlocksPerMultiProcessor, maxThreadsPerMultiProcessor;
    int regsPerBlock, regsPerMultiprocessor;
    size_t sharedMemPerBlock, sharedMemPerBlockOptin, sharedMemPerMultiprocessor;
    size_t reservedSharedMemPerBlock, memPitch, textureAlignment, texturePitchAlignment;
    size_t totalGlobalMem, totalConstMem;
    int l2CacheSize, memoryBusWidth, clockRate, computeMode, asyncEngineCount, deviceOverlap;
    int integrated, canMapHostMemory, unifiedAddressing, managedMemory, pageableMemoryAccess;
    int concurrentKernels, concurrentManagedAccess, cooperativeLaunch;
    /* 0 */
    int kernelExecTimeoutEnabled, ECCEnabled, memoryClockRate, tccDriver, isMultiGpuBoard;
    int pciBusID, pciDeviceID, pciDomainID, streamPrioritiesSupported, computePreemptionSupported;
    int globalL1CacheSupported, localL1CacheSupported, maxTexture1D, maxTexture2D[2];
    int maxTexture3D[3], maxTexture1DLayered[2], maxTexture2DLayered[3];
};

struct cudaPointerAttributes {
    enum cudaMemoryType type;
    int device;
    void *devicePointer, *hostPointer;
};

struct cudaFuncAttributes {
    size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
    int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion;
    int maxDynamicSharedSizeBytes;
};

/* Errors */
cudaError_t cudaGetLastError(void);
cudaError_t cudaPeekAtLastError(void);
const char *cudaGetErrorName(cudaError_t error);
const char *cudaGetErrorString(cudaError_t error);

/* The device */
cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device);
cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int device);
cudaError_t cudaDeviceGetPCIBusId(char *pciBusId, int len, int device);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaDeviceReset(void);
cudaError_t cudaSetDeviceFlags(unsigned int flags);
cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value);
cudaError_t cudaDeviceGetLimit(size_t *pValue, enum cudaLimit limit);
cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache cacheConfig);
cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *prop);
cudaError_t cudaDeviceCanAccessPeer(int *canAccessPeer, int device, int peerDevice);
cudaError_t cudaProfilerStart(void);
cudaError_t cudaProfilerStop(void);
cudaError_t cudaDriverGetVersion(int *driverVersion);
cudaError_t cudaRuntimeGetVersion(int *runtimeVersion);

/* Memory */
cudaError_t cudaMalloc(void **devPtr, size_t size);
cudaError_t cudaMallocPitch(void **devPtr, size_t *pitch, size_t width, size_t height);
cudaError_t cudaMallocManaged(void **devPtr, size_t size,
                              unsigned int flags CUDA_CPU_DEFAULT(cudaMemAttachGlobal));
cudaError_t cudaMallocHost(void **ptr, size_t size);
cudaError_t cudaHostAlloc(void **pHost, size_t size, unsigned int flags);
cudaError_t cudaHostGetDevicePointer(void **pDevice, void *pHost, unsigned int flags);
cudaError_t cudaHostRegister(void *ptr, size_t size, unsigned int flags);
cudaError_t cudaHostUnregister(void *ptr);
cudaError_t cudaMallocAsync(void **devPtr, size_t size, cudaStream_t stream);
cudaError_t cudaFreeAsync(void *devPtr, cudaStream_t stream);
cudaError_t cudaFree(void *devPtr);
cudaError_t cudaFreeHost(void *ptr);
cudaError_t cudaMemGetInfo(size_t *free, size_t *total);
cudaError_t cudaMemcpy(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind,
                            cudaStream_t stream CUDA_CPU_DEFAULT(0));
cudaError_t cudaMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                         size_t height, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream CUDA_CPU_DEFAULT(0));
cudaError_t cudaMemset(void *devPtr, int value, size_t count);
cudaError_t cudaMemsetAsync(void *devPtr, int value, size_t count,
                            cudaStream_t stream CUDA_CPU_DEFAULT(0));
cudaError_t cudaMemset2D(void *devPtr, size_t pitch, int value, size_t width, size_t height);
cudaError_t cudaMemset2DAsync(void *devPtr, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream CUDA_CPU_DEFAULT(0));
cudaError_t cudaMemcpyPeer(void *dst, int dstDevice, const void *src, int srcDevice, size_t count);
cudaError_t cudaMemcpyPeerAsync(void *dst, int dstDevice, const void *src, int srcDevice,
                                size_t count, cudaStream_t stream CUDA_CPU_DEFAULT(0));
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *ptr);

/* Textures */
struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                   enum cudaChannelFormatKind f);
cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
                            size_t width, size_t height CUDA_CPU_DEFAULT(0),
                            unsigned int flags CUDA_CPU_DEFAULT(0));
cudaError_t cudaFreeArray(cudaArray_t array);
cudaError_t cudaMemcpy2DToArray(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src,
                                size_t spitch, size_t width, size_t height,
                                enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DFromArray(void *dst, size_t dpitch, cudaArray_const_t src, size_t wOffset,
                                  size_t hOffset, size_t width, size_t height,
                                  enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyToArray(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src,
                              size_t count, enum cudaMemcpyKind kind);
cudaError_t cudaCreateTextureObject(cudaTextureObject_t *object, const struct cudaResourceDesc *of,
                                    const struct cudaTextureDesc *how,
                                    const struct cudaResourceViewDesc *view);
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object);

/* Streams: streams.cpp tells when their work runs. */
cudaError_t cudaStreamCreate(cudaStream_t *pStream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *pStream, unsigned int flags);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *pStream, unsigned int flags, int priority);
cudaError_t cudaDeviceGetStreamPriorityRange(int *leastPriority, int *greatestPriority);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
typedef void (*cudaStreamCallback_t)(cudaStream_t stream, cudaError_t status, void *userData);
typedef void (*cudaHostFn_t)(void *userData);
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback,
                                  void *userData, unsigned int flags);
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void *userData);
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *devPtr,
                                     size_t length CUDA_CPU_DEFAULT(0),
                                     unsigned int flags CUDA_CPU_DEFAULT(cudaMemAttachSingle));
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
                                unsigned int flags CUDA_CPU_DEFAULT(0));

/* Events: the wall clock */
cudaError_t cudaEventCreate(cudaEvent_t *event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream CUDA_CPU_DEFAULT(0));
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end);

/* Graphs, by capture alone, in .cu files: the labs' harness, in C, has no use for batches of
 * launches here, and learns that they are not supported. */
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode);
cudaError_t cuda_cpu_begin_capture(cudaStream_t stream, enum cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *pGraph);
cudaError_t cudaStreamIsCapturing(cudaStream_t stream,
                                  enum cudaStreamCaptureStatus *pCaptureStatus);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *pGraphExec, cudaGraph_t graph,
                                 unsigned long long flags CUDA_CPU_DEFAULT(0));
cudaError_t cudaGraphLaunch(cudaGraphExec_t graphExec, cudaStream_t stream);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graphExec);

/* Hints about where managed memory lies: it lies where it is. */
enum cudaMemLocationType { cudaMemLocationTypeDevice = 1, cudaMemLocationTypeHost };
struct cudaMemLocation {
    enum cudaMemLocationType type;
    int id;
};
cudaError_t cudaMemPrefetchAsync(const void *devPtr, size_t count, struct cudaMemLocation location,
                                 unsigned int flags, cudaStream_t stream CUDA_CPU_DEFAULT(0));
enum cudaMemoryAdvise {
    cudaMemAdviseSetReadMostly = 1,
    cudaMemAdviseUnsetReadMostly,
    cudaMemAdviseSetPreferredLocation,
    cudaMemAdviseUnsetPreferredLocation,
    cudaMemAdviseSetAccessedBy,
    cudaMemAdviseUnsetAccessedBy
};
cudaError_t cudaMemAdvise(const void *devPtr, size_t count, enum cudaMemoryAdvise advice,
                          struct cudaMemLocation location);

/* Kernels: the dynamic shared memory that one may ask for, and how many blocks run at a time. */
cudaError_t cudaFuncSetAttribute(const void *func, enum cudaFuncAttribute attr, int value);
cudaError_t cudaFuncSetCacheConfig(const void *func, enum cudaFuncCache cacheConfig);
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attr, const void *func);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, const void *func,
                                                          int blockSize, size_t dynamicSMemSize);

/* Libraries: a file is a program here, which runs their kernels (library.cpp). */
typedef struct CUlib_st *cudaLibrary_t;
typedef struct CUkern_st *cudaKernel_t;
enum cudaJitOption { cudaJitMaxRegisters };
enum cudaLibraryOption { cudaLibraryHostUniversalFunctionAndDataTable };
cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *library, const char *fileName,
                                    enum cudaJitOption *jitOptions, void **jitOptionsValues,
                                    unsigned int numJitOptions,
                                    enum cudaLibraryOption *libraryOptions,
                                    void **libraryOptionValues, unsigned int numLibraryOptions);
cudaError_t cudaLibraryUnload(cudaLibrary_t library);
cudaError_t cudaLibraryGetKernel(cudaKernel_t *pKernel, cudaLibrary_t library, const char *name);

/* Launches of a program's own kernel go to this one from now on; to NULL: no more. */
void cuda_cpu_replace_kernel(const void *own, cudaKernel_t kernel);

/* Changes such a launch before it is made. */
void cuda_cpu_reshape_launches(void (*reshape)(dim3 *grid, dim3 block, size_t *shared_bytes));

#ifdef __cplusplus
}
#endif

#endif
