/* See thumb.h. Instructions are decoded by their upper eight bits; the names are those of the architecture's manual. */
#include "thumb.h"

#include "board.h"

#include <string.h>

enum { SP = 13, LR = 14, PC = 15 };
enum { FLASH_BASE = 0x10000000, SRAM_BASE = 0x20000000 };

static inline uint32_t bits(uint32_t word, int low, int count)
{
    return word >> low & ((1u << count) - 1);
}

static inline int32_t extend(uint32_t word, int count)
{
    return (int32_t)(word << (32 - count)) >> (32 - count);
}

/* The address in this program of a range of flash or RAM; NULL for registers. */
static inline uint8_t *find(struct memory *memory, uint32_t address)
{
    if (address - SRAM_BASE < SRAM_BYTES)
        return memory->sram + (address - SRAM_BASE);
    if (address - FLASH_BASE < FLASH_BYTES)
        return memory->flash + (address - FLASH_BASE);
    return NULL;
}

/* RAM is four banks, word by word, and two small ones. A core that accesses a bank in the same cycle as the other core waits for one;
 * DMA, which takes one word in forty cycles, is left out. */
static inline void touch(struct thumb *core, uint32_t address)
{
    struct board *board = core->board;
    if (!board->is_contended || address < SRAM_BASE)
        return;
    const uint32_t small = (address - SRAM_BASE) >> 18;
    struct bank *bank = &board->banks[small ? 4 + (address >> 12 & 1) : address >> 2 & 3];
    if (bank->cycle == core->cycles && bank->core != core->number)
        core->cycles++;
    *bank = (struct bank){core->cycles, core->number};
}

/* Beyond the first cycle of an access. */
static uint32_t cost_of(uint32_t address, bool is_write)
{
    switch (address >> 28) {
    case 0xd: return 0;
    case 0x4: return is_write ? 4 : 3;
    default: return 1;
    }
}

static inline uint32_t load(struct thumb *core, struct memory *memory, uint32_t address, uint32_t size)
{
    const uint8_t *at = find(memory, address);
    if (address & (size - 1))
        board_stop(core, "a load is not aligned");
    core->cycles += at ? 1 : cost_of(address, false);
    if (at) {
        uint32_t value = 0;
        touch(core, address);
        memcpy(&value, at, size);
        return value;
    }
    const uint32_t word = board_read(core, address & ~3u) >> 8 * (address & 3);
    return size == 4 ? word : word & ((1u << 8 * size) - 1);
}

static inline void store(struct thumb *core, struct memory *memory, uint32_t address, uint32_t size,
                         uint32_t value)
{
    uint8_t *at = find(memory, address);
    if (address & (size - 1))
        board_stop(core, "a store is not aligned");
    core->cycles += at ? 1 : cost_of(address, true);
    if (at) {
        touch(core, address);
        memcpy(at, &value, size);
    } else {
        board_write(core, address, value);
    }
}

static inline uint32_t judge(struct thumb *core, uint32_t result)
{
    core->n = result >> 31;
    core->z = result == 0;
    return result;
}

static inline uint32_t add(struct thumb *core, uint32_t a, uint32_t b, uint32_t carry)
{
    const uint64_t wide = (uint64_t)a + b + carry;
    const uint32_t sum = (uint32_t)wide;
    core->c = wide >> 32;
    core->v = (~(a ^ b) & (a ^ sum)) >> 31;
    return judge(core, sum);
}

static inline uint32_t subtract(struct thumb *core, uint32_t a, uint32_t b)
{
    return add(core, a, ~b, 1);
}

static inline uint32_t shift_left(struct thumb *core, uint32_t a, uint32_t by)
{
    if (by > 0)
        core->c = by <= 32 && a >> (32 - by) & 1;
    return judge(core, by < 32 ? a << by : 0);
}

static inline uint32_t shift_right(struct thumb *core, uint32_t a, uint32_t by)
{
    if (by > 0)
        core->c = by <= 32 && a >> (by - 1) & 1;
    return judge(core, by < 32 ? a >> by : 0);
}

static inline uint32_t shift_signed(struct thumb *core, uint32_t a, uint32_t by)
{
    const uint32_t within = by < 32 ? by : 31;
    if (by > 0)
        core->c = by < 32 ? a >> (by - 1) & 1 : a >> 31;
    return judge(core, (uint32_t)((int32_t)a >> within));
}

static inline bool holds(const struct thumb *core, uint32_t condition)
{
    bool is = true;
    switch (condition >> 1) {
    case 0: is = core->z; break;
    case 1: is = core->c; break;
    case 2: is = core->n; break;
    case 3: is = core->v; break;
    case 4: is = core->c && !core->z; break;
    case 5: is = core->n == core->v; break;
    case 6: is = core->n == core->v && !core->z; break;
    default: break;
    }
    return is != (condition & 1);
}

static inline void jump(struct thumb *core, uint32_t to)
{
    core->r[PC] = to & ~1u;
    core->cycles += 1;
}

