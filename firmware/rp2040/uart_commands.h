/* Commands on the UART, each a character:
 *
 *     p  pause, or go on     s  one step, then pause         n  start again with the next seed
 *     h  the hash now        r  lines about steps on or off  b  restart as a USB drive (BOOTSEL)
 */
#ifndef UART_COMMANDS_H
#define UART_COMMANDS_H

#include <stdbool.h>
#include <stdint.h>

/** Execute the next command after a step; return when it is time for the next step. @param step set to 0 if the flock
 * starts again. @return true if the flock was paused or a command was executed, so that the time of this step does
 * not count. */
bool uart_commands_run(uint32_t *step, uint32_t late);

#endif
