/* If the revision or the flags change, only this file is recompiled. The Makefile defines the names in capitals. */
#include "base/version.h"

#ifdef __clang__
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

const char boids_version[] = BOIDS_VERSION;
const char boids_revision[] = BOIDS_REVISION;
const char boids_compiler[] = COMPILER;
const char boids_flags[] = BOIDS_FLAGS;