/* Data processing in registers: 010000. */
static inline void compute(struct thumb *core, uint32_t op)
{
    uint32_t *d = &core->r[op & 7];
    const uint32_t m = core->r[bits(op, 3, 3)];
    switch (bits(op, 6, 4)) {
    case 0: *d = judge(core, *d & m); break;
    case 1: *d = judge(core, *d ^ m); break;
    case 2: *d = shift_left(core, *d, m & 255); break;
    case 3: *d = shift_right(core, *d, m & 255); break;
    case 4: *d = shift_signed(core, *d, m & 255); break;
    case 5: *d = add(core, *d, m, core->c); break;
    case 6: *d = add(core, *d, ~m, core->c); break;
    case 7: board_stop(core, "ror is not known"); break;
    case 8: judge(core, *d & m); break;
    case 9: *d = add(core, 0, ~m, 1); break;
    case 10: subtract(core, *d, m); break;
    case 11: add(core, *d, m, 0); break;
    case 12: *d = judge(core, *d | m); break;
    case 13: *d = judge(core, *d * m); break;
    case 14: *d = judge(core, *d & ~m); break;
    default: *d = judge(core, ~m); break;
    }
}

/* Those that reach all sixteen registers: 010001. */
static inline void compute_high(struct thumb *core, uint32_t op)
{
    const uint32_t from = bits(op, 3, 4), to = (op & 7) | bits(op, 7, 1) << 3;
    const uint32_t m = core->r[from] + (from == PC ? 2 : 0);
    switch (bits(op, 8, 2)) {
    case 0:
        if (to == PC)
            jump(core, core->r[PC] + 2 + m);
        else
            core->r[to] += m;
        break;
    case 1: subtract(core, core->r[to], m); break;
    case 2:
        if (to == PC)
            jump(core, m);
        else
            core->r[to] = m;
        break;
    default:
        if (op & 0x80)
            core->r[LR] = core->r[PC] | 1;
        jump(core, m);
        break;
    }
}

static void push(struct thumb *core, struct memory *memory, uint32_t op)
{
    const uint32_t list = (op & 255) | bits(op, 8, 1) << LR;
    core->r[SP] -= 4 * (uint32_t)__builtin_popcount(list);
    uint32_t at = core->r[SP];
    for (uint32_t left = list; left; left &= left - 1, at += 4)
        store(core, memory, at, 4, core->r[__builtin_ctz(left)]);
}

static void pop(struct thumb *core, struct memory *memory, uint32_t op)
{
    uint32_t at = core->r[SP];
    for (uint32_t left = op & 255; left; left &= left - 1, at += 4)
        core->r[__builtin_ctz(left)] = load(core, memory, at, 4);
    core->r[SP] = at + (op & 0x100 ? 4 : 0);
    if (op & 0x100)
        jump(core, load(core, memory, at, 4));
}

static inline void move_many(struct thumb *core, struct memory *memory, uint32_t op, bool is_load)
{
    const uint32_t n = bits(op, 8, 3);
    uint32_t at = core->r[n];
    bool is_back = true;
    for (uint32_t left = op & 255; left; left &= left - 1, at += 4) {
        const uint32_t i = (uint32_t)__builtin_ctz(left);
        if (is_load)
            core->r[i] = load(core, memory, at, 4);
        else
            store(core, memory, at, 4, core->r[i]);
        is_back = is_back && !(is_load && i == n);
    }
    if (is_back)
        core->r[n] = at;
}

static inline void move_by_register(struct thumb *core, struct memory *memory, uint32_t op)
{
    const uint32_t at = core->r[bits(op, 3, 3)] + core->r[bits(op, 6, 3)];
    uint32_t *t = &core->r[op & 7];
    switch (bits(op, 9, 3)) {
    case 0: store(core, memory, at, 4, *t); break;
    case 1: store(core, memory, at, 2, *t); break;
    case 2: store(core, memory, at, 1, *t); break;
    case 3: *t = (uint32_t)extend(load(core, memory, at, 1), 8); break;
    case 4: *t = load(core, memory, at, 4); break;
    case 5: *t = load(core, memory, at, 2); break;
    case 6: *t = load(core, memory, at, 1); break;
    default: *t = (uint32_t)extend(load(core, memory, at, 2), 16); break;
    }
}

/* 1011: the stack pointer, extension, bytes in another order, hints. */
static inline void miscellaneous(struct thumb *core, struct memory *memory, uint32_t op)
{
    uint32_t *d = &core->r[op & 7];
    const uint32_t m = core->r[bits(op, 3, 3)];
    switch (bits(op, 8, 4)) {
    case 0: core->r[SP] += (op & 0x80 ? -(op & 0x7f) : op & 0x7f) << 2; break;
    case 2:
        switch (bits(op, 6, 2)) {
        case 0: *d = (uint32_t)extend(m, 16); break;
        case 1: *d = (uint32_t)extend(m, 8); break;
        case 2: *d = m & 0xffff; break;
        default: *d = m & 0xff; break;
        }
        break;
    case 4:
    case 5: push(core, memory, op); break;
    case 6: break; /* cpsid, cpsie: there are no interrupts */
    case 10:
        *d = bits(op, 6, 2) == 0 ? __builtin_bswap32(m) : (m >> 8 & 0xff00ff) | (m & 0xff00ff) << 8;
        break;
    case 12:
    case 13: pop(core, memory, op); break;
    case 14: board_stop(core, "breakpoint"); break;
    case 15: break; /* hints: sev, nop */
    default: board_stop(core, "an instruction is not known"); break;
    }
}

