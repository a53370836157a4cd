/* The stack of each core is in a bank of 4 KB. The memory protection unit denies access to the lowest 256 bytes of
 * the bank, so a stack that grows too large causes a fault and does not overwrite other data.
 */
#ifndef STACK_GUARD_H
#define STACK_GUARD_H

#include "rp2040.h"

/** Protect the lowest bytes of the stack of this core; `bottom` is the start of its bank. */
static inline void stack_guard_start(const uint32_t *bottom)
{
    enum { GUARD_BITS = 8 };
    REGISTER(MPU_RBAR) = (uint32_t)(uintptr_t)bottom | MPU_RBAR_VALID;
    REGISTER(MPU_RASR) = MPU_RASR_ENABLE | MPU_RASR_SIZE(GUARD_BITS) | MPU_RASR_EXECUTE_NEVER;
    REGISTER(MPU_CTRL) = MPU_CTRL_ENABLE | MPU_CTRL_PRIVDEFENA;
    __asm volatile("dsb\n\tisb" ::: "memory");
}

#endif
