/* A preloaded library that makes calls fail: every creation of a thread from number RUN_OUT_THREADS on, and allocation number
 * RUN_OUT_AT; only allocations of RUN_OUT_BYTES bytes count, if this is set. With RUN_OUT_FOREVER, all later
 * ones fail, too. Threads have RUN_OUT_STACK kB of stack unless their creator sets another size.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

static long number(const char *name)
{
    const char *text = getenv(name);
    return text ? atol(text) : 0;
}

/* The guard is larger than any variable, so that no thread reaches the memory below it. */
__attribute__((constructor)) static void shrink_stacks(void)
{
    pthread_attr_t attributes;
    const long kilobytes = number("RUN_OUT_STACK");
    if (kilobytes == 0)
        return;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, (size_t)kilobytes << 10);
    pthread_attr_setguardsize(&attributes, 4 << 20);
    pthread_setattr_default_np(&attributes);
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
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);

static bool has_run_out(size_t size)
{
    static atomic_long count;
    static atomic_long bytes = -1, at, is_forever;
    if (bytes < 0) {
        at = number("RUN_OUT_AT");
        is_forever = number("RUN_OUT_FOREVER");
        bytes = number("RUN_OUT_BYTES");
    }
    if (at == 0 || (bytes > 0 && (long)size != bytes))
        return false;
    const long n = atomic_fetch_add(&count, 1) + 1;
    const bool fails = is_forever ? n >= at : n == at;
    if (fails)
        errno = ENOMEM;
    return fails;
}

void *malloc(size_t size)
{
    return has_run_out(size) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return has_run_out(count * size) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    return has_run_out(size) ? NULL : __libc_realloc(old, size);
}

#endif
