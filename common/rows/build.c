#include "build.h"

/* make/build.mk defines BUILD_COMPILER, BUILD_FLAGS and BUILD_COMMIT as texts. */
const build this_build = {
    .compiler = BUILD_COMPILER,
    .flags = BUILD_FLAGS,
    .commit = BUILD_COMMIT,
#ifdef CHECK_BUILD
    .checks = true,
#endif
#ifdef LENS_BUILD
    .counts = true,
#endif
};
