/* An error: one sentence and an exit status, which functions pass up to main. In comments, "(refused)" means ERROR_REFUSED.
 *
 * The function that finds an error writes the sentence, its callers return false, and main prints it after "boids: " and exits
 * with the status. A sentence gives the place, the value found and the value expected:
 * "configs/a.json:12: flock.cohesion.radius is -3; it must be 0 or more".
 */
#pragma once

#include <stdbool.h>

/** Exit status of the program. */
enum error_status {
    ERROR_NONE = 0,
    ERROR_FAILED = 1,  /**< the run failed: a full disk, a file that cannot be read */
    ERROR_REFUSED = 2, /**< the command line or a file's contents were refused; nothing was started */
};

/** The status with which the program exits after ERROR_FAILED: ERROR_FAILED or, if a task uses status 1 for a result, ERROR_REFUSED. For
 * example, --diff exits with 1 only if the files differ. */
extern enum error_status error_failed_status;

struct error {
    enum error_status status;
    char sentence[2048]; /**< one line, without prefix, full stop or newline; longer ones end in "..." */
    char advice[128];    /**< an option of boids and what it does, "presets lists the presets"; or empty */
};

/** Write the sentence, unless there is one already, because the first error is the cause of later ones.
 *
 * @return false, always, so that a function can end with `return error_refuse(error, ...)`.
 */
bool error_set(struct error *error, enum error_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/** Add advice to the sentence that follows: "help " or another option, its argument, and the effect, "lists its keys". The
 * command adds it to the sentence; Python gives the same advice with its functions. Call it before error_refuse().
 *
 * @return false, always.
 */
bool error_advise(struct error *error, const char *option, const char *argument, const char *effect);

/** Print a line with the sentence and the advice to standard error. */
void error_print(const struct error *error, const char *program);

#define error_refuse(error, ...) error_set(error, ERROR_REFUSED, __VA_ARGS__)
#define error_fail(error, ...)   error_set(error, ERROR_FAILED, __VA_ARGS__)

/* clang-tidy sees one file at a time, so it does not know that the result is always false. */
#ifdef __clang_analyzer__
#define error_set(...) (error_set(__VA_ARGS__) && false)
#endif
