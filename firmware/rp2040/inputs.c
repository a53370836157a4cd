/* See inputs.h. The button connects GPIO2 to ground. The voltage of the potentiometer at GPIO26 is 0 to 3.3 V. The ADC
 * converts it again and again, once per 8 us. */
#include "inputs.h"

#include "clock.h"
#include "live_console.h"

#include <stdbool.h>

enum { BUTTON_PIN = 2, POT_PIN = 26, BOUNCE_MICROS = 20000 };
/* Changes of the voltage up to NOISE are noise; the range is 0 to HIGHEST. */
enum { NOISE = 24, HIGHEST = 4095 };

void inputs_start(void)
{
    REGISTER(PADS_BANK0_GPIO(BUTTON_PIN)) = PADS_INPUT_PULLED_UP;
    REGISTER(IO_BANK0_GPIO_CTRL(BUTTON_PIN)) = GPIO_FUNC_SIO;
    REGISTER(PADS_BANK0_GPIO(POT_PIN)) = PADS_ANALOGUE;
    REGISTER(ADC_CS) = ADC_CS_EN;
    while (!(REGISTER(ADC_CS) & ADC_CS_READY))
        ;
    REGISTER(ADC_CS) = ADC_CS_EN | ADC_CS_START_MANY;
}

static bool read_pot(uint32_t step)
{
    static int32_t last = -NOISE - 1;
    const int32_t value = (int32_t)REGISTER(ADC_RESULT), change = value - last;
    if (change >= -NOISE && change <= NOISE)
        return false;
    last = value;
    live_turn((uint32_t)(value * 200 + HIGHEST / 2) / HIGHEST, step);
    return true;
}

/* A change soon after another one is a bounce. A button that is down at the start counts when it is pressed again. */
char inputs_read(uint32_t step)
{
    static bool was_down = true;
    static uint32_t changed;
    const bool is_down = !(REGISTER(SIO_GPIO_IN) & 1u << BUTTON_PIN);
    if (is_down != was_down && clock_micros() - changed > BOUNCE_MICROS) {
        was_down = is_down;
        changed = clock_micros();
        if (is_down && SIM_BUTTON)
            return SIM_BUTTON;
    }
    return SIM_HAS_POT && read_pot(step) ? ' ' : '\0';
}
