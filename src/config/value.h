/* Functions that read, store and print the value of a key in struct config; a key is given by its row in the table. */
#ifndef CONFIG_VALUE_H
#define CONFIG_VALUE_H

#include "config/config.h"
#include "config/keys.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The part of a path after its last slash. */
const char *config_base_name(const char *path);

/** The origin of init_file if config_set_init() has set it. The path is then relative to the current folder, not to
 * the folder of the configuration. Origins of other options are the name of the option followed by a value. */
#define CONFIG_INIT_ORIGIN "--init"

/** True if a key was set by an option: then its origin begins with dashes. */
bool config_value_is_option(const struct config *config, const struct config_key *key);

enum { CONFIG_NUMBERS_LIMIT = 4 };

/** The numbers of a key; `count` receives how many there are. NUMBER and NULLABLE have one number. INHERIT
 * has one, or none if it is the limit of the flock. PAIR and VECTOR have two. MARGIN has four: left, right, top,
 * bottom. A list has the numbers of all entries. The result is NULL for other kinds. */
const double *config_value_numbers(const struct config *config, const struct config_key *key, size_t *count);

/** Store the bytes of a value, other than a whole number: the letters of a TEXT or FILE; the numbers of a NUMBER, NULLABLE, PAIR,
 * VECTOR or MARGIN; a list up to its last entry. The rest of the field is set to zero, so that fields with equal values are
 * byte-identical. */
void config_value_set(struct config *config, const struct config_key *key, const void *value, size_t size);

/** Store the whole number of a SEED or INTEGER, the index of a CHOICE, the bits of NAMES or a SUBSET. */
void config_value_set_whole(struct config *config, const struct config_key *key, uint64_t value);

/** The bytes of a field that are in use; for a list, the rest of the field is 0. A copy of these bytes, aligned as a
 * double, can be printed and stored. */
size_t config_value_size(const struct config *config, const struct config_key *key);
const void *config_value_field(const struct config *config, const struct config_key *key);

/** Set a key to its default, unless the default depends on other keys. */
void config_value_reset(struct config *config, const struct config_key *key);

/** True if a key has bit-identical values in both configurations; 0 and -0 differ. */
bool config_value_is_same(const struct config *a, const struct config *b, const struct config_key *key);

/** True if the four sides of the margin are bit-identical. */
bool config_margin_is_even(const struct flock_margin *margin);

enum { CONFIG_VALUE_TEXT_SIZE = 512 };

/** Print the value of a key as JSON on one line. */
void config_value_print(FILE *out, const struct config *config, const struct config_key *key);

/** The same for a copy of the bytes of the field. */
void config_value_print_field(FILE *out, const void *field, const struct config_key *key);

/** Print the changes of a schedule as JSON on one line. */
void config_schedule_print(FILE *out, const struct config_schedule *schedule);

/** Write the value of a key for a message to a text of CONFIG_VALUE_TEXT_SIZE bytes. A long value is shortened. */
void config_value_describe(const struct config *config, const struct config_key *key, char *text);

enum { CONFIG_EXCESS_SIZE = 2 * CONFIG_VALUE_TEXT_SIZE };

/** Write the end of the sentence about an agent that has left the range of its numbers, at most CONFIG_EXCESS_SIZE bytes. It is `ending`;
 * if a number of the rules is above 10^9, the largest one comes first: "flock.cohesion.factor is 1e+200; nothing was written". */
void config_value_describe_excess(const struct config *config, const char *ending, char *text);

/** Write the default of a key, as JSON or as a description, to a text of CONFIG_VALUE_TEXT_SIZE bytes. */
void config_key_default(const struct config_key *key, char *text);

#endif
