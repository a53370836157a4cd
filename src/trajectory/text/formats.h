/* What text/ has for trajectory/: four formats, and the readers of one of them. */
#ifndef TEXT_FORMATS_H
#define TEXT_FORMATS_H

#include "trajectory/format.h"
#include "trajectory/frames.h"
#include "trajectory/rows.h"

extern const struct format format_csv, format_matrix, format_xyz, format_observables;
extern const struct frames_format csv_frames;

/** Read the rows of one frame of CSV, and its step. */
bool csv_read(struct rows *rows, uint64_t *step, const struct rows_wish *wish, struct fault *fault);

#endif
