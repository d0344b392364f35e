/*
 * behind_shared.cpp - what lies behind a worker's static shared arrays. Nothing else is in this
 * file, which is the engine's first by its name: gcc lays out a file's thread-local variables, the
 * linker puts the engine's files behind those of the kernels, and to a file with others in it it
 * might give an alignment, and so a gap that nobody looks at.
 */
#include "engine.h"

namespace cuda_cpu
{
__thread char guard_zone[sizeof guard_zone] __attribute__((aligned(1)));
}
