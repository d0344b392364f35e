/*
 * places.h - where in a program something happened, in words, for the engine, the race checker and
 * the lens. Kernels do not see it: <string> and <vector> are most of what a small file of theirs
 * would read.
 */
#ifndef CUDA_CPU_PLACES_H
#define CUDA_CPU_PLACES_H

#include "engine.h"
#include <string>
#include <vector>

namespace cuda_cpu
{

/* "(1,2,3)" */
std::string triple(uint3 v);
/* The kernel's own name, where it has one that the program exports; else as the launch spells it.
 */
std::string kernel_name(const kernel_launch &launch);
/* Tells where the calling thread is: "kernel k, block (0,0,0), thread (3,0,0)", or "host code". */
std::string where();
/* FILE:LINE of addresses in the program's code and of the calls around, but for the engine's own.
 */
std::string source_lines(const std::vector<uintptr_t> &addresses);

} /* namespace cuda_cpu */

#endif
