/* See board.h. */
#include "board.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The number of cycles that one core may be ahead of the other: they synchronise only by the mailbox and locks, and by banks of
 * RAM if those are timed. While a lock is held, they alternate. */
enum { QUANTUM = 64, LONGEST_STALL = 4096 };

enum {
    XOSC_STATUS = 0x40024004,
    RESET_DONE = 0x4000c008,
    RESET = 0x4000c000,
    CLK_REF_CTRL = 0x40008030,
    CLK_REF_SELECTED = 0x40008038,
    CLK_SYS_CTRL = 0x4000803c,
    CLK_SYS_SELECTED = 0x40008044,
    PLL_CS = 0x40028000,
    PLL_FBDIV = 0x40028008,
    PLL_PRIM = 0x4002800c,
    TIMERAWL = 0x40054028,
    UART_FLAGS = 0x40034018,
    UART_IBRD = 0x40034024,
    UART_FBRD = 0x40034028,
    UART_DMA = 0x50000080,
    DMA_BUSY = 1 << 24,
    PIO_CTRL = 0x50200000,
    PIO_PADOUT = 0x5020003c,
    PIO_CLKDIV = 0x502000c8,
};
#define SYST_CVR 0xe000e018u
enum { CRYSTAL_MHZ = 12, LINES = 525, SYNC_LINE = 490, VSYNC_PIN = 17, PIXELS = 800 };
enum { VECTORS = 0x10000100, SCRATCH_END = 0x20042000 };
/* The stack of core 1, then that of core 0, painted before the start. */
enum { STACKS = 0x40000, STACK_BYTES = 4096, PAINT = 0xa5 };

static uint32_t *find_register(struct board *board, uint32_t address)
{
    for (uint32_t i = (address >> 2) * 2654435761u >> 20;; i++) {
        uint32_t *found = &board->registers[i % BOARD_WORDS].address;
        if (*found == 0)
            *found = address;
        if (*found == address)
            return &board->registers[i % BOARD_WORDS].value;
    }
}

double board_clock(struct board *board)
{
    const uint32_t dividers = *find_register(board, PLL_PRIM), feedback = *find_register(board, PLL_FBDIV);
    const uint32_t by = (dividers >> 16 & 7) * (dividers >> 12 & 7);
    return by > 0 ? (double)CRYSTAL_MHZ * feedback / by : CRYSTAL_MHZ;
}

double board_line(struct board *board)
{
    return PIXELS * (*find_register(board, PIO_CLKDIV) / 65536.);
}

/* Sync pulses are two lines long, after the lines shown and the front porch. */
static bool is_sync(struct board *board, uint64_t now)
{
    const double lines =
        board->video_begun ? (double)(now - board->video_begun) / board_line(board) - SYNC_LINE : -1;
    if (lines < 0)
        return false;
    const uint64_t pulse = (uint64_t)(lines / LINES);
    if (lines - (double)(pulse * LINES) >= 2)
        return false;
    if (pulse + 1 != board->pulse && board->picture)
        board->picture(board, pulse);
    board->pulse = pulse + 1;
    return true;
}

static void send(struct board *board, uint64_t now)
{
    const double divisor = *find_register(board, UART_IBRD) + *find_register(board, UART_FBRD) / 64.;
    const uint32_t from = *find_register(board, UART_DMA), count = *find_register(board, UART_DMA + 8);
    board->uart_free = now + (uint64_t)(count * 160 * divisor);
    for (uint32_t i = 0; i < count; i++) {
        const char c = (char)board->memory.sram[from + i - 0x20000000];
        if (c != '\n' && board->length + 1 < BOARD_LINE) {
            board->text[board->length++] = c;
            continue;
        }
        board->text[board->length] = '\0';
        board->length = 0;
        board->line(board, board->text);
    }
}

