// An emulated Raspberry Pi Pico: rp2040js with additions for the parts that it lacks.
//
//   - the second core: a core object of its own with its own half of the SIO, the mailboxes between the two, and the
//     boot ROM's side of the launch
//   - state machines that keep time: clock divider, delays, enable; and outputs that can be watched (screen.mjs)
//   - a divider that takes no cycles: the firmware itself waits for the result
//   - resets: of a core by a debugger, while everything else continues; and of DMA and PIO, which rp2040js only records
//
// Time is counted in cycles of core 0; core 1 is kept less than one instruction behind or ahead.

import { readFileSync } from "node:fs";
import { ConsoleLogger, LogLevel, RP2040 } from "rp2040js";

// Not among the package's exports.
const inside = (file) => import(new URL(file, import.meta.resolve("rp2040js")));
const { CortexM0Core } = await inside("cortex-m0-core.js");
const { RPSIO } = await inside("sio.js");

const RAM = 0x20000000;
const BOOT2_RUNS_AT = 0x20041f00;
const SIO = 0xd0000000;
const FIFO_ST = 0x50;
const FIFO_WR = 0x54;
const FIFO_RD = 0x58;
const FIFO_DEPTH = 8;
const RESETS = { offset: 0x0, dma: 1 << 2, pio0: 1 << 10, pllSys: 1 << 12 };
const PSM = { forceOff: 0x4, core1: 1 << 16 };
const CLK_SYS_SELECTED = 0x44;
const MPU = { ctrl: 0xd94, rbar: 0xd9c, rasr: 0xda0 };

/** The symbols of an ELF file, name to address. */
export function readSymbols(file) {
  const elf = readFileSync(file);
  const sections = elf.readUInt32LE(32);
  const size = elf.readUInt16LE(46);
  const count = elf.readUInt16LE(48);
  const section = (i) => {
    const at = sections + i * size;
    const word = (k) => elf.readUInt32LE(at + 4 * k);
    return { type: word(1), offset: word(4), size: word(5), link: word(6) };
  };
  const symbols = {};
  for (let i = 0; i < count; i++) {
    const table = section(i);
    if (table.type !== 2) continue;
    const names = section(table.link);
    for (let at = table.offset; at < table.offset + table.size; at += 16) {
      const begin = names.offset + elf.readUInt32LE(at);
      symbols[elf.toString("latin1", begin, elf.indexOf(0, begin))] = elf.readUInt32LE(at + 4);
    }
  }
  return symbols;
}

/* The SIO as one core sees it: its number, its ends of the mailboxes, its divider. GPIO and spinlocks are shared. */
class CoreSio extends RPSIO {
  constructor(rp2040, number, board) {
    super(rp2040);
    this.number = number;
    this.board = board;
    this.inbox = [];
  }

  updateHardwareDivider(signed) {
    const cycles = this.rp2040.core.cycles;
    super.updateHardwareDivider(signed);
    this.rp2040.core.cycles = cycles;
    // The emulator leaves the fraction in.
    this.divQuotient = Math.trunc(this.divQuotient);
  }

  readUint32(offset) {
    if (offset === 0) return this.number;
    if (offset === FIFO_ST) {
      const other = this.board.sios[1 - this.number];
      return (this.inbox.length > 0 ? 1 : 0) | (other.inbox.length < FIFO_DEPTH ? 2 : 0);
    }
    if (offset === FIFO_RD) return this.inbox.shift() ?? 0;
    if (offset >= 0x100 && offset < 0x180 && this.number === 1)
      return this.board.sios[0].readUint32(offset);
    return super.readUint32(offset);
  }

  writeUint32(offset, value) {
    if (offset === FIFO_WR) this.board.post(this.number, value >>> 0);
    else if (offset >= 0x100 && offset < 0x180 && this.number === 1)
      this.board.sios[0].writeUint32(offset, value);
    else super.writeUint32(offset, value);
  }
}

/* The memory protection unit, as far as the firmware uses it: one write-protected region. Returns the interface
 * to the private peripherals of one core. */
