/* Numbers on the quick way: for tables of a million runs, whose cells are numbers almost all. */
#ifndef CONFIG_QUICK_H
#define CONFIG_QUICK_H

#include "config/config.h"
#include "config/keys.h"

#include <stdbool.h>

/** Store a value that is a plain number within the bounds of its key, exactly as config_set() would.
 *
 * @return false, with nothing stored, for all else, right or wrong: config_set() knows what to say of it.
 */
bool config_quick_number(struct config *config, const struct config_key *key, const char *value);

#endif
