/* Three state machines, one per signal, as in V. Hunter Adams' course. The first two count pixels of 40 ns (in a line)
 * and lines of 800 pixels (in a frame):
 *
 *     a line:    640 shown, 16 front porch, 96 sync, 48 back porch
 *     a frame:   480 shown, 10 front porch,  2 sync, 33 back porch
 *
 * The machine for horizontal sync sets flag 0 three pixels before a line begins. The machine for vertical sync waits
 * for flag 0 and sets flag 1 if the line is visible. The third machine waits for flag 1 and sends pixels, at five
 * cycles each. A DMA channel feeds it all pixels of a picture; then a second channel resets the first one to the
 * first pixel.
 */
#include "vga.h"

#include "clock.h"

enum { HSYNC_PIN = 16, VSYNC_PIN = 17, RGB_PIN = SIM_WIRING == WIRING_VHA ? 19 : 18, RGB_PINS = 3 };
enum { HSYNC, VSYNC, RGB, MACHINES };
enum { PIXEL_CHANNEL = 0, RESTART_CHANNEL = 1 };
/* A pixel takes five cycles of the third machine. The divider of its clock is a multiple of 1/256, so the clock is only near 125 MHz:
 * 25.04 million pixels per second with a system clock of 133 MHz, 24.98 million with 200 MHz. */
enum { CYCLES_PER_PIXEL = 5, DIVIDER = (CLOCK_MHZ * 256 + 62) / 125 };

uint32_t vga_pixels[VGA_ROW * VGA_HEIGHT];
static uint32_t *first_pixel = vga_pixels;

/* Instructions of a state machine (datasheet 3.4). */
#define PULL          0x80a0
#define OUT_Y         0x6040
#define OUT_PINS(n)   (0x6000 | (n))
#define MOV_X_OSR     0xa027
#define MOV_X_Y       0xa022
#define MOV_PINS_NULL 0xa003
#define JMP(to)       (0x0000 | (to))
#define JMP_X_DEC(to) (0x0040 | (to))
#define JMP_Y_DEC(to) (0x0080 | (to))
#define WAIT_IRQ(n)   (0x20c0 | (n))
#define IRQ(n)        (0xc000 | (n))
#define SET_PINS(n)   (0xe000 | (n))
#define SET_Y(n)      (0xe040 | (n))
#define SET_DIRS(n)   (0xe080 | (n))
#define DELAY(n)      ((n) << 8)

enum { HSYNC_BEGIN = 0, VSYNC_BEGIN = 9, RGB_BEGIN = 24, PROGRAM_END = 30 };

static const uint16_t program[PROGRAM_END] = {
    /* Address 0: visible pixels and front porch, then sync, then back porch. */
    PULL,
    MOV_X_OSR,
    JMP_X_DEC(2),
    SET_PINS(0) | DELAY(31),
    SET_PINS(0) | DELAY(31),
    SET_PINS(0) | DELAY(31),
    SET_PINS(1) | DELAY(31),
    SET_PINS(1) | DELAY(12),
    IRQ(0) | DELAY(2),
    /* Address 9: visible lines, front porch and the line in which sync begins, sync, the rest of the back porch. */
    PULL,
    MOV_X_OSR,
    WAIT_IRQ(0),
    IRQ(1),
    JMP_X_DEC(11),
    SET_Y(10),
    WAIT_IRQ(0),
    JMP_Y_DEC(15),
    SET_PINS(0),
    WAIT_IRQ(0),
    WAIT_IRQ(0) | DELAY(1),
    SET_PINS(1),
    SET_Y(31),
    WAIT_IRQ(0),
    JMP_Y_DEC(22),
    /* Address 24: the pixels of a line, then black. */
    OUT_Y,
    MOV_PINS_NULL,
    MOV_X_Y,
    WAIT_IRQ(1) | DELAY(3),
    OUT_PINS(VGA_PIXEL_BITS) | DELAY(3),
    JMP_X_DEC(28),
};

static void start_machine(uint32_t machine, uint32_t begin, uint32_t end, uint32_t divider, uint32_t pins)
{
    REGISTER(PIO0_SM_CLKDIV(machine)) = divider << 8;
    REGISTER(PIO0_SM_EXECCTRL(machine)) = PIO_WRAP(begin + 1, end - 1);
    REGISTER(PIO0_SM_PINCTRL(machine)) = pins;
    REGISTER(PIO0_SM_INSTR(machine)) = JMP(begin);
}