/* 32 bits: bl, barriers, msr. */
static inline void execute_wide(struct thumb *core, uint32_t op, uint32_t op2)
{
    core->r[PC] += 2;
    core->cycles += 2;
    if ((op2 & 0xd000) == 0xd000) {
        const uint32_t s = bits(op, 10, 1), i1 = ~(bits(op2, 13, 1) ^ s) & 1,
                       i2 = ~(bits(op2, 11, 1) ^ s) & 1;
        const int32_t by =
            extend(s << 24 | i1 << 23 | i2 << 22 | bits(op, 0, 10) << 12 | bits(op2, 0, 11) << 1, 25);
        core->r[LR] = core->r[PC] | 1;
        core->r[PC] += (uint32_t)by;
    } else if ((op & 0xfff0) == 0xf380 && (op2 & 0xff) == 8) {
        core->r[SP] = core->r[op & 15];
    }
}

static inline void execute(struct thumb *core, struct memory *memory)
{
    const uint8_t *code = find(memory, core->r[PC]);
    if (!code)
        board_stop(core, "there is no code");
    uint16_t op;
    memcpy(&op, code, 2);
    /* Two instructions are fetched at once. */
    if (!(core->r[PC] & 2))
        touch(core, core->r[PC]);
    core->r[PC] += 2;
    core->cycles++;
    uint32_t *const r = core->r;
    const uint32_t low = op & 7, m = bits(op, 3, 3), n = bits(op, 8, 3), five = bits(op, 6, 5),
                   eight = op & 255;
    switch (op >> 11) {
    case 0: r[low] = five ? shift_left(core, r[m], five) : judge(core, r[m]); break;
    case 1: r[low] = shift_right(core, r[m], five ? five : 32); break;
    case 2: r[low] = shift_signed(core, r[m], five ? five : 32); break;
    case 3: {
        const uint32_t by = op & 0x400 ? bits(op, 6, 3) : r[bits(op, 6, 3)];
        r[low] = op & 0x200 ? subtract(core, r[m], by) : add(core, r[m], by, 0);
        break;
    }
    case 4: r[n] = judge(core, eight); break;
    case 5: subtract(core, r[n], eight); break;
    case 6: r[n] = add(core, r[n], eight, 0); break;
    case 7: r[n] = subtract(core, r[n], eight); break;
    case 8:
        if (op & 0x400)
            compute_high(core, op);
        else
            compute(core, op);
        break;
    case 9: r[n] = load(core, memory, ((r[PC] + 2) & ~3u) + 4 * eight, 4); break;
    case 10:
    case 11: move_by_register(core, memory, op); break;
    case 12: store(core, memory, r[m] + 4 * five, 4, r[low]); break;
    case 13: r[low] = load(core, memory, r[m] + 4 * five, 4); break;
    case 14: store(core, memory, r[m] + five, 1, r[low]); break;
    case 15: r[low] = load(core, memory, r[m] + five, 1); break;
    case 16: store(core, memory, r[m] + 2 * five, 2, r[low]); break;
    case 17: r[low] = load(core, memory, r[m] + 2 * five, 2); break;
    case 18: store(core, memory, r[SP] + 4 * eight, 4, r[n]); break;
    case 19: r[n] = load(core, memory, r[SP] + 4 * eight, 4); break;
    case 20: r[n] = ((r[PC] + 2) & ~3u) + 4 * eight; break;
    case 21: r[n] = r[SP] + 4 * eight; break;
    case 22:
    case 23: miscellaneous(core, memory, op); break;
    case 24: move_many(core, memory, op, false); break;
    case 25: move_many(core, memory, op, true); break;
    case 26:
    case 27:
        if (bits(op, 8, 4) >= 14)
            board_stop(core, "an instruction is not defined");
        if (holds(core, bits(op, 8, 4)))
            jump(core, r[PC] + 2 + 2 * (uint32_t)extend(eight, 8));
        break;
    case 28: jump(core, r[PC] + 2 + 2 * (uint32_t)extend(bits(op, 0, 11), 11)); break;
    case 30: {
        uint16_t op2;
        memcpy(&op2, code + 2, 2);
        execute_wide(core, op, op2);
        break;
    }
    default: board_stop(core, "an instruction is not known"); break;
    }
}

void thumb_run(struct thumb *core, struct memory *memory, uint64_t until)
{
    core->until = until;
    while (core->cycles < core->until)
        execute(core, memory);
}
