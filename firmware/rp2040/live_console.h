/* With LIVE=1, the UART reads lines instead of letters, and factors and speeds change between steps. */
#ifndef LIVE_CONSOLE_H
#define LIVE_CONSOLE_H

#include <stdbool.h>
#include <stdint.h>

/** Read what was typed. Execute a complete line with get, set, keys or help. @return the letter of any other command (letter_commands.h), ' '
 * if a line was executed, or '\0'. @param step the last step; a change acts from the next step on. */
char live_read(uint32_t step);

/** Set the key of the potentiometer, SIM_POT, to a percentage of its value in the configuration. */
void live_turn(uint32_t percent, uint32_t step);

#endif
