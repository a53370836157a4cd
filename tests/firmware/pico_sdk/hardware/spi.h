/* A stand-in for the SPI. What is on its wire goes to the file `wire` (board.c). */
#include "pico/stdlib.h"

#include <stddef.h>

typedef struct spi_inst spi_inst_t;
typedef struct {
    uint32_t dr;
} spi_hw_t;
enum { SPI_CPOL_1 = 1, SPI_CPHA_1 = 1, SPI_MSB_FIRST = 1 };

#define spi0 ((spi_inst_t *)0)

/** The frequency of the wire, at most `hz`: that of the board by an even number. */
uint spi_init(spi_inst_t *spi, uint hz);
void spi_set_format(spi_inst_t *spi, uint bits, uint polarity, uint phase, uint order);
int spi_write_blocking(spi_inst_t *spi, const uint8_t *from, size_t length);
bool spi_is_busy(const spi_inst_t *spi);
uint spi_get_dreq(spi_inst_t *spi, bool is_output);
spi_hw_t *spi_get_hw(spi_inst_t *spi);
