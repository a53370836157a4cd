/* Version and build of the program, as --version prints them and files store them. */
#pragma once

extern const char version_number[];   /**< "0.1.0" */
extern const char version_revision[]; /**< of the source, as `git describe` prints it, or "unknown" */
extern const char version_compiler[]; /**< "gcc 12.2.0" */
extern const char version_flags[];    /**< compiler flags: CFLAGS, then those that correctness needs */

/** Version of the results. Each change that alters the numbers of some run raises it, so that sweeps repeat their
 * runs. */
enum { BOIDS_RESULTS = 7 };
