// Writes docs/pictures/pico.png, the picture of `pico` at the pins of the emulated board: `node tests/firmware/picture.mjs`, after
// `make test-firmware`. The board continues from the host's state at step 500, until the caption has a speed.

import { writeFileSync } from "node:fs";
import path from "node:path";
import { Board, readSymbols } from "./board.mjs";
import { ROOT, build, hostFrames } from "./build.mjs";
import { Screen, png } from "./screen.mjs";

const variant = { config: "configs/pico.json" };
const image = build("pico", { ...variant, report: 1 });
const symbols = readSymbols(`${image}.elf`);
const board = new Board(`${image}.bin`);
const screen = new Screen(board);
board.runToLines(1, /^\d+ [0-9a-f]{16} /, 1e10);
board.place(symbols.sim_flock, hostFrames(variant, 500, 500).at(-1).agents);
board.runToLines(34, /^\d+ [0-9a-f]{16} /, 1e10);
writeFileSync(
  path.join(ROOT, "docs/pictures/pico.png"),
  png(screen.capture(symbols.vga_pixels).pixels),
);
