/* The interface of libboids: flocks as the program boids steps them, for C programs, Python and the page.
 *
 *     struct boids *flock = boids_create();
 *     if (boids_preset(flock, "adams") || boids_set(flock, "flock.count", "1000") || boids_begin(flock, 0) ||
 *         boids_step(flock, 300))
 *         puts(boids_message(flock));
 *     printf("%016" PRIx64 "\n", boids_hash(flock));                  as boids -c adams ... --steps 300 --hash
 *     boids_free(flock);
 *
 * libboids reads configurations, uses all processors and measures flocks; libflock (flock/simulation.h) is only the core, for
 * programs that must not allocate memory, such as those of a microcontroller.
 *
 * The library prints nothing, never ends the program, installs no signal handlers and has no state outside of its flocks. Different
 * flocks may be used by different threads. One flock is used by one thread at a time, except for boids_cancel().
 *
 * Positions are in world units, velocities in world units per step. A key and its value are those of a configuration file
 * (docs/keys.md). Environment: BOIDS_ISA chooses the instruction set, as in the program.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

/** One flock: its configuration, its state and the message of its last error. */
struct boids;

/** A boid or a predator. */
struct boids_agent {
    double x, y, vx, vy;
};

/** The result of a function. The first three are the exit statuses of the program. */
enum boids_status {
    BOIDS_OK = 0,
    BOIDS_FAILED = 1,    /**< memory ran out, or an agent has left the range of the number type */
    BOIDS_REFUSED = 2,   /**< an argument or a configuration was refused; the flock has not changed */
    BOIDS_CANCELLED = 3, /**< boids_cancel() was called; the flock is at its last whole step */
};

/** The version of the library, such as "1.0.0". */
const char *boids_version(void);

/** The version of the results: if it is the same in two libraries, they compute the same numbers. */
int boids_results(void);

/** Create a flock with the default configuration. The caller frees it with boids_free(). NULL if memory runs out. */
struct boids *boids_create(void);

/** Create a flock with the configuration of another one and its whole schedule. To copy a flock, place the state of boids_get() after
 * boids_begin(), at the step boids_steps(). NULL if memory runs out. */
struct boids *boids_copy(const struct boids *flock);

/** Free a flock; NULL is accepted. In a rule of the flock, it has no effect. */
void boids_free(struct boids *flock);

/** The message of the error of the last function that returned a status other than BOIDS_OK: one line, which the program would
 * print after "boids: ", with "KEY=VALUE" for "--set KEY=VALUE". Empty if that function returned BOIDS_OK. Valid until the next
 * call with this flock. */
const char *boids_message(const struct boids *flock);

/** The advice that the program would add to this message after "; boids --", such as "help flock lists its keys": an option,
 * for `help` the key, and the effect. Empty if there is none. */
const char *boids_advice(const struct boids *flock);

/** Read a configuration: `size` bytes of JSON, which a NUL follows. Keys that it lacks have their defaults.
 *
 * Before boids_begin(), it replaces the configuration. After boids_begin(), the flock continues with this configuration from the next
 * step on, with the changes of the schedule up to the current step. Then only keys that a schedule can change may have new values.
 *
 * @param name the name of its file, for messages.
 * @return BOIDS_REFUSED with the message of the program; BOIDS_FAILED if memory runs out.
 */
enum boids_status boids_configure(struct boids *flock, const char *json, size_t size, const char *name);

/** The same as boids_configure() with the text of a preset, such as "adams". The library contains the presets. BOIDS_REFUSED if
 * no preset has this name. */
enum boids_status boids_preset(struct boids *flock, const char *name);

/** Change a key, as the option --set KEY=VALUE does: texts need no quotes. Before boids_begin(), any key can be changed; after it,
 * only keys that a schedule can change. The change acts like an entry of the schedule at the current step: it lasts until the
 * schedule changes the key at a later step. It also applies if an earlier state is placed, so it must agree with all parts of the
 * schedule. BOIDS_REFUSED with the message of the program. */
enum boids_status boids_set(struct boids *flock, const char *key, const char *value);

/** Change `count` keys as boids_set() does, but all of them or none: their order does not matter if they are
 * valid together. */
enum boids_status boids_set_all(struct boids *flock, const char *const *keys, const char *const *values,
                                size_t count);

/** Check the configuration, allocate the flock and generate its random state at step 0. Call it once, after the
 * configuration.
 *
 * @param threads the number of threads, at most 1024; 0: one per processor. The result does not depend on it.
 */
enum boids_status boids_begin(struct boids *flock, int threads);

/** Replace the state of all agents.
 *
 * @param agents boids by id, then predators. They are rounded to the number type of the flock.
 * @param count the number of boids and predators together; any other number is refused.
 * @param step the step of this state. Random numbers and the schedule continue from this step, which may be
 *   an earlier one; at most 2^53.
 */
enum boids_status boids_place(struct boids *flock, const struct boids_agent *agents, size_t count,
                              uint64_t step);

/** A rule of the caller: a function that is called before each step.
 *
 * @param step    the step of this state.
 * @param agents  the state: `boids` boids, then `predators` predators. Valid during the call.
 * @param changes receives a change of velocity x, y for each boid; at first, all are 0.
 * @return 0, or another number to stop boids_step(), which returns BOIDS_CANCELLED; the flock is at this step.
 */
typedef int boids_rule_function(void *data, uint64_t step, const struct boids_agent *agents, size_t boids,
                                size_t predators, double (*changes)[2]);

