/* See uart.h. Two lines alternate: one is written while the other is sent. */
#include "uart.h"

#include "clock.h"
#include "watchdog.h"

enum { UART_PIN = 0, UART_RX_PIN = 1, UART_CHANNEL = 2 };
/* The divisor of the clock, in 64ths, rounded: 67.816 at 125 MHz. */
enum { BAUD = 115200, BAUD_DIVIDER = (CLOCK_MHZ * 1000000u * 4 + BAUD / 2) / BAUD };

static struct line lines[2];
static uint32_t turn;
#if SIM_LIVE
static bool is_typing;
#endif

void uart_start(void)
{
    REGISTER(IO_BANK0_GPIO_CTRL(UART_PIN)) = GPIO_FUNC_UART;
    REGISTER(PADS_BANK0_GPIO(UART_RX_PIN)) = PADS_INPUT_PULLED_UP;
    REGISTER(IO_BANK0_GPIO_CTRL(UART_RX_PIN)) = GPIO_FUNC_UART;
    REGISTER(UART0_UARTIBRD) = BAUD_DIVIDER / 64;
    REGISTER(UART0_UARTFBRD) = BAUD_DIVIDER % 64;
    REGISTER(UART0_UARTLCR_H) = UARTLCR_H_8N1_FIFOS;
    REGISTER(UART0_UARTDMACR) = UARTDMACR_TXDMAE;
    REGISTER(UART0_UARTCR) = UARTCR_UARTEN_TXRX;
    REGISTER(DMA_CH(UART_CHANNEL) + DMA_WRITE_ADDR) = UART0_UARTDR;
}

char uart_read(void)
{
    if (REGISTER(UART0_UARTFR) & UARTFR_RXFE)
        return '\0';
    const uint32_t data = REGISTER(UART0_UARTDR);
    return data & UARTDR_ERRORS ? '\0' : (char)data;
}

struct line *uart_line(void)
{
    turn ^= 1;
    lines[turn].length = 0;
#if SIM_LIVE
    if (is_typing)
        line_add(&lines[turn], "\n");
    is_typing = false;
#endif
    return &lines[turn];
}

static inline void send(struct line *line, bool is_whole)
{
    const uint32_t channel = DMA_CH(UART_CHANNEL);
    if (is_whole) {
        if (line->length == UART_LINE_SIZE)
            line->length--;
        line->text[line->length++] = '\n';
    }
    while (REGISTER(channel + DMA_CTRL_TRIG) & DMA_CTRL_BUSY)
        watchdog_feed();
    REGISTER(channel + DMA_READ_ADDR) = (uint32_t)(uintptr_t)line->text;
    REGISTER(channel + DMA_TRANS_COUNT) = line->length;
    REGISTER(channel + DMA_CTRL_TRIG) = DMA_CTRL_EN | DMA_CTRL_SIZE_BYTE | DMA_CTRL_INCR_READ |
                                        DMA_CTRL_CHAIN_TO(UART_CHANNEL) | DMA_CTRL_TREQ(DREQ_UART0_TX);
}

void uart_send(struct line *line)
{
    send(line, true);
}

#if SIM_LIVE
void uart_echo(const char *text)
{
    is_typing = false;
    struct line *line = uart_line();
    line_add(line, text);
    send(line, false);
    is_typing = true;
}

bool uart_is_typing(void)
{
    return is_typing;
}
#endif

static void add_character(struct line *line, char character)
{
    if (line->length < UART_LINE_SIZE)
        line->text[line->length++] = character;
}

void line_add(struct line *line, const char *text)
{
    while (*text != '\0')
        add_character(line, *text++);
}

void line_add_number(struct line *line, uint32_t number)
{
    uint32_t unit = 1;
    while (number / unit >= 10)
        unit *= 10;
    for (; unit > 0; unit /= 10)
        add_character(line, (char)('0' + number / unit % 10));
}

void line_add_tenths(struct line *line, uint32_t tenths)
{
    line_add_number(line, tenths / 10);
    add_character(line, '.');
    line_add_number(line, tenths % 10);
}

void line_add_hex(struct line *line, uint64_t number)
{
    for (int shift = 60; shift >= 0; shift -= 4)
        add_character(line, "0123456789abcdef"[number >> shift & 15]);
}

/* 1/65536 has sixteen decimals; trailing zeros are not written. */
void line_add_fixed(struct line *line, int32_t raw)
{
    uint32_t rest = raw < 0 ? -(uint32_t)raw : (uint32_t)raw;
    if (raw < 0)
        add_character(line, '-');
    line_add_number(line, rest >> 16);
    rest &= 0xffff;
    if (rest > 0)
        add_character(line, '.');
    for (; rest > 0; rest &= 0xffff) {
        rest *= 10;
        add_character(line, (char)('0' + (rest >> 16)));
    }
}
