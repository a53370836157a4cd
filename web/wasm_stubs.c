/* Functions that the library needs and WebAssembly lacks. The engine uses one thread; the name of the host and large pages do
 * not matter. page.c limits the size of flocks. */
#include "base/memory_limit.h"
#include "engine/threads/cpu_count.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int cpu_count(void)
{
    return 1;
}

bool memory_limit_check(uint32_t boids, double bytes, struct error *error)
{
    (void)boids, (void)bytes, (void)error;
    return true;
}

/* A page has no environment. */
char *getenv(const char *name)
{
    (void)name;
    return NULL;
}

int gethostname(char *name, size_t size)
{
    snprintf(name, size, "page");
    return 0;
}

int madvise(void *address, size_t length, int advice)
{
    (void)address, (void)length, (void)advice;
    return 0;
}
