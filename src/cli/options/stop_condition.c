/* NAME, < or >, VALUE, and optionally "for K", separated by any number of spaces. */
#include "stop_condition.h"

#include "config/config.h"
#include "config/text.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *skip_spaces(const char *text)
{
    return text + strspn(text, " ");
}

static bool refuse_condition(const char *text, struct error *error)
{
    return error_refuse(error,
                        "--until is %s; it must be 'NAME < VALUE' or 'NAME > VALUE', or that and 'for K', a "
                        "number of frames in a row",
                        text);
}

static bool read_name(struct stop_condition *until, const char **at, struct error *error)
{
    char name[CONFIG_TEXT_EDITS_LIMIT];
    const size_t length = strspn(*at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
    if (length == 0 || length >= sizeof name)
        return refuse_condition(until->text, error);
    memcpy(name, *at, length);
    name[length] = '\0';
    *at = skip_spaces(*at + length);
    const int quantity = config_observable_find(name, until->text, error);
    until->quantity = (enum measure_quantity)quantity;
    return quantity >= 0;
}

static bool read_bound(struct stop_condition *until, const char **at)
{
    char *end;
    if (**at != '<' && **at != '>')
        return false;
    until->is_above = **at == '>';
    *at = skip_spaces(*at + 1);
    const char *digits = *at + (**at == '-' || **at == '+');
    until->value = strtod(*at, &end);
    const bool is_number = end > *at && (isdigit((unsigned char)*digits) || *digits == '.');
    *at = skip_spaces(end);
    return is_number && isfinite(until->value);
}

static bool read_frames(struct stop_condition *until, const char *at)
{
    until->frames = 1;
    if (*at == '\0')
        return true;
    if (strncmp(at, "for ", 4) != 0)
        return false;
    at = skip_spaces(at + 4);
    const size_t digits = strspn(at, "0123456789");
    until->frames = digits < 19 ? strtoull(at, NULL, 10) : 0;
    return until->frames > 0 && *skip_spaces(at + digits) == '\0';
}

bool stop_condition_read(struct stop_condition *until, const char *text, struct error *error)
{
    const char *at = skip_spaces(text);
    *until = (struct stop_condition){.text = text};
    if (!read_name(until, &at, error))
        return false;
    return (read_bound(until, &at) && read_frames(until, at)) || refuse_condition(text, error);
}

void stop_condition_add(struct stop_condition *until, double value)
{
    const bool is_so = until->is_above ? value > until->value : value < until->value;
    until->streak = is_so ? until->streak + 1 : 0;
}

bool stop_condition_is_met(const struct stop_condition *until)
{
    return until->text && until->streak >= until->frames;
}
