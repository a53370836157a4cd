/* The table of trajectory formats, in the order of messages. --help, the manual page, the completions, the
 * refusals of outputs and the tests use these rows.
 *
 *     FORMAT(IDENTIFIER, name, ending, other ending or NULL, title, writer, reader or NULL, flags, sentence)
 *
 * The columns are explained at struct trajectory_format_row. COMMA is the text between two rows, OR the text before the last row.
 */
#pragma once

// clang-format off
#define TRAJECTORY_FORMATS(FORMAT, COMMA, OR) \
    FORMAT(CSV, "csv", "csv", NULL, "CSV", &format_csv, &csv_frames, 0, \
           "One row per agent and frame, with step, type and id. It can be read again, but not resumed") COMMA \
    FORMAT(MATRIX, "matrix", "txt", NULL, "matrix text", &format_matrix, NULL, FORMAT_NEEDS_FRAME_COUNT, \
           "Four rows per frame (x, y, vx, vy) with one column per boid, without predators, steps and ids. The first line has the numbers of rows and columns; on standard output, the planned ones") COMMA \
    FORMAT(XYZ, "xyz", "xyz", NULL, "XYZ", &format_xyz, NULL, FORMAT_NEEDS_CONFIG | FORMAT_NEEDS_POSITION, \
           "Extended XYZ for OVITO and ASE, with ids and the configuration. It needs positions") OR \
    FORMAT(HDF5, "h5", "h5", "hdf5", "HDF5", &format_hdf5, &h5_frames, \
           FORMAT_NEEDS_CONFIG | FORMAT_NEEDS_STATE | FORMAT_NEEDS_FILE | FORMAT_TAKES_OBSERVABLES, \
           "H5MD with ids, observables, the configuration and hashes. It can be resumed. It needs a regular file")
// clang-format on

#define FORMAT_NAME(id, name, ...)           name
#define FORMAT_ENDING(id, name, ending, ...) "." ending

/** The names and the endings as one literal: ".csv, .txt, .xyz or .h5", for example. */
#define FORMAT_NAMES(comma, or)   TRAJECTORY_FORMATS(FORMAT_NAME, comma, or)
#define FORMAT_ENDINGS(comma, or) TRAJECTORY_FORMATS(FORMAT_ENDING, comma, or)
