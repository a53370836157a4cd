/* A preloaded library that makes calls fail: every creation of a thread from number RUN_OUT_THREADS on, and allocation number
 * RUN_OUT_AT of RUN_OUT_BYTES bytes.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static long number(const char *name)
{
    const char *text = getenv(name);
    return text ? atol(text) : 0;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                   void *argument)
{
    static int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    static atomic_long count;
    const long first = number("RUN_OUT_THREADS");
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
    if (first > 0 && atomic_fetch_add(&count, 1) + 1 >= first)
        return EAGAIN;
    return real(thread, attributes, start, argument);
}

/* Sanitizers have an allocator of their own. */
#if defined RUN_OUT_OF_MEMORY

extern void *__libc_malloc(size_t size);

void *malloc(size_t size)
{
    static atomic_long count;
    static atomic_long bytes = -1;
    if (bytes < 0)
        bytes = number("RUN_OUT_BYTES");
    if (bytes > 0 && (long)size == bytes && atomic_fetch_add(&count, 1) + 1 == number("RUN_OUT_AT")) {
        errno = ENOMEM;
        return NULL;
    }
    return __libc_malloc(size);
}

#endif
