/* --convert: copy frames of one file to other files, without a run. */
#ifndef CONVERT_H
#define CONVERT_H

#include "cli/options/options.h"
#include "fault.h"
#include "platform/signals.h"

/** Write the frames of options->convert to all outputs, as --every and --first select them. If the file carries its
 * configuration, or --config gives it, the outputs have the bytes that the run itself would have written.
 *
 * @param stop  receives the reason if it ended early.
 * @return false with a fault: refused before an output was started, failed later; incomplete outputs are left as NAME.part.
 */
bool convert_run(const struct options *options, struct stop *stop, struct fault *fault);

#endif
