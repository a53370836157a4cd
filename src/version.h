/* Which program this is: told by --version and stored in every file that has room for it. */
#ifndef VERSION_H
#define VERSION_H

extern const char boids_version[];  /**< "0.1.0" */
extern const char boids_revision[]; /**< of the source, as git names it, or "unknown" */
extern const char boids_compiler[]; /**< "gcc 12.2.0" */
extern const char boids_flags[];    /**< compiler flags: CFLAGS, then those that correctness needs */

/** Which numbers runs give: raised by every change after which some run gives others, so that tables of sweeps fly theirs
 * again. */
enum { BOIDS_RESULTS = 3 };

#endif
