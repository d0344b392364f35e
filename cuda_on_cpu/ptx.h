/*
 * ptx.h - what cu2cpp.awk puts for an asm of PTX: a call that is refused, in code that is there for
 * the CPU and used. g++ tells the place of a system header's macro by the line that names it.
 */
#ifndef CUDA_CPU_PTX_H
#define CUDA_CPU_PTX_H

#pragma GCC system_header

#define CUDA_CPU_PTX(...) cuda_cpu_ptx()
__attribute__((error("PTX (asm) is not supported"))) void cuda_cpu_ptx();

#endif
