/* Commands of one character on the UART, which README.md lists. */
#ifndef LETTER_COMMANDS_H
#define LETTER_COMMANDS_H

#include <stdbool.h>
#include <stdint.h>

/** Execute the next command after a step; return when it is time for the next step. @param step set to 0 if the flock
 * starts again. @return true if the flock was paused or a command was executed, so that the time of this step does
 * not count. */
bool letter_commands_run(uint32_t *step, uint32_t late);

#endif
