/* A configuration as one number: FNV-1a over "path=value" of each key, so that neither spelling nor the order in a file
 * matters. */
#include "config/config.h"

#include "config/keys.h"
#include "config/text.h"
#include "config/value.h"

#include <stdlib.h>

/* A default that follows from other keys says nothing that they do not say; titles are for people. Where a flock begins is
 * more than the name of a file, and for the caller to know. */
static bool is_told(const struct config *config, const struct config_key *key)
{
    if (config_key_is_text(key))
        return false;
    return key->otherwise == NULL || config->origins[key - config_keys].text[0] != '\0';
}

bool config_hash(const struct config *config, const bool *is_left_out, uint64_t *hash, struct fault *fault)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    for (size_t k = 0; out != NULL && k < config_key_count; k++) {
        if (is_left_out[k] || !is_told(config, &config_keys[k]))
            continue;
        fprintf(out, "%s=", config_keys[k].path);
        config_value_print(out, config, &config_keys[k]);
        fputc('\n', out);
    }
    bool is_whole = out != NULL && !ferror(out);
    is_whole = out != NULL && fclose(out) == 0 && is_whole;
    *hash = is_whole ? config_text_hash(text, length) : 0;
    free(text);
    return is_whole || fault_fail(fault, "there is no memory for the configuration's text");
}
