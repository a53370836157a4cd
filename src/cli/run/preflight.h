/* Checks and messages before a run. If there are several ranks (engine/mpi/comm.h), all of them call each of these
 * functions. Only rank 0 reads files and standard input, so all ranks have the same configuration. */
#pragma once

#include "base/error.h"
#include "cli/options/options.h"
#include "config/config.h"
#include "trajectory/trajectory.h"

#include <stdbool.h>

/** Check that all ranks run the same build of the program with the same command line. Only --threads may differ.
 *
 * @return false with an error (refused), on all ranks.
 */
bool preflight_check_same(int argc, char **argv, struct error *error);

/** Refuse a run that is not possible with its outputs, its observables, its initial state, its number of ranks or the
 * available memory.
 *
 * @param start the initial state, on rank 0 only; empty if it is random.
 * @param first the step at which the run starts, on rank 0 only.
 * @return false with an error, on all ranks.
 */
bool preflight_check(const struct config *config, const struct options *options, const struct frame *start,
                     uint64_t first, struct error *error);

/** The number of bytes that the flock and its measurement take on this machine. */
double preflight_memory(const struct config *config, const struct options *options);

/** Refuse an initial state with numbers that the arithmetic of the run cannot represent, or that several ranks cannot
 * start from. */
bool preflight_check_start(const struct config *config, const struct frame *start, struct error *error);

/** Print the number of steps of the run, from step `first` on, and its memory on this machine to standard error. */
void preflight_print(const struct config *config, const struct options *options, uint64_t first);

/** Describe a wrapped world that is narrower than twice the radius of a rule, as in studies of density whose
 * paper has other units. Rules for the nearest boids are left out. False if there is none; `text` is then
 * unchanged. */
bool preflight_describe_narrow_world(const struct config *config, char text[CONFIG_TEXT_SIZE]);

/** Print a note if this build has no SIMD code for this machine. */
void preflight_print_note_on_simd(const struct config *config);

/** The same, and a note for a narrow world, and for each angle that looks like radians, such as 6.28 instead
 * of 360. */
void preflight_print_notes(const struct config *config);
