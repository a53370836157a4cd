/* A stand-in: there is one core. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

typedef unsigned uint;
typedef uint32_t spin_lock_t;

static inline int spin_lock_claim_unused(bool required)
{
    return required;
}

static inline spin_lock_t *spin_lock_instance(uint number)
{
    static spin_lock_t lock;
    (void)number;
    return &lock;
}

static inline void spin_lock_unsafe_blocking(spin_lock_t *lock)
{
    (void)lock;
}

static inline void spin_unlock_unsafe(spin_lock_t *lock)
{
    (void)lock;
}

static inline uint get_core_num(void)
{
    return 0;
}