/* Pins are set before the machines run; the sync pins are high between pulses. */
static void drive(uint32_t machine, uint32_t level, uint32_t directions)
{
    REGISTER(PIO0_SM_INSTR(machine)) = SET_PINS(level);
    REGISTER(PIO0_SM_INSTR(machine)) = SET_DIRS(directions);
}

static void start_machines(void)
{
    for (uint32_t i = 0; i < PROGRAM_END; i++)
        REGISTER(PIO0_INSTR_MEM(i)) = program[i];
    start_machine(HSYNC, HSYNC_BEGIN, VSYNC_BEGIN, CYCLES_PER_PIXEL * DIVIDER, PIO_SET_PINS(HSYNC_PIN, 1));
    start_machine(VSYNC, VSYNC_BEGIN, RGB_BEGIN, CYCLES_PER_PIXEL * DIVIDER, PIO_SET_PINS(VSYNC_PIN, 1));
    start_machine(RGB, RGB_BEGIN, PROGRAM_END, DIVIDER,
                  PIO_SET_PINS(RGB_PIN, RGB_PINS) | PIO_OUT_PINS(RGB_PIN, RGB_PINS));
    REGISTER(PIO0_SM_SHIFTCTRL(RGB)) = PIO_SHIFT_AUTOPULL | PIO_SHIFT_PULL_AT(VGA_PER_WORD * VGA_PIXEL_BITS) |
                                       PIO_SHIFT_RIGHT | PIO_SHIFT_JOIN_TX;
    drive(HSYNC, 1, 1);
    drive(VSYNC, 1, 1);
    drive(RGB, 0, (1u << RGB_PINS) - 1);
    /* A loop runs one time more than its counter says; the first program also spends one pixel on setting its
     * counter. */
    REGISTER(PIO0_TXF(HSYNC)) = VGA_WIDTH + 16 - 2;
    REGISTER(PIO0_TXF(VSYNC)) = VGA_HEIGHT - 1;
    REGISTER(PIO0_TXF(RGB)) = VGA_WIDTH - 1;
}

static void start_channels(void)
{
    const uint32_t pixels = DMA_CH(PIXEL_CHANNEL), restart = DMA_CH(RESTART_CHANNEL);
    REGISTER(pixels + DMA_WRITE_ADDR) = PIO0_TXF(RGB);
    REGISTER(pixels + DMA_TRANS_COUNT) = VGA_ROW * VGA_HEIGHT;
    REGISTER(pixels + DMA_AL1_CTRL) = DMA_CTRL_EN | DMA_CTRL_HIGH | DMA_CTRL_SIZE_WORD | DMA_CTRL_INCR_READ |
                                      DMA_CTRL_CHAIN_TO(RESTART_CHANNEL) | DMA_CTRL_TREQ(DREQ_PIO0_TX(RGB));
    REGISTER(restart + DMA_READ_ADDR) = (uint32_t)(uintptr_t)&first_pixel;
    REGISTER(restart + DMA_WRITE_ADDR) = pixels + DMA_AL3_READ_ADDR;
    REGISTER(restart + DMA_TRANS_COUNT) = 1;
    REGISTER(restart + DMA_CTRL_TRIG) =
        DMA_CTRL_EN | DMA_CTRL_SIZE_WORD | DMA_CTRL_CHAIN_TO(RESTART_CHANNEL) | DMA_CTRL_TREQ(DREQ_ALWAYS);
}

void vga_start(void)
{
    const uint32_t machines = (1u << MACHINES) - 1;
    for (uint32_t pin = HSYNC_PIN; pin < RGB_PIN + RGB_PINS; pin++)
        if (pin <= VSYNC_PIN || pin >= RGB_PIN)
            REGISTER(IO_BANK0_GPIO_CTRL(pin)) = GPIO_FUNC_PIO0;
    start_machines();
    start_channels();
    REGISTER(PIO0_CTRL) = PIO_CTRL_ENABLE(machines) | PIO_CTRL_RESTART(machines) | PIO_CTRL_CLKDIV(machines);
}

/* The wait has a limit, so that the flock continues even if there is no sync pulse. */
void vga_await_sync(void)
{
    const uint32_t begun = clock_micros();
    while (REGISTER(PIO0_DBG_PADOUT) & 1u << VSYNC_PIN && clock_micros() - begun < VGA_FRAME_MICROS)
        ;
}
