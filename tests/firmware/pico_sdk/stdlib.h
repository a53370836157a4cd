#include <stddef.h>

enum { EXIT_FAILURE = 1 };

/** The next bytes of a block that is never freed. */
void *malloc(size_t size);

void abort(void) __attribute__((noreturn));