/* A word from one core to the other; until it runs, the boot ROM reads for the second one. */
static void post(struct board *board, uint32_t from, uint32_t word)
{
    static const uint32_t expected[] = {0, 0, 1};
    struct mailbox *box = &board->inbox[from == 1 || !board->is_launched ? 0 : 1];
    if (box->count < BOARD_DEPTH)
        box->words[box->count++] = word;
    if (from == 1 || board->is_launched)
        return;
    if (board->launch_count < 3 && word != expected[board->launch_count])
        board->launch_count = 0;
    else
        board->launch[board->launch_count++] = word;
    if (board->launch_count < 6)
        return;
    board->is_launched = true;
    board->cores[1].r[13] = board->launch[4];
    board->cores[1].r[15] = board->launch[5] & ~1u;
    board->cores[1].cycles = board->cores[0].cycles;
}

static uint32_t take(struct mailbox *box)
{
    const uint32_t word = box->words[0];
    if (box->count == 0)
        return 0;
    box->count--;
    for (uint32_t i = 0; i < box->count; i++)
        box->words[i] = box->words[i + 1];
    return word;
}

static void divide(struct divider *by, bool is_signed)
{
    if (by->divisor == 0)
        return;
    by->quotient = is_signed ? (uint32_t)((int64_t)(int32_t)by->dividend / (int32_t)by->divisor)
                             : by->dividend / by->divisor;
    by->remainder = by->dividend - by->quotient * by->divisor;
}

static uint32_t read_mailbox_state(struct thumb *core)
{
    struct board *board = core->board;
    const struct thumb *other = &board->cores[1 - core->number];
    const bool has_mail = board->inbox[core->number].count > 0;
    if (!has_mail && board->is_launched && core->cycles < other->cycles)
        core->cycles = other->cycles;
    return (uint32_t)has_mail | (board->inbox[1 - core->number].count < BOARD_DEPTH ? 2 : 0);
}

static uint32_t read_sio(struct thumb *core, uint32_t offset)
{
    struct board *board = core->board;
    const struct divider *divider = &board->dividers[core->number];
    struct mailbox *inbox = &board->inbox[core->number];
    if (offset >= 0x100) {
        const uint32_t lock = 1u << (offset - 0x100) / 4;
        const bool is_free = !(board->locks & lock);
        board->locks |= lock;
        core->until = core->cycles;
        return is_free ? lock : 0;
    }
    switch (offset) {
    case 0x00: return core->number;
    case 0x50: return read_mailbox_state(core);
    case 0x58: return take(inbox);
    case 0x70: return divider->quotient;
    case 0x74: return divider->remainder;
    default: return 0;
    }
}

static void write_sio(struct thumb *core, uint32_t offset, uint32_t value)
{
    struct board *board = core->board;
    struct divider *divider = &board->dividers[core->number];
    if (offset >= 0x100)
        board->locks &= ~(1u << (offset - 0x100) / 4);
    switch (offset) {
    case 0x54: post(board, core->number, value); break;
    case 0x60:
    case 0x68: divider->dividend = value; break;
    case 0x64:
    case 0x6c: divider->divisor = value; break;
    default: break;
    }
    if (offset >= 0x60 && offset < 0x70)
        divide(divider, offset >= 0x68);
}

/* The same instruction reads again: advance the timer. */
static uint32_t read_timer(struct thumb *core)
{
    struct board *board = core->board;
    const double clock = board_clock(board);
    if (board->timer_asked[core->number] == core->r[15])
        core->cycles = (uint64_t)((double)((uint64_t)((double)core->cycles / clock) + 1) * clock) + 1;
    board->timer_asked[core->number] = core->r[15];
    return (uint32_t)((double)core->cycles / clock);
}

static uint32_t read_pins(struct thumb *core)
{
    struct board *board = core->board;
    if (is_sync(board, core->cycles))
        return 0;
    board->timer_asked[core->number] = 0;
    const double frame = board_line(board) * LINES, begin = board_line(board) * SYNC_LINE;
    const double since = (double)(core->cycles - board->video_begun) - begin;
    const double pulse = since < 0 ? 0 : (double)((uint64_t)(since / frame) + 1);
    core->cycles = board->video_begun + (uint64_t)(begin + pulse * frame);
    return 1u << VSYNC_PIN;
}

