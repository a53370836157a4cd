/* One sentence about what went wrong, carried up to main.
 *
 * The facts of a failure are known deep in the program and told in one place. Whoever finds it writes the sentence,
 * everyone above hands it on, main prints it after "boids: " and exits with its status. A sentence says where, what
 * was found and what was wanted: "configs/a.json:12: flock.cohesion.radius is -3; it must be 0 or more".
 */
#ifndef FAULT_H
#define FAULT_H

#include <stdbool.h>

/** What the world is told by the exit status. */
enum fault_status {
    FAULT_NONE = 0,
    FAULT_FAILED = 1,  /**< the run failed: a full disk, a file that cannot be read */
    FAULT_REFUSED = 2, /**< the command line or a file's contents were refused; nothing was started */
};

struct fault {
    enum fault_status status;
    char sentence[2048]; /**< one line, without prefix, full stop or newline; longer ones end in "..." */
};

/** Write the sentence, unless there is one already: the first fault is the cause of the others.
 *
 * @return false, always, so that a function can end with `return fault_refuse(fault, ...)`.
 */
bool fault_refuse(struct fault *fault, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool fault_fail(struct fault *fault, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* That it is always false clang-tidy must be told: it sees one file at a time. */
#ifdef __clang_analyzer__
#define fault_refuse(...) (fault_refuse(__VA_ARGS__) && false)
#define fault_fail(...)   (fault_fail(__VA_ARGS__) && false)
#endif

#endif
