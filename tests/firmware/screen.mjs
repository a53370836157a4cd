// A monitor on the pins, and state machines with correct timing to drive them.
//
// The emulator executes PIO instructions correctly but without timing. Here each machine is stepped at its time: an
// instruction takes one tick of its divided clock and its delay; a waiting one is tried again after an event. The
// monitor does not use the machines: it detects sync edges and samples colours at pixel centres.

import { deflateSync } from "node:zlib";

/** In cycles, at 125 MHz. */
export const TIMING = { line: 4000, hsync: 480, frame: 2100000, vsync: 8000, lines: 525 };
const BACK_PORCH = { pixels: 48, lines: 33 };
const [WIDTH, HEIGHT] = [640, 480];
const [HSYNC, VSYNC, RGB] = [16, 17, 18];
/* The pins of red, green and blue. */
const WIRING = { classic: [18, 19, 20], vha: [21, 19, 20] };

class TimedMachine {
  constructor(machine) {
    this.machine = machine;
    this.due = Infinity;
    this.isParked = false;
  }

  get divider() {
    return this.machine.clockDivInt + this.machine.clockDivFrac / 256;
  }

  /** One instruction, or another check of its wait condition. */
  step() {
    const { machine } = this;
    if (!this.isParked) {
      this.before = machine.cycles;
      machine.step();
    } else if (machine.waiting) {
      machine.checkWait();
    }
    // The emulator ends a wait as soon as a flag is set; here it ends in the next tick, and then its delay counts.
    const isOver = !machine.waiting;
    const delay = isOver ? machine.cycles - this.before - 1 : 0;
    this.due += (1 + delay) * this.divider;
    this.isParked = !isOver;
  }
}

export class Screen {
  /** Attach to a board before it starts its state machines. */
  constructor(board, wiring = "classic") {
    this.board = board;
    this.wires = WIRING[wiring];
    this.pio = board.rp2040.pio[0];
    this.machines = [];
    this.edges = { hsyncFalls: [], hsyncRises: [], vsyncFalls: [], vsyncRises: [] };
    this.colours = [];
    this.pins = 0;
    this.isRecording = false;
    this.pio.run = () => this.begin();
    board.devices.push(this);
  }

  /** Cycles of a pixel: the first machine counts in them. */
  get pixel() {
    return this.machines[0].divider;
  }

  begin() {
    const now = this.board.core.cycles;
    // A reset of the block makes new ones.
    if (this.machines[0]?.machine !== this.pio.machines[0])
      this.machines = this.pio.machines.map((machine) => new TimedMachine(machine));
    for (const timed of this.machines) timed.due = timed.machine.enabled ? now : Infinity;
  }

  /** Called by the board after each instruction: let the machines catch up. A flag is seen a cycle after it was set,
   *  so at the same time the waiting machines go first. */
  advance(now) {
    const { machines } = this;
    if (machines[0]?.machine !== this.pio.machines[0]) return;
    for (;;) {
      let next = machines[0];
      for (let i = 1; i < 3; i++) {
        const { due, isParked } = machines[i];
        if (due < next.due || (due === next.due && isParked)) next = machines[i];
      }
      if (!(next.due <= now)) return;
      const time = next.due;
      next.step();
      if (this.pio.pinValues !== this.pins) this.observe(time);
    }
  }

  /** Red, green and blue of the pins, in bits 0 to 2. */
  colour() {
    return this.wires.reduce((colour, pin, bit) => colour | (((this.pins >> pin) & 1) << bit), 0);
  }

  observe(time) {
    const { edges, pins } = this;
    const now = this.pio.pinValues;
    const changed = pins ^ now;
    this.pins = now;
    if ((changed >> HSYNC) & 1)
      ((now >> HSYNC) & 1 ? edges.hsyncRises : edges.hsyncFalls).push(time);
    if ((changed >> VSYNC) & 1)
      ((now >> VSYNC) & 1 ? edges.vsyncRises : edges.vsyncFalls).push(time);
    if (this.isRecording && (changed >> RGB) & 15) this.colours.push([time, this.colour()]);
  }

  /** Run up to a vertical sync pulse, and on to the next: the frame between them, its timing, and the frame buffer at
   *  `address` as it stands half-way down the frame. */
  capture(address) {
    const { edges, board } = this;
    const until = (list, count) => {
      if (!board.run(40 * TIMING.frame, () => list.length >= count))
        throw new Error("there is no sync");
    };
    until(edges.vsyncFalls, edges.vsyncFalls.length + 1);
    for (const list of Object.values(edges)) list.splice(0, list.length - 1);
    this.colours = [[0, this.colour()]];
    this.isRecording = true;
    until(edges.hsyncFalls, TIMING.lines / 2);
    const buffer = frameBuffer(board, address);
    until(edges.vsyncFalls, 2);
    this.isRecording = false;
    return { pixels: this.resolve(), edges, buffer };
  }

  /* The picture of a monitor: rows are counted from the end of the vertical pulse, pixels from the horizontal one. */
  resolve() {
    const { edges, colours } = this;
    const pixels = new Uint8Array(WIDTH * HEIGHT);
    const rise = edges.vsyncRises.find((time) => time > edges.vsyncFalls[0]);
    // The line that the pulse ends in began before.
    const lines = edges.hsyncRises.filter((time) => time > rise - (TIMING.line / 10) * this.pixel);
    let at = 0;
    for (let row = 0; row < HEIGHT; row++) {
      const begin = lines[BACK_PORCH.lines + row] + BACK_PORCH.pixels * this.pixel;
      for (let x = 0; x < WIDTH; x++) {
        const time = begin + (x + 0.5) * this.pixel;
        while (at + 1 < colours.length && colours[at + 1][0] <= time) at++;
        pixels[row * WIDTH + x] = colours[at][1];
      }
    }
    return pixels;
  }
}

/* The pixels of the frame buffer, ten per word. */
function frameBuffer(board, address) {
  const at = address - 0x20000000;
  return Uint8Array.from(
    { length: WIDTH * HEIGHT },
    (_, i) =>
      (board.rp2040.sramView.getUint32(at + 4 * Math.floor(i / 10), true) >>> (3 * (i % 10))) & 7,
  );
}

function crc32(bytes) {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

const PINS = Array.from({ length: 8 }, (_, c) => [c & 1, (c >> 1) & 1, (c >> 2) & 1])
  .flat()
  .map((b) => 255 * b);

/** A picture of at most 16 colours, each red, green and blue, as a PNG of two pixels per byte. The default is one of the monitor. */
export function png(pixels, width = WIDTH, height = HEIGHT, palette = PINS) {
  const chunk = (name, data) => {
    const body = Buffer.concat([Buffer.from(name), data]);
    const out = Buffer.alloc(body.length + 8);
    out.writeUInt32BE(data.length, 0);
    body.copy(out, 4);
    out.writeUInt32BE(crc32(body), body.length + 4);
    return out;
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([4, 3, 0, 0, 0], 8);
  const rows = Buffer.alloc(height * (width / 2 + 1));
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      rows[y * (width / 2 + 1) + 1 + (x >> 1)] |= pixels[y * width + x] << (x & 1 ? 0 : 4);
  const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
  return Buffer.concat([
    signature,
    chunk("IHDR", head),
    chunk("PLTE", Buffer.from(palette)),
    chunk("IDAT", deflateSync(rows, { level: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}