function guardStack(board, number, core, ppb) {
  const mpu = {};
  const write = core.writeUint32.bind(core);
  core.writeUint32 = (address, value) => {
    if (mpu.end && address >= mpu.begin && address < mpu.end)
      board.halted = `core ${number} wrote to its stack guard at ${address.toString(16)}`;
    write(address, value);
  };
  return Object.create(ppb, {
    writeUint32: {
      value: (offset, value) => {
        mpu[offset] = value;
        if (offset < MPU.ctrl || offset > MPU.rasr) ppb.writeUint32(offset, value);
        else if (mpu[MPU.ctrl] === 5 && (mpu[MPU.rasr] & 0x07000001) === 1) {
          mpu.begin = (mpu[MPU.rbar] & ~0xff) >>> 0;
          mpu.end = mpu.begin + 2 ** (((mpu[MPU.rasr] >> 1) & 31) + 1);
        }
      },
    },
  });
}

export class Board {
  /** A board with an image (.bin) in its flash, before boot2 as after the boot ROM. The clock frequency is constant, in
   *  megahertz. */
  constructor(image, mhz = 125) {
    this.nanos = 1000 / mhz;
    const rp2040 = new RP2040();
    this.rp2040 = rp2040;
    rp2040.logger = new ConsoleLogger(LogLevel.Error, true);
    rp2040.flash.set(readFileSync(image));
    this.sios = [new CoreSio(rp2040, 0, this), new CoreSio(rp2040, 1, this)];
    rp2040.sio = this.sios[0];
    this.core = rp2040.core;
    rp2040.ppb = guardStack(this, 0, rp2040.core, rp2040.ppb);
    this.second = null;
    this.launch = [];
    this.devices = [];
    this.halted = null;
    this.wereReset = 0;
    this.watchResets();
    this.restarts = 0;
    rp2040.peripherals[0x40058].onWatchdogTrigger = () => this.restart();
    rp2040.onBreak = (code) => {
      this.halted = `breakpoint ${code} at ${this.core.PC.toString(16)}`;
    };
    // Without a screen the state machines are stopped, because they would run without timing.
    rp2040.pio[0].run = () => {};
    this.lines = [];
    this.text = "";
    rp2040.uart[0].onByte = (byte) => this.receive(byte);
    this.boot();
  }

  /* Like the boot ROM: copy boot2 to RAM and run it there. */
  boot() {
    const { core, rp2040 } = this;
    rp2040.sram.set(rp2040.flash.subarray(0, 256), BOOT2_RUNS_AT - RAM);
    core.PC = BOOT2_RUNS_AT;
    core.SP = BOOT2_RUNS_AT;
    core.LR = 0;
  }

  /** Reset core 0 only, as SYSRESETREQ of a debugger does: everything else continues. */
  reset() {
    this.wereReset = 0;
    this.core.registers.fill(0);
    this.boot();
    this.lines.length = 0;
    this.text = "";
  }

  /* Reset by the watchdog: everything except the clocks and its own registers. */
  restart() {
    this.restarts++;
    this.rp2040.peripherals[0x40058].writeUint32(0, 0);
    this.resetDma();
    this.resetPio();
    this.second = null;
    this.launch = [];
    for (const { inbox } of this.sios) inbox.length = 0;
    this.reset();
  }

  /* Blocks that are held in reset forget their state. */
  watchResets() {
    const { rp2040 } = this;
    const watch = (peripheral, offset, handle) => {
      const write = peripheral.writeUint32.bind(peripheral);
      peripheral.writeUint32 = (at, value) => {
        write(at, value);
        if (at === offset) handle(value);
      };
    };
    watch(rp2040.peripherals[0x4000c], RESETS.offset, (blocks) => {
      this.wereReset |= blocks;
      if (blocks & RESETS.dma) this.resetDma();
      if (blocks & RESETS.pio0) this.resetPio();
      if (blocks & RESETS.pllSys && rp2040.peripherals[0x40008].readUint32(CLK_SYS_SELECTED) !== 1)
        this.halted = "the PLL was reset while it ran the processor";
    });
    watch(rp2040.peripherals[0x40010], PSM.forceOff, (off) => {
      if (!(off & PSM.core1)) return;
      this.second = null;
      this.launch = [];
      this.sios[1].inbox.length = 0;
    });
  }

