/* See inputs.h. The button connects GPIO2 to ground. The voltage of the potentiometer at GPIO26 is 0 to 3.3 V. A conversion takes 8 us, so
 * a step reads the conversion that the step before has started. */
#include "inputs.h"

#include "clock.h"
#include "live.h"

#include <stdbool.h>

enum { BUTTON_PIN = 2, POT_PIN = 26, BOUNCE_MICROS = 20000 };
/* Changes of the voltage up to NOISE are noise; the range is 0 to HIGHEST. */
enum { NOISE = 24, HIGHEST = 4095 };

void inputs_start(void)
{
    REGISTER(PADS_BANK0_GPIO(BUTTON_PIN)) = PADS_INPUT_PULLED_UP;
    REGISTER(IO_BANK0_GPIO_CTRL(BUTTON_PIN)) = GPIO_FUNC_SIO;
#if defined SIM_POT
    REGISTER(PADS_BANK0_GPIO(POT_PIN)) = PADS_ANALOGUE;
    REGISTER(CLK_ADC_CTRL) = CLK_ADC_XOSC;
    CLEAR(RESETS_RESET) = RESETS_ADC;
    while (!(REGISTER(RESETS_RESET_DONE) & RESETS_ADC))
        ;
    REGISTER(ADC_CS) = ADC_CS_EN;
    while (!(REGISTER(ADC_CS) & ADC_CS_READY))
        ;
    REGISTER(ADC_CS) = ADC_CS_EN | ADC_CS_START_ONCE;
#endif
}

#if defined SIM_POT
static bool read_pot(uint32_t step)
{
    static int32_t last = -NOISE - 1;
    if (!(REGISTER(ADC_CS) & ADC_CS_READY))
        return false;
    const int32_t value = (int32_t)REGISTER(ADC_RESULT), change = value - last;
    REGISTER(ADC_CS) = ADC_CS_EN | ADC_CS_START_ONCE;
    if (change >= -NOISE && change <= NOISE)
        return false;
    last = value;
    live_turn((uint32_t)(value * 200 + HIGHEST / 2) / HIGHEST, step);
    return true;
}
#endif

/* A change soon after another one is a bounce. A button that is down at the start counts when it is pressed again. */
char inputs_read(uint32_t step)
{
    static bool was_down = true;
    static uint32_t changed;
    (void)step;
    const bool is_down = !(REGISTER(SIO_GPIO_IN) & 1u << BUTTON_PIN);
    if (is_down != was_down && clock_micros() - changed > BOUNCE_MICROS) {
        was_down = is_down;
        changed = clock_micros();
        if (is_down && SIM_BUTTON)
            return SIM_BUTTON;
    }
#if defined SIM_POT
    if (read_pot(step))
        return ' ';
#endif
    return '\0';
}
