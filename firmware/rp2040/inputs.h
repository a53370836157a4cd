/* A potentiometer and a button. The build determines what each of them changes. They are read once per step and, during
 * a pause, continuously. */
#ifndef INPUTS_H
#define INPUTS_H

#include <stdint.h>

void inputs_start(void);

/** The letter of a command (letter_commands.h) if the button was pressed, ' ' if the potentiometer changed its key, or '\0'. */
char inputs_read(uint32_t step);

#endif
