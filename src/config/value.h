/* The value of one key inside struct config, by its row in the table: looked up, stored, spelled. */
#ifndef CONFIG_VALUE_H
#define CONFIG_VALUE_H

#include "config/config.h"
#include "config/keys.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** What follows the last slash of a path. */
const char *config_base_name(const char *path);

/** The origin of an init_file that config_set_init() took: relative to the current folder, not the
 * configuration's. No other origin reads like this: behind the name of an option stands its value. */
#define CONFIG_INIT_ORIGIN "--init"

/** Whether an option set a key; the origins of options begin with dashes. */
bool config_value_is_option(const struct config *config, const struct config_key *key);

/** The text of a KEY_TEXT or KEY_FILE. */
const char *config_value_string(const struct config *config, const struct config_key *key);

/** `length` must be below key->size. */
void config_value_set_string(struct config *config, const struct config_key *key, const char *text,
                             size_t length);

enum { CONFIG_NUMBERS_LIMIT = 4 };

/** The numbers of a NUMBER, NULLABLE or SIDE (one), an OWN (one, or none where it is the flock's), a PAIR or VECTOR (two), a MARGIN (four: left, right, top, bottom) or of a
 * list, entry by entry; none of any other kind, then NULL. `count` receives how many. */
const double *config_value_numbers(const struct config *config, const struct config_key *key, size_t *count);

/** Store an OWN. */
void config_value_set_own(struct config *config, const struct config_key *key, bool is_own, double number);

/** Store so many entries of a list, as many as FLOCK_LIST_MAX. */
void config_value_set_list(struct config *config, const struct config_key *key, const double *numbers,
                           uint32_t entries);

/** Store as many numbers as the key has, which is no list. */
void config_value_set_numbers(struct config *config, const struct config_key *key, const double *numbers);

/** The whole number of a SEED or INTEGER, the index of a CHOICE, the bits of NAMES. */
uint64_t config_value_whole(const struct config *config, const struct config_key *key);
void config_value_set_whole(struct config *config, const struct config_key *key, uint64_t value);

/** Put a key to its default, as far as that does not depend on other keys. */
void config_value_reset(struct config *config, const struct config_key *key);

/** Whether a key has the same value in both, to the last bit: 0 and -0 are two numbers. */
bool config_value_is_same(const struct config *a, const struct config *b, const struct config_key *key);

/** Whether the four sides of the margin are the same to the last bit. */
bool config_margin_is_even(const struct flock_margin *margin);

enum { CONFIG_VALUE_TEXT_SIZE = 256 };

/** The value of a key as JSON on one line. */
void config_value_print(FILE *out, const struct config *config, const struct config_key *key);

/** The same for a sentence, into CONFIG_VALUE_TEXT_SIZE bytes: shortened where it does not fit. */
void config_value_spell(const struct config *config, const struct config_key *key, char *text);

/** The default of a key, as JSON or in words, into CONFIG_VALUE_TEXT_SIZE bytes. */
void config_key_default(const struct config_key *key, char *text);

#endif
