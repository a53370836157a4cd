/* Converts a binary image to two formats that a board needs and that objcopy cannot write.
 *
 *     firmware_image boot2 IN OUT   the second-stage boot loader: padded to 252 bytes, then the checksum
 *     firmware_image uf2 IN OUT     a flash image in blocks of 512 bytes, for the board's USB drive
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
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

static bool write_boot2(FILE *out, const unsigned char *image, size_t size)
{
    unsigned char page[PAGE] = {0};
    if (size > PAGE ||
        (size > BOOT2_SIZE && memcmp(image + BOOT2_SIZE, "\0\0\0\0", size - BOOT2_SIZE) != 0)) {
        fprintf(stderr, "firmware_image: boot2 takes %zu bytes; it must fit into %d\n", size, BOOT2_SIZE);
        return false;
    }
    memcpy(page, image, size);
    put_word(page + BOOT2_SIZE, checksum(page, BOOT2_SIZE));
    return fwrite(page, sizeof page, 1, out) == 1;
}

/* https://github.com/microsoft/uf2 */
static bool write_uf2(FILE *out, const unsigned char *image, size_t size)
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
        if (fwrite(block, sizeof block, 1, out) != 1)
            return false;
    }
    return true;
}

static unsigned char *load_image(const char *path, size_t *size)
{
    FILE *in = fopen(path, "rb");
    unsigned char *bytes = malloc(MAX_FLASH);
    *size = in && bytes ? fread(bytes, 1, MAX_FLASH, in) : 0;
    if (in)
        fclose(in);
    if (*size > 0)
        return bytes;
    fprintf(stderr, "firmware_image: %s cannot be read or is empty\n", path);
    free(bytes);
    return NULL;
}

static bool convert_image(const char *format, const char *from, const char *to)
{
    size_t size;
    unsigned char *image = load_image(from, &size);
    FILE *out = image ? fopen(to, "wb") : NULL;
    bool is_good = out && (strcmp(format, "uf2") == 0 ? write_uf2 : write_boot2)(out, image, size);
    if (out && fclose(out) != 0)
        is_good = false;
    if (image && !is_good)
        fprintf(stderr, "firmware_image: %s cannot be written\n", to);
    free(image);
    return is_good;
}

int main(int argc, char **argv)
{
    if (argc != 4 || (strcmp(argv[1], "uf2") != 0 && strcmp(argv[1], "boot2") != 0)) {
        fputs("usage: firmware_image boot2|uf2 IN OUT\n", stderr);
        return 2;
    }
    return convert_image(argv[1], argv[2], argv[3]) ? 0 : 1;
}
