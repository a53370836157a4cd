/* The stand-in for SPI, DMA and pins. The file `wire` gets two bytes for each byte on the wire: its value, and the level of the pin that is
 * high for data and low for commands. It has all commands, and every hundredth frame. */
#include "hardware/clocks.h"
#include "hardware/dma.h"
#include "hardware/spi.h"

#include <stdlib.h>

enum { PIN_SELECT = 17, PIN_COMMAND = 20, PIN_RESET = 21, PINS = 32, DREQ = 16 };
enum { OPEN = 1, WRITE = 5, BINARY = 5 };

static bool levels[PINS];
static uint bits, clock_khz, frames;
static uint8_t wire[1 << 16];
static uint32_t used;
static struct {
    const volatile uint16_t *from;
    uint count;
} transfer;
static spi_hw_t hardware;

uint32_t semihost(uint32_t operation, uintptr_t argument);

static void flush(void)
{
    static uint32_t file;
    if (!file)
        file = semihost(OPEN, (uintptr_t)(const uintptr_t[]){(uintptr_t) "wire", BINARY, 4});
    semihost(WRITE, (uintptr_t)(const uintptr_t[]){file, (uintptr_t)wire, used});
    used = 0;
}

static void put_on_wire(uint byte)
{
    if (levels[PIN_SELECT] || !levels[PIN_RESET] || clock_khz == 0)
        abort();
    wire[used++] = (uint8_t)byte;
    wire[used++] = levels[PIN_COMMAND];
    if (used == sizeof wire)
        flush();
}

void gpio_init(uint pin)
{
    levels[pin] = false;
}

void gpio_set_dir(uint pin, bool is_output)
{
    (void)pin, (void)is_output;
}

void gpio_put(uint pin, bool value)
{
    levels[pin] = value;
}

void gpio_set_function(uint pin, uint function)
{
    (void)pin, (void)function;
}

bool set_sys_clock_khz(uint khz, bool required)
{
    clock_khz = khz;
    return required;
}

void sleep_ms(uint32_t ms)
{
    (void)ms;
}

uint spi_init(spi_inst_t *spi, uint hz)
{
    (void)spi;
    bits = 8;
    if (hz != 500 * clock_khz)
        abort(); /* the SPI would be slower */
    return hz;
}

void spi_set_format(spi_inst_t *spi, uint new_bits, uint polarity, uint phase, uint order)
{
    (void)spi, (void)polarity, (void)phase, (void)order;
    bits = new_bits;
}

int spi_write_blocking(spi_inst_t *spi, const uint8_t *from, size_t length)
{
    (void)spi;
    if (bits != 8 || transfer.count > 0)
        abort();
    for (size_t i = 0; i < length; i++)
        put_on_wire(from[i]);
    return (int)length;
}

bool spi_is_busy(const spi_inst_t *spi)
{
    (void)spi;
    return false;
}

uint spi_get_dreq(spi_inst_t *spi, bool is_output)
{
    (void)spi;
    return DREQ + !is_output;
}

spi_hw_t *spi_get_hw(spi_inst_t *spi)
{
    (void)spi;
    return &hardware;
}

int dma_claim_unused_channel(bool required)
{
    return required ? 3 : -1;
}

dma_channel_config dma_channel_get_default_config(uint channel)
{
    (void)channel;
    return (dma_channel_config){0};
}

void channel_config_set_transfer_data_size(dma_channel_config *config, uint size)
{
    config->size = size;
}

void channel_config_set_dreq(dma_channel_config *config, uint dreq)
{
    config->dreq = dreq;
}

void dma_channel_configure(uint channel, const dma_channel_config *config, volatile void *to,
                           const volatile void *from, uint count, bool trigger)
{
    (void)channel;
    if (to != &hardware.dr || config->dreq != DREQ || config->size != DMA_SIZE_16 || bits != 16 || !trigger ||
        transfer.count > 0)
        abort();
    transfer.from = from;
    transfer.count = count;
}

void dma_channel_wait_for_finish_blocking(uint channel)
{
    (void)channel;
    if (frames++ % 100 == 0)
        for (uint i = 0; i < transfer.count; i++) {
            put_on_wire(transfer.from[i] >> 8);
            put_on_wire(transfer.from[i] & 0xff);
        }
    transfer.count = 0;
    flush();
}
