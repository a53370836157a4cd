/* Print the files of data/ (`make schema`): the JSON Schema of a configuration, for editors, or with the argument
 * `observables` the descriptions of the observables, for plot.py.
 */
#include "config/config.h"
#include "measure/measure.h"

#include <stdio.h>
#include <string.h>

/* Print the table of observables as JSON. Its texts contain no characters that need escapes. */
static void print_observables(void)
{
    for (int k = 0; k < MEASURE_COUNT; k++) {
        const struct measure_info *about = &measure_infos[k];
        printf(
            "%s\n  \"%s\": { \"sentence\": \"%s\", \"unit\": \"%s\", \"is_share\": %s, \"undefined\": \"%s\" }",
            k == 0 ? "{" : ",", measure_names[k], about->sentence, about->unit,
            about->is_share ? "true" : "false", about->undefined);
    }
    puts("\n}");
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "observables") == 0)
        print_observables();
    else
        config_schema(stdout);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        perror("schema: standard output");
        return 1;
    }
    return 0;
}
