#include "build.h"

/* make/build.mk defines BUILD_COMPILER, BUILD_FLAGS, BUILD_COMMIT and, with a KEY, BUILD_KEY as
 * texts. */
#ifndef BUILD_KEY
#define BUILD_KEY ""
#endif
extern const char lab_source[] __attribute__((weak)); /* of a lab's program alone */
const build this_build = {
    .compiler = BUILD_COMPILER,
    .flags = BUILD_FLAGS,
    .commit = BUILD_COMMIT,
    .key = BUILD_KEY,
    .source = lab_source,
#ifdef CHECK_BUILD
    .checks = true,
#endif
#ifdef LENS_BUILD
    .counts = true,
#endif
};
