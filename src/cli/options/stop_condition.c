/* NAME, < or >, VALUE, and optionally "for K", separated by any number of spaces. */
#include "stop_condition.h"

#include "config/config.h"
#include "config/text.h"

#include <math.h>
#include <stdio.h>

bool stop_condition_read(struct stop_condition *until, const char *text, struct error *error)
{
    char name[CONFIG_TEXT_EDITS_LIMIT], sign = '\0';
    int bound_end = 0, end = 0;
    long long frames = 1;
    *until = (struct stop_condition){.text = text};
    _Static_assert(sizeof name == 64, "a name has at most 63 characters");
    const int found = sscanf(text, " %63[a-zA-Z_0-9] %c %lf %nfor %lld %n", name, &sign, &until->value,
                             &bound_end, &frames, &end);
    const int quantity = found > 0 ? config_observable_find(name, text, error) : 0;
    const bool is_right = found >= 3 && text[found == 3 ? bound_end : end] == '\0' &&
                          (sign == '<' || sign == '>') && isfinite(until->value) && frames > 0;
    until->quantity = (enum measure_quantity)quantity;
    until->is_above = sign == '>';
    until->frames = (uint64_t)frames;
    return quantity >= 0 &&
           (is_right ||
            error_refuse(error,
                         "--until is %s; it must be 'NAME < VALUE' or 'NAME > VALUE', or that and "
                         "'for K', a number of frames in a row",
                         text));
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