uint32_t board_read(struct thumb *core, uint32_t address)
{
    struct board *board = core->board;
    if (address >> 28 == 0xd)
        return read_sio(core, address & 0xfff);
    const uint32_t value = *find_register(board, address);
    switch (address) {
    case XOSC_STATUS: return 1u << 31;
    case RESET_DONE: return ~*find_register(board, RESET);
    case CLK_REF_SELECTED: return 1u << (*find_register(board, CLK_REF_CTRL) & 3);
    case CLK_SYS_SELECTED: return 1u << (*find_register(board, CLK_SYS_CTRL) & 1);
    case PLL_CS: return value | 1u << 31;
    case TIMERAWL: return read_timer(core);
    case SYST_CVR: return ~(uint32_t)core->cycles & 0xffffff;
    case UART_DMA + 0xc: return core->cycles < board->uart_free ? value | DMA_BUSY : value;
    case UART_FLAGS: return 1u << 4; /* nothing was received */
    case PIO_PADOUT: return read_pins(core);
    default: return value;
    }
}

void board_write(struct thumb *core, uint32_t address, uint32_t value)
{
    struct board *board = core->board;
    if (address >> 28 == 0xd) {
        write_sio(core, address & 0xfff, value);
        return;
    }
    const bool has_alias = address >> 28 == 4 || address >> 28 == 5;
    const uint32_t alias = has_alias ? address >> 12 & 3 : 0;
    address &= has_alias ? ~0x3000u : ~0u;
    uint32_t *word = find_register(board, address);
    *word = alias == 0 ? value : alias == 1 ? *word ^ value : alias == 2 ? *word | value : *word & ~value;
    if (address == UART_DMA + 0xc)
        send(board, core->cycles);
    if (address == PIO_CTRL && *word & 1 && !board->video_begun)
        board->video_begun = core->cycles;
}

void board_stop(const struct thumb *core, const char *why)
{
    fprintf(stderr, "core %u at %08x: %s\n", core->number, core->r[15], why);
    exit(1);
}

struct board *board_create(const char *image)
{
    FILE *file = fopen(image, "rb");
    struct board *board = calloc(1, sizeof *board);
    if (!file || !board || fread(board->memory.flash, 1, FLASH_BYTES, file) < 512) {
        free(board);
        board = NULL;
    } else {
        const uint8_t *reset = board->memory.flash + 0x104;
        memset(board->memory.sram + STACKS, PAINT, 2 * STACK_BYTES);
        for (uint32_t i = 0; i < 2; i++)
            board->cores[i] = (struct thumb){.number = i, .board = board};
        board->cores[0].r[13] = SCRATCH_END;
        board->cores[0].r[15] =
            (reset[0] | (uint32_t)reset[1] << 8 | (uint32_t)reset[2] << 16 | (uint32_t)reset[3] << 24) & ~1u;
    }
    if (file)
        fclose(file);
    return board;
}

uint32_t board_stack_free(const struct board *board, uint32_t core)
{
    const uint8_t *stack = board->memory.sram + STACKS + (core == 0 ? STACK_BYTES : 0);
    uint32_t free = 0;
    while (free < STACK_BYTES && stack[free] == PAINT)
        free++;
    return free;
}

/* One in 64 times a core stops for a while. */
static void stall(struct board *board)
{
    board->stalls = board->stalls * 1664525u + 1013904223u;
    if (board->stalls >> 26 == 0)
        board->cores[board->stalls >> 13 & 1].cycles += board->stalls % LONGEST_STALL;
}

void board_run(struct board *board)
{
    const uint32_t quantum = board->is_contended || board->locks ? 1 : QUANTUM;
    struct thumb *cores = board->cores;
    if (board->stalls)
        stall(board);
    if (!board->is_launched)
        thumb_run(&cores[0], &board->memory, cores[0].cycles + quantum);
    else if (cores[1].cycles < cores[0].cycles)
        thumb_run(&cores[1], &board->memory, cores[0].cycles + quantum);
    else
        thumb_run(&cores[0], &board->memory, cores[1].cycles + quantum);
}
