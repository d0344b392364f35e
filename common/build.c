#include "build.h"

/* build_info.h, which the Makefile writes, defines these; a build by hand says less. */
#ifndef BUILD_COMPILER
#define BUILD_COMPILER "unknown"
#endif
#ifndef BUILD_FLAGS
#define BUILD_FLAGS "unknown"
#endif
#ifndef BUILD_COMMIT
#define BUILD_COMMIT "unknown"
#endif

const build this_build = {
    .compiler = BUILD_COMPILER,
    .flags = BUILD_FLAGS,
    .commit = BUILD_COMMIT,
#ifdef CHECK_BUILD
    .checks = true,
#endif
};
