/* Which program this is: told by --version and stored in every file that has room for it. */
#ifndef VERSION_H
#define VERSION_H

extern const char boids_version[];  /**< "0.1.0" */
extern const char boids_revision[]; /**< of the source, as git names it, or "unknown" */

#endif
