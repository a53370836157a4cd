/* A small SPI screen with an ST7789. draw_agent() paints into a frame of 16-bit pixels, and DMA sends the frame while the next step is
 * computed: 15 ms for 240 x 240 pixels, 20 ms for 320 x 240. To send only what has changed takes less time on the wire, but
 * the core must begin each of some hundred small windows. */
#include "draw_agent.h"
#include "hardware/clocks.h"
#include "hardware/dma.h"
#include "hardware/spi.h"
#include "pico/stdlib.h"
#include "sim.h"

#include <string.h>

/* The wiring: numbers of GPIO pins, for the first SPI. */
enum { PIN_SELECT = 17, PIN_CLOCK = 18, PIN_DATA = 19, PIN_COMMAND = 20, PIN_RESET = 21, PIN_LIGHT = 22 };

/* The clock of the board, of which the SPI uses the half. */
enum { CLOCK_KHZ = 125000, SPI_HZ = 62500000 };

enum { WIDTH = SCREEN_WIDTH, HEIGHT = SCREEN_HEIGHT, BOID_SIZE = 2, PREDATOR_SIZE = 4 };
enum { BOID_PIXEL = 0x975f, PREDATOR_PIXEL = 0xfa68 }; /* 5 bits of red, 6 of green, 5 of blue */

enum { WRITE_PIXELS = 0x2c };
static const struct {
    uint8_t command, wait_ms, length, data[4];
} start[] = {
    {0x01, 150, 0, {0}},                                          /* reset */
    {0x11, 120, 0, {0}},                                          /* wake */
    {0x3a, 0, 1, {0x55}},                                         /* 16 bits per pixel */
    {0x36, 0, 1, {WIDTH > HEIGHT ? 0x60 : 0}},                    /* the screen lies on its side */
    {0x21, 0, 0, {0}},                                            /* these panels are inverted */
    {0x13, 10, 0, {0}},                                           /* the whole screen */
    {0x2a, 0, 4, {0, 0, (WIDTH - 1) >> 8, (WIDTH - 1) & 0xff}},   /* first and last column */
    {0x2b, 0, 4, {0, 0, (HEIGHT - 1) >> 8, (HEIGHT - 1) & 0xff}}, /* first and last row */
    {0x29, 10, 0, {0}},                                           /* on */
};

static uint16_t frame[HEIGHT * WIDTH];
static uint channel;
static bool is_shown; /* this frame is complete */

/* A panel without a select pin needs an idle clock that is high; the others accept it. */
static void set_bits(uint bits)
{
    spi_set_format(spi0, bits, SPI_CPOL_1, SPI_CPHA_1, SPI_MSB_FIRST);
}

static void send(uint8_t command, const uint8_t *data, size_t length)
{
    set_bits(8);
    gpio_put(PIN_COMMAND, false);
    spi_write_blocking(spi0, &command, 1);
    gpio_put(PIN_COMMAND, true);
    if (length > 0)
        spi_write_blocking(spi0, data, length);
}

static void set_output(uint pin, bool value)
{
    gpio_init(pin);
    gpio_set_dir(pin, GPIO_OUT);
    gpio_put(pin, value);
}

void draw_begin(void)
{
    set_sys_clock_khz(CLOCK_KHZ, true);
    spi_init(spi0, SPI_HZ);
    gpio_set_function(PIN_CLOCK, GPIO_FUNC_SPI);
    gpio_set_function(PIN_DATA, GPIO_FUNC_SPI);
    set_output(PIN_SELECT, false);
    set_output(PIN_COMMAND, true);
    set_output(PIN_RESET, false);
    set_output(PIN_LIGHT, true);
    sleep_ms(10);
    gpio_put(PIN_RESET, true);
    sleep_ms(120);
    for (size_t k = 0; k < sizeof start / sizeof *start; k++) {
        send(start[k].command, start[k].data, start[k].length);
        sleep_ms(start[k].wait_ms);
    }
    channel = (uint)dma_claim_unused_channel(true);
}

/* The frame is sent, so the next one can be drawn. */
static void wait_for_frame(void)
{
    dma_channel_wait_for_finish_blocking(channel);
    while (spi_is_busy(spi0))
        tight_loop_contents();
    memset(frame, 0, sizeof frame);
    is_shown = false;
}

void draw_agent(int x, int y, enum colour colour)
{
    const int wide = whole(sim_params.x.length), high = whole(sim_params.y.length);
    const int size = colour == PREDATOR ? PREDATOR_SIZE : BOID_SIZE;
    if (colour == BLACK)
        return;
    if (is_shown)
        wait_for_frame();
    if (x < 0 || y < 0 || x > wide || y > high)
        return;
    /* The world fills the screen along one axis, and is in the middle of the other one. */
    const bool is_wide = wide * HEIGHT > high * WIDTH;
    const int pixels = is_wide ? WIDTH : HEIGHT, length = is_wide ? wide : high;
    const int column = (WIDTH - wide * pixels / length) / 2 + x * pixels / length,
              row = (HEIGHT - high * pixels / length) / 2 + (SIM_Y_UP ? high - y : y) * pixels / length;
    for (int v = row; v < row + size && v < HEIGHT; v++)
        for (int u = column; u < column + size && u < WIDTH; u++)
            frame[v * WIDTH + u] = colour == PREDATOR ? PREDATOR_PIXEL : BOID_PIXEL;
}

void draw_end(void)
{
    dma_channel_config settings = dma_channel_get_default_config(channel);
    channel_config_set_transfer_data_size(&settings, DMA_SIZE_16);
    channel_config_set_dreq(&settings, spi_get_dreq(spi0, true));
    send(WRITE_PIXELS, NULL, 0);
    set_bits(16);
    dma_channel_configure(channel, &settings, &spi_get_hw(spi0)->dr, frame, WIDTH * HEIGHT, true);
    is_shown = true;
}
