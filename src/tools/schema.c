/* Print the JSON Schema of a configuration: `make schema` keeps it in data/boids.schema.json for editors. */
#include "config/config.h"

#include <stdio.h>

int main(void)
{
    config_schema(stdout);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        perror("schema: standard output");
        return 1;
    }
    return 0;
}
