/* The one file that is compiled anew when the revision changes; the Makefile defines both names. */
#include "version.h"

const char boids_version[] = BOIDS_VERSION;
const char boids_revision[] = BOIDS_REVISION;
