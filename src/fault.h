/* An error: one sentence and an exit status, passed up to main.
 *
 * The function that finds an error writes the sentence, its callers return false, and main prints it after "boids: " and exits
 * with the status. A sentence gives the place, the value found and the value expected:
 * "configs/a.json:12: flock.cohesion.radius is -3; it must be 0 or more".
 */
#ifndef FAULT_H
#define FAULT_H

#include <stdbool.h>

/** Exit status of the program. */
enum fault_status {
    FAULT_NONE = 0,
    FAULT_FAILED = 1,  /**< the run failed: a full disk, a file that cannot be read */
    FAULT_REFUSED = 2, /**< the command line or a file's contents were refused; nothing was started */
};

/** The status with which the program exits after FAULT_FAILED. It is FAULT_REFUSED while 1 is the status of a result:
 * --diff exits with 1 only if the files differ. */
extern enum fault_status fault_failed_status;

struct fault {
    enum fault_status status;
    char sentence[2048]; /**< one line, without prefix, full stop or newline; longer ones end in "..." */
};

/** Write the sentence, unless there is one already, because the first fault is the cause of later ones.
 *
 * @return false, always, so that a function can end with `return fault_refuse(fault, ...)`.
 */
bool fault_refuse(struct fault *fault, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool fault_fail(struct fault *fault, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* clang-tidy sees one file at a time, so it does not know that the result is always false. */
#ifdef __clang_analyzer__
#define fault_refuse(...) (fault_refuse(__VA_ARGS__) && false)
#define fault_fail(...)   (fault_fail(__VA_ARGS__) && false)
#endif

#endif
