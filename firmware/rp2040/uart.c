/* See uart.h. Two lines alternate: one is written while the other is sent. */
#include "uart.h"

#include "clock.h"
#include "led_and_watchdog.h"

#include <stdarg.h>

enum { UART_PIN = 0, UART_RX_PIN = 1, UART_CHANNEL = 2 };
/* The divisor of the clock, in 64ths, rounded: 67.816 at 125 MHz. */
enum { BAUD = 115200, BAUD_DIVIDER = (CLOCK_MHZ * 1000000u * 4 + BAUD / 2) / BAUD };

static struct line lines[2];
static uint32_t turn;
/* True if no line was sent since uart_echo(). */
static bool is_typing;

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
    if (SIM_LIVE && is_typing)
        line_add(&lines[turn], "\n");
    is_typing = false;
    return &lines[turn];
}

static void send(const struct line *line)
{
    const uint32_t channel = DMA_CH(UART_CHANNEL);
    while (REGISTER(channel + DMA_CTRL_TRIG) & DMA_CTRL_BUSY)
        watchdog_feed();
    REGISTER(channel + DMA_READ_ADDR) = (uint32_t)(uintptr_t)line->text;
    REGISTER(channel + DMA_TRANS_COUNT) = line->length;
    REGISTER(channel + DMA_CTRL_TRIG) = DMA_CTRL_EN | DMA_CTRL_SIZE_BYTE | DMA_CTRL_INCR_READ |
                                        DMA_CTRL_CHAIN_TO(UART_CHANNEL) | DMA_CTRL_TREQ(DREQ_UART0_TX);
}

void uart_send(struct line *line)
{
    if (line->length == UART_LINE_SIZE)
        line->length--;
    line->text[line->length++] = '\n';
    send(line);
}

void uart_echo(const char *text, const char *whole)
{
    const char *echo = is_typing ? text : whole;
    is_typing = false;
    struct line *line = uart_line();
    line_add(line, "%s", echo);
    send(line);
    is_typing = true;
}

static void add_character(struct line *line, char character)
{
    if (line->length < UART_LINE_SIZE)
        line->text[line->length++] = character;
}

static void add_number(struct line *line, uint32_t number)
{
    uint32_t unit = 1;
    while (number / unit >= 10)
        unit *= 10;
    for (; unit > 0; unit /= 10)
        add_character(line, (char)('0' + number / unit % 10));
}

static void add_hex(struct line *line, uint64_t number)
{
    for (int shift = 60; shift >= 0; shift -= 4)
        add_character(line, "0123456789abcdef"[number >> shift & 15]);
}

static void add_list(struct line *line, const char *format, va_list arguments)
{
    for (; *format != '\0'; format++) {
        if (*format != '%') {
            add_character(line, *format);
            continue;
        }
        while (*++format == 'l')
            ;
        switch (*format) {
        case 's':
            for (const char *text = va_arg(arguments, const char *); *text != '\0'; text++)
                add_character(line, *text);
            break;
        case 'u': add_number(line, va_arg(arguments, uint32_t)); break;
        case 'x': add_hex(line, va_arg(arguments, uint64_t)); break;
        default: break;
        }
    }
}

void line_add(struct line *line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_list(line, format, arguments);
    va_end(arguments);
}

void uart_print(const char *format, ...)
{
    struct line *line = uart_line();
    va_list arguments;
    va_start(arguments, format);
    add_list(line, format, arguments);
    va_end(arguments);
    uart_send(line);
}

/* 1/65536 has sixteen decimals; trailing zeros are not written. */
void line_add_fixed(struct line *line, int32_t raw)
{
    uint32_t rest = raw < 0 ? -(uint32_t)raw : (uint32_t)raw;
    if (raw < 0)
        add_character(line, '-');
    add_number(line, rest >> 16);
    rest &= 0xffff;
    if (rest > 0)
        add_character(line, '.');
    for (; rest > 0; rest &= 0xffff) {
        rest *= 10;
        add_character(line, (char)('0' + (rest >> 16)));
    }
}
