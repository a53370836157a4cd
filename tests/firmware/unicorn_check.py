"""Run images of one core in another emulator, unicorn (QEMU's processor): the hashes are those of the host, and the board's own
arithmetic agrees with Python's.

    unicorn_check.py STEPS IMAGE.elf HASHES [IMAGE.elf HASHES]...

HASHES is a file of lines `STEP HASH`, as boids --hash prints them. Unicorn knows the instructions and nothing else, so the
few registers that the firmware waits for are answered here. It counts no cycles.
"""
import math
import random
import subprocess
import sys

from unicorn import UC_ARCH_ARM, UC_MODE_MCLASS, UC_MODE_THUMB, Uc
from unicorn.arm_const import (
    UC_ARM_REG_LR,
    UC_ARM_REG_R0,
    UC_ARM_REG_R1,
    UC_ARM_REG_R2,
    UC_ARM_REG_R3,
    UC_ARM_REG_SP,
)
from unicorn.arm_const import UC_CPU_ARM_CORTEX_M0

FLASH, SRAM, SIO = 0x10000000, 0x20000000, 0xD0000000
STACK, NOWHERE = 0x20042000, 0x10100000
SIO_DIVIDER, SIO_SPINLOCKS = 0x60, 0x100
ALWAYS_READY = 0xFFFFFFFF
TIMER = 0x40054000
# Of the channel that sends lines: where it reads, how many bytes, and the register that starts it.
DMA_READ, DMA_COUNT, DMA_START = 0x80, 0x88, 0x8C


class Divider:
    """The divider of the SIO, as the data sheet states it."""

    def __init__(self):
        self.dividend = self.divisor = self.is_signed = 0

    def write(self, offset, value):
        self.is_signed = offset >= 0x68
        if offset in (0x60, 0x68):
            self.dividend = value
        else:
            self.divisor = value

    def results(self):
        a, b = self.dividend, self.divisor
        if self.is_signed:
            a, b = (n - (n >> 31 << 32) for n in (a, b))
        if b == 0:
            return 0, 0
        quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        return quotient, a - quotient * b

    def read(self, offset):
        quotient, rest = self.results()
        return (quotient if offset == 0x70 else rest) & 0xFFFFFFFF


class Machine:
    """A processor with an image in its flash."""

    def __init__(self, elf):
        self.symbols = read_symbols(elf)
        self.processor = Uc(UC_ARCH_ARM, UC_MODE_THUMB | UC_MODE_MCLASS)
        self.processor.ctl_set_cpu_model(UC_CPU_ARM_CORTEX_M0)
        self.divider = Divider()
        self.micros = 0
        self.dma = {}
        self.lines = []
        self.processor.mem_map(FLASH, 0x200000)
        self.processor.mem_map(SRAM, 0x42000)
        self.processor.mmio_map(0x40000000, 0x80000, self.read_block, None, self.ignore, None)
        self.processor.mmio_map(0x50000000, 0x300000, self.read_idle, None, self.write_dma, None)
        self.processor.mmio_map(0x18000000, 0x1000, self.read_idle, None, self.ignore, None)
        self.processor.mmio_map(0xE000E000, 0x1000, self.read_idle, None, self.ignore, None)
        self.processor.mmio_map(SIO, 0x1000, self.read_sio, None, self.write_sio, None)
        with open(elf[:-4] + ".bin", "rb") as file:
            self.processor.mem_write(FLASH, file.read())

    def read_block(self, _processor, offset, _size, _data):
        if offset + 0x40000000 & ~0xFFF == TIMER:
            self.micros += 1
            return self.micros & 0xFFFFFFFF
        return 0 if offset in (0x58000, 0x58008, 0x5800C) else ALWAYS_READY

    def read_idle(self, *_):
        return 0

    def ignore(self, *_):
        pass

    def read_sio(self, _processor, offset, _size, _data):
        if 0x70 <= offset < 0x78:
            return self.divider.read(offset)
        return 1 if offset >= SIO_SPINLOCKS else 0

    def write_sio(self, _processor, offset, _size, value, _data):
        if SIO_DIVIDER <= offset < 0x70:
            self.divider.write(offset, value)

    def write_dma(self, processor, offset, _size, value, _data):
        self.dma[offset] = value
        if offset == DMA_START:
            self.lines.append(
                bytes(processor.mem_read(self.dma[DMA_READ], self.dma[DMA_COUNT])).decode()
            )
            if self.lines[-1].split(" ")[0] == str(self.last_step):
                processor.emu_stop()

    def runImage(self, steps):
        """(step, hash) of each report up to `steps`: the lines that DMA sends to the UART."""
        self.last_step = steps
        self.processor.reg_write(UC_ARM_REG_SP, STACK)
        self.processor.emu_start(self.symbols["reset"] | 1, NOWHERE)
        return [" ".join(line.split(" ")[:2]) for line in self.lines if line[:1].isdigit()]

    def call(self, name, *words):
        """A function of the image; its result in two words."""
        for register, word in zip(
            (UC_ARM_REG_R0, UC_ARM_REG_R1, UC_ARM_REG_R2, UC_ARM_REG_R3), words
        ):
            self.processor.reg_write(register, word & 0xFFFFFFFF)
        self.processor.reg_write(UC_ARM_REG_SP, STACK)
        self.processor.reg_write(UC_ARM_REG_LR, NOWHERE | 1)
        self.processor.emu_start(self.symbols[name] | 1, NOWHERE)
        low, high = (self.processor.reg_read(r) for r in (UC_ARM_REG_R0, UC_ARM_REG_R1))
        return low, high << 32 | low