  resetDma() {
    for (const channel of this.rp2040.dma.channels) {
      channel.transferAlarm.cancel();
      channel.ctrl = 0;
      channel.reset();
    }
  }

  resetPio() {
    const pio = this.rp2040.pio[0];
    pio.machines = pio.machines.map(({ constructor }, i) => new constructor(this.rp2040, pio, i));
    Object.assign(pio, { stopped: true, irq: 0, pinValues: 0, pinDirections: 0 });
  }

  receive(byte) {
    if (byte !== 10) {
      this.text += String.fromCharCode(byte);
      return;
    }
    this.lines.push(this.text);
    this.text = "";
  }

  /* A word from one core to the other. Until it runs, the boot ROM reads for the second core. */
  post(from, word) {
    if (from === 1 || this.second) {
      this.sios[1 - from].inbox.push(word);
      return;
    }
    const expected = [0, 0, 1][this.launch.length];
    if (expected !== undefined && word !== expected) this.launch = word === 0 ? [0] : [];
    else this.launch.push(word);
    this.sios[0].inbox.push(word);
    if (this.launch.length === 6) this.start(...this.launch.slice(3));
  }

  start(vectors, stack, entry) {
    const { rp2040 } = this;
    const sio = this.sios[1];
    // The memory of the core object; only the SIO differs.
    const view = Object.create(rp2040, {
      core: { value: null, writable: true },
      sio: { value: sio },
    });
    const core = new CortexM0Core(view);
    view.core = core;
    view.ppb = guardStack(this, 1, core, Object.getPrototypeOf(rp2040.ppb));
    sio.rp2040 = view;
    core.VTOR = vectors;
    core.SP = stack;
    core.PC = entry & ~1;
    core.cycles = this.core.cycles;
    this.second = core;
  }

  /** Put agents [[x, y, vx, vy]], boids then predators, where the firmware has its own; `flock` is the address of
   *  sim_flock. To be called between steps: after the first line of a firmware that reports each step. */
  place(flock, agents) {
    const ram = this.rp2040.sramView;
    const word = (address) => ram.getUint32(address - RAM, true);
    const [boids, count] = [word(flock + 8), word(flock)];
    agents.forEach((agent, i) => {
      const at = (i < count ? boids + 16 * i : word(flock + 12) + 16 * (i - count)) - RAM;
      agent.forEach((number, k) => ram.setInt32(at + 4 * k, Math.round(number * 65536), true));
    });
  }

  /** Run until `done()` or for so many cycles; `done` is called every 256 instructions. False if it never held. */
  run(cycles, done = () => false) {
    const { core, devices, nanos, rp2040 } = this;
    const { clock } = rp2040;
    const end = core.cycles + cycles;
    while (core.cycles < end) {
      for (let i = 0; i < 256; i++) {
        clock.tick(core.executeInstruction() * nanos);
        for (const device of devices) device.advance(core.cycles);
        const { second } = this;
        if (second) while (second.cycles < core.cycles) second.executeInstruction();
      }
      if (this.halted) throw new Error(this.halted);
      if (done()) return true;
    }
    return false;
  }

  /** Run until so many matching lines were printed. */
  runToLines(count, pattern, cycles) {
    const matching = () => this.lines.filter((line) => pattern.test(line));
    let seen = 0;
    const arrived = () =>
      this.lines.length !== seen && ((seen = this.lines.length), matching().length >= count);
    if (!this.run(cycles, arrived))
      throw new Error(
        `${matching().length} of ${count} lines after ${cycles} cycles: ${this.lines.join("\n")}`,
      );
    return matching().slice(0, count);
  }
}
