/* Converts a binary image to two formats that a board needs and that objcopy cannot write.
 *
 *     firmware_image boot2 < IN > OUT   the second-stage boot loader: padded to 252 bytes, then the checksum
 *     firmware_image uf2 < IN > OUT     a flash image in blocks of 512 bytes, for the board's USB drive
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { BOOT2_SIZE = 252, PAGE = 256, BLOCK = 512, MAX_FLASH = 16 * 1024 * 1024 };
static const uint32_t flash = 0x10000000, rp2040_family = 0xe48bff56;

static void put_word(unsigned char *to, uint32_t word)
{
    for (int i = 0; i < 4; i++)
        to[i] = (unsigned char)(word >> 8 * i);
}

/* The CRC-32 that the boot ROM computes (datasheet 2.8.1.3.1): most significant bit first, without inversion. */
static uint32_t checksum(const unsigned char *bytes, size_t count)
{
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < count; i++) {
        crc ^= (uint32_t)bytes[i] << 24;
        for (int bit = 0; bit < 8; bit++)
            crc = crc << 1 ^ (crc >> 31 ? UINT32_C(0x04c11db7) : 0);
    }
    return crc;
}

static bool write_boot2(const unsigned char *image, size_t size)
{
    unsigned char page[PAGE] = {0};
    if (size > PAGE ||
        (size > BOOT2_SIZE && memcmp(image + BOOT2_SIZE, "\0\0\0\0", size - BOOT2_SIZE) != 0)) {
        fprintf(stderr, "firmware_image: boot2 takes %zu bytes; it must fit into %d\n", size, BOOT2_SIZE);
        return false;
    }
    memcpy(page, image, size);
    put_word(page + BOOT2_SIZE, checksum(page, BOOT2_SIZE));
    fwrite(page, sizeof page, 1, stdout);
    return true;
}

/* https://github.com/microsoft/uf2 */
static void write_uf2(const unsigned char *image, size_t size)
{
    const uint32_t blocks = (uint32_t)((size + PAGE - 1) / PAGE);
    for (uint32_t i = 0; i < blocks; i++) {
        const uint32_t head[] = {0x0a324655, 0x9e5d5157, 0x2000, flash + i * PAGE,
                                 PAGE,       i,          blocks, rp2040_family};
        const size_t left = size - (size_t)i * PAGE;
        unsigned char block[BLOCK] = {0};
        for (size_t word = 0; word < sizeof head / sizeof *head; word++)
            put_word(block + 4 * word, head[word]);
        memcpy(block + sizeof head, image + (size_t)i * PAGE, left < PAGE ? left : PAGE);
        put_word(block + BLOCK - 4, 0x0ab16f30);
        fwrite(block, sizeof block, 1, stdout);
    }
}

int main(int argc, char **argv)
{
    static unsigned char image[MAX_FLASH];
    const char *format = argc == 2 ? argv[1] : "";
    const size_t size = fread(image, 1, sizeof image, stdin);
    bool is_good = size > 0;
    if (strcmp(format, "boot2") == 0)
        is_good = is_good && write_boot2(image, size);
    else if (strcmp(format, "uf2") == 0)
        write_uf2(image, size);
    else
        is_good = fputs("usage: firmware_image boot2|uf2 < IN > OUT\n", stderr) < 0;
    return is_good && fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
