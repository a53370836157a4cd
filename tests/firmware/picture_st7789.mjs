// Writes docs/pictures/pico_st7789.png, what the SPI screen of examples/pico-sdk shows at step 300 of `hunt`, in its frame:
// `node tests/firmware/picture_st7789.mjs`, after `make test-firmware`.

import { writeFileSync } from "node:fs";
import path from "node:path";
import { ROOT } from "./build.mjs";
import { commandsFor } from "./pico_sdk.mjs";
import { png } from "./screen.mjs";
import { framesOf } from "./st7789.mjs";

const [WIDTH, HEIGHT, SCALE, EDGE] = [320, 240, 2, 24];
const COLOURS = [0, 0x975f, 0xfa68, 0x18e3];
const red = (colour) => (colour >> 11) * 8;
const green = (colour) => ((colour >> 5) & 63) * 4;
const blue = (colour) => (colour & 31) * 8;

const frame = framesOf(commandsFor("hunt", `${WIDTH}x${HEIGHT}`), WIDTH, HEIGHT).at(-1);
const [wide, high] = [WIDTH, HEIGHT].map((side) => side * SCALE + 2 * EDGE);
const pixels = Array.from({ length: wide * high }, (_, k) => {
  const [x, y] = [k % wide, Math.floor(k / wide)].map((at) => Math.floor((at - EDGE) / SCALE));
  const isInside = x >= 0 && y >= 0 && x < WIDTH && y < HEIGHT;
  return COLOURS.indexOf(isInside ? frame[y * WIDTH + x] : COLOURS[3]);
});
writeFileSync(
  path.join(ROOT, "docs/pictures/pico_st7789.png"),
  png(
    pixels,
    wide,
    high,
    COLOURS.flatMap((colour) => [red(colour), green(colour), blue(colour)]),
  ),
);
