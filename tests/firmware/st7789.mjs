// A screen with an ST7789: what it shows after commands and data on its wire.

const [COLUMNS, ROWS] = [240, 320]; /* of its memory */

/** The commands in the bytes of the file `wire` (pico_sdk/screen.c): [code, bytes]. */
export function commandsOf(wire) {
  const commands = [];
  for (let at = 0; at < wire.length; at += 2)
    if (wire[at + 1] === 0) commands.push([wire[at], []]);
    else commands.at(-1)[1].push(wire[at]);
  return commands;
}

/** The frames of width x height pixels that the screen shows; null for one that it shows in another way: it sleeps, is not inverted or is
 *  mirrored, or the window has another size. */
export function framesOf(commands, width, height) {
  const frames = [],
    seen = new Set();
  let [columns, rows, turn, isDeep] = [[0, COLUMNS - 1], [0, ROWS - 1], 0, true];
  const range = (data) => [256 * data[0] + data[1], 256 * data[2] + data[3]];
  for (const [code, data] of commands) {
    seen.add(code);
    if (code === 0x2a) columns = range(data);
    else if (code === 0x2b) rows = range(data);
    else if (code === 0x36) [turn] = data;
    else if (code === 0x3a) isDeep = data[0] !== 0x55;
    else if (code === 0x2c && data.length > 0) {
      const sides = turn & 0x20 ? [ROWS, COLUMNS] : [COLUMNS, ROWS];
      /* Rows and columns that are exchanged, and one of them mirrored, are a turn. */
      const isMirrored = ((turn >> 5) ^ (turn >> 6) ^ (turn >> 7)) & 1;
      const isOff = ![0x11, 0x21].every((each) => seen.has(each)) || isDeep || isMirrored;
      const isWhole = data.length === 2 * width * height;
      frames.push(isOff || !isWhole ? null : write(columns, rows, sides, data, width, height));
    }
  }
  return seen.has(0x29) ? frames : [];
}

/* The pixels from a window of the screen's memory; null if it has not their number. */
function write([left, right], [top, bottom], sides, data, width, height) {
  const wide = right - left + 1,
    pixels = new Uint16Array(width * height).fill(0x1234); /* what was there before */
  if (right >= sides[0] || bottom >= sides[1] || wide * (bottom - top + 1) !== width * height)
    return null;
  for (let k = 0; k < width * height; k++) {
    const [x, y] = [left + (k % wide), top + Math.floor(k / wide)];
    if (x < width && y < height) pixels[y * width + x] = 256 * data[2 * k] + data[2 * k + 1];
  }
  return pixels;
}
