/* Frames of one file into others, without flying: --convert. */
#ifndef CONVERT_H
#define CONVERT_H

#include "cli/options/options.h"
#include "fault.h"
#include "platform/signals.h"

/** Write the frames of options->convert to all outputs, through --every and --first. Where the file carries its
 * configuration, or --config gives it, the outputs have the bytes that the run itself would have written.
 *
 * @param stop  why it ended early.
 * @return false with a fault: refused before an output was begun, failed later; what is not complete stays under NAME.part.
 */
bool convert_run(const struct options *options, struct stop *stop, struct fault *fault);

#endif
