/* The value of a key in struct config, by its row in the table: read, stored, printed. */
#ifndef CONFIG_VALUE_H
#define CONFIG_VALUE_H

#include "config/config.h"
#include "config/keys.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The part of a path after its last slash. */
const char *config_base_name(const char *path);

/** The origin of an init_file from config_set_init(): its path is relative to the current folder, not to that of the configuration.
 * Origins of other options contain a value after the name of the option. */
#define CONFIG_INIT_ORIGIN "--init"

/** Whether an option set a key: its origin begins with dashes. */
bool config_value_is_option(const struct config *config, const struct config_key *key);

/** The text of a TEXT or FILE. */
const char *config_value_string(const struct config *config, const struct config_key *key);

/** `length` must be below key->size. */
void config_value_set_string(struct config *config, const struct config_key *key, const char *text,
                             size_t length);

enum { CONFIG_NUMBERS_LIMIT = 4 };

/** The numbers of a key, in `count`: one for NUMBER, NULLABLE and COMPONENT; one for INHERIT, or none if it is the limit of the flock; two
 * for PAIR and VECTOR; four for MARGIN (left, right, top, bottom); those of all entries for a list. NULL for other kinds. */
const double *config_value_numbers(const struct config *config, const struct config_key *key, size_t *count);

/** Store an INHERIT. */
void config_value_set_own(struct config *config, const struct config_key *key, bool is_own, double number);

/** Store the entries of a list, at most FLOCK_LIST_MAX. */
void config_value_set_list(struct config *config, const struct config_key *key, const double *numbers,
                           uint32_t entries);

/** Store the numbers of a NUMBER, NULLABLE, COMPONENT, PAIR, VECTOR or MARGIN. */
void config_value_set_numbers(struct config *config, const struct config_key *key, const double *numbers);

/** The whole number of a SEED or INTEGER, the index of a CHOICE, the bits of NAMES or a SUBSET. */
uint64_t config_value_whole(const struct config *config, const struct config_key *key);
void config_value_set_whole(struct config *config, const struct config_key *key, uint64_t value);

/** Set a key to its default, as far as that does not depend on other keys. */
void config_value_reset(struct config *config, const struct config_key *key);

/** Whether a key has the same value in both, to the last bit: 0 and -0 differ. */
bool config_value_is_same(const struct config *a, const struct config *b, const struct config_key *key);

/** Whether the four sides of the margin are equal to the last bit. */
bool config_margin_is_even(const struct flock_margin *margin);

enum { CONFIG_VALUE_TEXT_SIZE = 256 };

/** Print the value of a key as JSON on one line. */
void config_value_print(FILE *out, const struct config *config, const struct config_key *key);

/** The same for a message, shortened, in CONFIG_VALUE_TEXT_SIZE bytes. */
void config_value_spell(const struct config *config, const struct config_key *key, char *text);

/** The default of a key, as JSON or in words, in CONFIG_VALUE_TEXT_SIZE bytes. */
void config_key_default(const struct config_key *key, char *text);

#endif