/** Add a rule to a flock, or replace the one that it has; NULL removes it. Its changes are added to the velocity that the other rules
 * give, before noise and limits. A flock that is updated in place gets the changes for the state at the start of the step. Equal
 * changes give equal bits on any number of threads and with any instruction set. The flock is locked while
 * the function runs: it may be read, measured and cancelled, and the other functions refuse it. The function
 * may also remove itself; its last changes are those of this call.
 *
 * @param data passed to the function.
 * @param name the key `rule` of the configuration, so that no other program continues the flock without the rule.
 * @return BOIDS_REFUSED if the name is empty or too long. boids_step() refuses a change that the number type cannot hold.
 */
enum boids_status boids_rule(struct boids *flock, boids_rule_function *function, void *data,
                             const char *name);

/** Advance by a number of steps. After BOIDS_FAILED, the flock has no state until boids_place() sets a new one. */
enum boids_status boids_step(struct boids *flock, uint64_t steps);

/** Stop boids_step(): the call that runs now, or else the next one, returns BOIDS_CANCELLED after at most one step. May be called by
 * another thread or a signal handler. boids_step(flock, 0) ends the request. */
void boids_cancel(struct boids *flock);

/** The current step. */
uint64_t boids_steps(const struct boids *flock);

/** The number of boids. `predators`, if not NULL, receives the number of predators. */
size_t boids_count(const struct boids *flock, size_t *predators);

/** Copy the state of all agents to `agents`: boids by id, then predators. */
void boids_get(const struct boids *flock, struct boids_agent *agents);

/** A hash of the state, as the option --hash prints it: equal states have equal hashes on every machine. */
uint64_t boids_hash(const struct boids *flock);

/** The name of observable `k`, counted from 0; NULL after the last one (docs/observables.md). */
const char *boids_observable(size_t k);

/** Measure the current state with the radii of the rules that made it: they include changes of the schedule at earlier steps, and
 * all changes by the caller up to now.
 *
 * @param names one or more observables, separated by commas ("polarization, milling"); NULL: all.
 * @param values receives one number per name; NAN if the observable is undefined.
 * @param count the room in `values`.
 * @return BOIDS_REFUSED if a name is unknown or empty or `count` is too small, BOIDS_FAILED if memory runs out.
 */
enum boids_status boids_measure(struct boids *flock, const char *names, double *values, size_t count);

/** The pairs of agents whose distance is in one ring. */
struct boids_ring {
    double pairs;    /**< their number */
    double products; /**< the sum of their products vx * vx + vy * vy, for velocity correlations */
};

/** Add pairs of agents to rings: each agent in [begin, end) with all agents after it. The range from 0 to `count` adds each
 * pair once; several threads can share it. Needs no flock; 3 ns per pair.
 *
 * @param agents `count` positions and velocities. Ring k has the distances from k to less than k + 1, so divide positions
 *               by the width of a ring. They are finite and, on a torus, from 0 to less than its size.
 * @param width the width of the torus, on which distances are to the nearest image; INFINITY on a plane
 * @param height its height, or INFINITY
 * @param rings  `ring_count` sums, at most 2^31 - 1. Pairs beyond the last ring are left out.
 * @return BOIDS_FAILED if memory runs out; the sums have not changed.
 */
enum boids_status boids_pairs(const struct boids_agent *agents, size_t count, size_t begin, size_t end,
                              double width, double height, struct boids_ring *rings, uint32_t ring_count);

/** The standard error of the mean of a series of correlated values, as in `--summary` (docs/observables.md).
 *
 * @param time receives the integrated autocorrelation time, in units of the interval between two values.
 * @return NAN, also in `time`, for fewer than 32 values; `time` is NAN if all values are equal.
 */
double boids_error_of_mean(const double *values, size_t count, double *time);

/** Find the neighbours of each place, the other places whose distance is less than a radius, with a cell list. Needs no flock.
 *
 * @param places `count` positions x, y, at most 2^31 - 1 and, on a torus, from 0 to less than its size. NAN: a place without neighbours.
 * @param width the width of the torus, on which distances are to the nearest image; INFINITY on a plane.
 * @param height its height, or INFINITY.
 * @param room the length of `near` and `ways`, at least 1.
 * @param ends receives, for each place, the end of its neighbours in `near`, which begin where those of the place before end. If the
 *             last end is `room` or more, there was not enough room, and `near` and `ways` are undefined.
 * @param near receives the indices of the neighbours, those of a place in no defined order.
 * @param ways receives the vectors to them.
 * @return BOIDS_FAILED if memory runs out.
 */
enum boids_status boids_near(const double (*places)[2], size_t count, double radius, double width,
                             double height, size_t room, int64_t *ends, int64_t *near, double (*ways)[2]);

/** Add up rows of numbers: for each place, those of its neighbours. A place without neighbours has the sum 0.
 *
 * @param ends   `count` ends of boids_near().
 * @param rows   `width` numbers for each neighbour.
 * @param sums   receives `width` numbers for each place.
 */
void boids_sums(const int64_t *ends, size_t count, const double *rows, size_t width, double *sums);

/** The configuration as JSON on one line with all keys.
 *
 * @param is_whole 0: the configuration in effect. The changes of the schedule up to the current step are applied, and removed
 *   from the schedule. 1: the schedule is whole.
 * @return a text of the flock, valid until the next call of this function or boids_free(); NULL with a message if boids_begin() would
 *   refuse the configuration or memory runs out.
 */
const char *boids_config(struct boids *flock, int is_whole);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
