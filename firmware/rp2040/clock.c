/* See clock.h. At 125 MHz: 12 MHz * 125 = 1500 MHz in the PLL, divided by 6 and by 2. */
#include "clock.h"

/* The data sheet allows 750 to 1600 MHz in the PLL and 133 MHz for the board. A faster clock needs a core voltage
 * above 1.1 V: 1.15 V at 200 MHz, 1.2 V at 250 MHz. Register values are in steps of 0.05 V; 11 is 1.1 V. */
enum {
    CRYSTAL_MHZ = 12,
    PLL_DIVIDER_1 = 6,
    PLL_DIVIDER_2 = CLOCK_MHZ > 133 ? 1 : 2,
    PLL_FEEDBACK = CLOCK_MHZ * PLL_DIVIDER_1 * PLL_DIVIDER_2 / CRYSTAL_MHZ,
    VOLTAGE = CLOCK_MHZ > 200   ? 13
              : CLOCK_MHZ > 133 ? 12
                                : 11,
};
enum { TICK_BITS = 24 };

/* The time for the voltage to rise, in iterations of an idle loop at the frequency of the crystal: more than a
 * millisecond. */
enum { RISE = 1 << 13 };

/* The start-up delay of the crystal in units of 256 cycles: 64 ms. A Pico needs 1 ms, but some clones need longer. */
enum { CRYSTAL_STARTUP = 47 * 64 };

static void start_crystal(void)
{
    REGISTER(XOSC_CTRL) = XOSC_CTRL_1_15MHZ;
    REGISTER(XOSC_STARTUP) = CRYSTAL_STARTUP;
    REGISTER(XOSC_CTRL) = XOSC_CTRL_1_15MHZ | XOSC_CTRL_ENABLE;
    while (!(REGISTER(XOSC_STATUS) & XOSC_STATUS_STABLE))
        ;
}

/* SELECTED is one-hot; the switch takes a few cycles of both clocks. */
static void select(uint32_t control, uint32_t selected, uint32_t source)
{
    REGISTER(control) = source;
    while (!(REGISTER(selected) & (1u << source)))
        ;
}

/* First switch to the other source, because the output of the auxiliary multiplexer may glitch while it changes. */
static void leave_pll(void)
{
    CLEAR(CLK_SYS_CTRL) = CLK_SYS_SRC_AUX;
    while (!(REGISTER(CLK_SYS_SELECTED) & 1u << CLK_SYS_SRC_REF))
        ;
    REGISTER(CLK_SYS_CTRL) = CLK_SYS_SRC_REF;
    REGISTER(CLK_SYS_DIV) = CLK_DIV_1;
}

static void release_from_reset(uint32_t blocks)
{
    CLEAR(RESETS_RESET) = blocks;
    while ((REGISTER(RESETS_RESET_DONE) & blocks) != blocks)
        ;
}

/* Reset the PLL first, because the LOCK bit of a running PLL is meaningless. */
static void start_pll(void)
{
    SET(RESETS_RESET) = RESETS_PLL_SYS;
    release_from_reset(RESETS_PLL_SYS);
    REGISTER(PLL_SYS_CS) = 1;
    REGISTER(PLL_SYS_FBDIV_INT) = PLL_FEEDBACK;
    CLEAR(PLL_SYS_PWR) = PLL_PWR_PD | PLL_PWR_VCOPD;
    while (!(REGISTER(PLL_SYS_CS) & PLL_CS_LOCK))
        ;
    REGISTER(PLL_SYS_PRIM) = PLL_DIVIDER_1 << PLL_PRIM_POSTDIV1 | PLL_DIVIDER_2 << PLL_PRIM_POSTDIV2;
    CLEAR(PLL_SYS_PWR) = PLL_PWR_POSTDIVPD;
}

static void set_voltage(void)
{
    REGISTER(VREG) = VREG_ENABLE | VOLTAGE << VREG_SELECT;
    for (volatile uint32_t i = 0; i < RISE; i = i + 1)
        ;
}

void clock_start(void)
{
    start_crystal();
    select(CLK_REF_CTRL, CLK_REF_SELECTED, CLK_REF_SRC_XOSC);
    leave_pll();
    set_voltage();
    start_pll();
    select(CLK_SYS_CTRL, CLK_SYS_SELECTED, CLK_SYS_SRC_AUX);
    REGISTER(CLK_PERI_CTRL) = CLK_PERI_ENABLE;
    REGISTER(CLK_ADC_CTRL) = CLK_ADC_XOSC;
    release_from_reset(USED);
    REGISTER(WATCHDOG_TICK) = WATCHDOG_TICK_START | CRYSTAL_MHZ;
    REGISTER(SYST_RVR) = (1u << TICK_BITS) - 1;
    REGISTER(SYST_CVR) = 0;
    REGISTER(SYST_CSR) = 5;
}

/* SysTick counts down and gives the lower 24 bits exactly. The upper bits follow from the microseconds, which are
 * accurate to some hundred cycles. */
uint32_t clock_cycles(struct clock_moment from, struct clock_moment to)
{
    const uint32_t turn = 1u << TICK_BITS;
    const uint32_t exact = (from.ticks - to.ticks) & (turn - 1);
    const uint32_t about = (to.micros - from.micros) * CLOCK_MHZ;
    return exact + ((about - exact + turn / 2) & ~(turn - 1));
}
