/* If the revision or the flags change, only this file is recompiled. The Makefile defines the names in capitals. */
#include "base/version.h"

#ifdef __clang__
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

const char version_number[] = BOIDS_VERSION;
const char version_revision[] = BOIDS_REVISION;
const char version_compiler[] = COMPILER;
const char version_flags[] = BOIDS_FLAGS;
