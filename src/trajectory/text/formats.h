/* The text formats, and the readers of CSV. */
#ifndef TEXT_FORMATS_H
#define TEXT_FORMATS_H

#include "trajectory/agent_list.h"
#include "trajectory/format.h"

extern const struct format format_csv, format_matrix, format_xyz, format_observables;
extern const struct frame_reader_format csv_frames;

/** Read the rows of one frame of CSV, and its step. */
bool csv_read(struct agent_list *rows, uint64_t *step, const struct frame_request *request,
              struct fault *fault);

#endif