def read_symbols(elf):
    listing = subprocess.run(
        ["arm-none-eabi-nm", elf], capture_output=True, text=True, check=True
    ).stdout
    return {
        words[2]: int(words[0], 16)
        for words in map(str.split, listing.splitlines())
        if len(words) == 3
    }


def signed(word, bits):
    return word - (word >> (bits - 1) << bits)


def saturated(a):
    return max(-0x7FFFFFFF, min(0x7FFFFFFF, a))


def towards_zero(a, b):
    return abs(a) // b * (1 if a >= 0 else -1)


def numbers(bits):
    """Edges, and random numbers of every size."""
    edges = [0, 1, 2**bits - 1] + [2**k + d for k in range(bits) for d in (-1, 0, 1)]
    return [a for a in edges if 0 <= a < 2**bits] + [
        random.getrandbits(random.randint(1, bits)) for _ in range(300)
    ]


def check_arithmetic(machine):
    """num_fixed_m0plus.h against Python's integers: what differs."""
    random.seed(1)
    faults = []

    def expect(name, arguments, found, wanted):
        if found != wanted:
            faults.append(f"{name}{arguments} is {found}; it must be {wanted}")

    for square in numbers(64):
        if "num_root_raw" in machine.symbols:
            found = machine.call("num_root_raw", square, square >> 32)[0]
            expect("num_root_raw", (square,), found, math.isqrt(square))
    plain = [a if random.random() < 0.5 else -a for a in numbers(31)]
    for a, b in zip(plain, random.sample(plain, len(plain))):
        if "num_product" in machine.symbols:
            expect("num_product", (a, b), signed(machine.call("num_product", a, b)[1], 64), a * b)
        if "m0plus_over_square" in machine.symbols:
            for square in (a * a or 1, a * a + (b & 0xFFFF) or 1, a * a + b * b or 1):
                found = signed(
                    machine.call("m0plus_over_square", a, 0, square, square >> 32)[0], 32
                )
                expect(
                    "m0plus_over_square",
                    (a, square),
                    found,
                    saturated(towards_zero(a << 32, square)),
                )
        if "m0plus_norm_squared" in machine.symbols:
            expect(
                "m0plus_norm_squared",
                (a, b),
                machine.call("m0plus_norm_squared", a, b)[1],
                a * a + b * b,
            )
        if "m0plus_weigh" in machine.symbols:
            factor = b >> 1
            found = signed(machine.call("m0plus_weigh", a, factor)[0], 32)
            expect("m0plus_weigh", (a, factor), found, (a * factor + (1 << 29)) >> 30)
        count = (abs(b) & 0x7FFFFFFF) + 1 & 0x7FFFFFFF or 1
        for wide in (a, a * 2 ** random.randint(0, 28)):
            if "num_over" in machine.symbols:
                found = signed(machine.call("num_over", wide, wide >> 32, count)[1], 64)
                expect("num_over", (wide, count), found, towards_zero(wide, count))
            if "m0plus_mean" in machine.symbols:
                found = signed(machine.call("m0plus_mean", wide, wide >> 32, count)[0], 32)
                expect("m0plus_mean", (wide, count), found, saturated(towards_zero(wide, count)))
    return faults


def main(words):
    steps = int(words[0])
    faults = []
    for elf, hashes in zip(words[1::2], words[2::2]):
        with open(hashes, encoding="ascii") as file:
            wanted = file.read().split("\n")
        machine = Machine(elf)
        found = machine.runImage(steps)
        if found != [line for line in wanted if line]:
            faults.append(f"{elf}: hashes {found}; those of the host are {wanted}")
        faults += [f"{elf}: {fault}" for fault in check_arithmetic(machine)[:5]]
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
