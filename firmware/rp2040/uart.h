/* Lines of text on UART0, GPIO0, at 115200 baud. DMA sends them, so the program waits only if it writes a line while
 * the previous one is being sent; it never waits for a receiver. Commands of one character arrive on GPIO1. */
#ifndef UART_H
#define UART_H

#include <stdbool.h>
#include <stdint.h>

enum { UART_LINE_SIZE = 128 };

/** A line that is being written; text that does not fit is cut off. */
struct line {
    uint32_t length;
    char text[UART_LINE_SIZE];
};

void uart_start(void);

/** The next character received, or '\0' if there is none. */
char uart_read(void);

/** Begin an empty line. */
struct line *uart_line(void);

/** Add a line break and send the line. */
void uart_send(struct line *line);

/** Send a line with a text as by line_add(). */
__attribute__((format(printf, 1, 2))) void uart_print(const char *format, ...);

/** Send `text` without a line break. If another line was sent since the last call, send `whole` instead: the current line so far,
 * including `text`. The next line begins with a line break. */
void uart_echo(const char *text, const char *whole);

/** Add a text as printf() does, with %s, %lu and %llx only; %llx has sixteen digits. */
__attribute__((format(printf, 2, 3))) void line_add(struct line *line, const char *format, ...);

/** A Q16.16 number in decimals, exactly: up to sixteen digits after the point. */
void line_add_fixed(struct line *line, int32_t raw);

#endif
