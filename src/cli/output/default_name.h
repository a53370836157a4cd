/* The output of a run that names none, on a terminal: NAME.h5 after its configuration, unless another run has that name. */
#ifndef DEFAULT_NAME_H
#define DEFAULT_NAME_H

#include "config/config.h"

#include <stdbool.h>

struct default_name {
    char path[CONFIG_PATH_SIZE];  /**< empty until chosen */
    char taken[CONFIG_PATH_SIZE]; /**< what it would be called if another run were not; else empty */
};

/** Choose the first of NAME.h5, NAME-2.h5, NAME-3.h5 and so on where nothing stands, or what this very configuration wrote.
 *
 * @param is_forced  NAME.h5, whatever stands there.
 */
void default_name_choose(struct default_name *name, const struct config *config, bool is_forced);

#endif
