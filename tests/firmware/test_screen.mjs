// The picture, taken from the pins: sync timing to the cycle, every pixel as in the frame buffer.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, test } from "node:test";
import { Board, readSymbols } from "./board.mjs";
import { ROOT, build, exhaustiveOnly, isCheap } from "./build.mjs";
import { Screen, TIMING, png } from "./screen.mjs";

const FRAMES = isCheap ? 3 : 12;
const [BLACK, WHITE] = [0, 7];

const image = build("image", { set: ["flock.count=200", "update=synchronous"], report: 1 });
const board = new Board(`${image}.bin`);
const screen = new Screen(board);
const symbols = readSymbols(`${image}.elf`);
screen.capture(symbols.vga_pixels);
const frames = Array.from({ length: FRAMES }, () => {
  const { pixels, buffer, edges } = screen.capture(symbols.vga_pixels);
  return { pixels, buffer, edges: structuredClone(edges) };
});

const periods = (times) => [...new Set(times.slice(1).map((time, i) => time - times[i]))];
const widths = (falls, rises) => [
  ...new Set(falls.map((fall) => rises.find((rise) => rise > fall) - fall)),
];

test("horizontal_sync_is_exact", () => {
  for (const { edges } of frames) {
    assert.deepEqual(periods(edges.hsyncFalls), [TIMING.line]);
    assert.deepEqual(widths(edges.hsyncFalls.slice(0, -1), edges.hsyncRises), [TIMING.hsync]);
  }
});

test("vertical_sync_is_exact", () => {
  for (const { edges } of frames) {
    assert.deepEqual(periods(edges.vsyncFalls), [TIMING.frame]);
    assert.deepEqual(widths(edges.vsyncFalls.slice(0, 1), edges.vsyncRises), [TIMING.vsync]);
    const [begin, end] = edges.vsyncFalls;
    assert.equal(
      edges.hsyncFalls.filter((time) => time > begin && time <= end).length,
      TIMING.lines,
    );
  }
});

test("every_pixel_is_that_of_the_frame_buffer", () => {
  for (const { pixels, buffer } of frames)
    assert.equal(
      pixels.findIndex((colour, i) => colour !== buffer[i]),
      -1,
    );
});

/* If the flock were erased or drawn while the beam passes, boids would be missing in some frame. Two boids at one pixel hide one. */
test("every_frame_shows_the_whole_flock", () => {
  for (const { pixels } of frames) {
    const lit = pixels
      .subarray(640 * 10)
      .filter((colour) => colour !== BLACK && colour !== WHITE).length;
    assert.ok(lit > 4 * 150 && lit <= 4 * 200, `${lit} pixels`);
    assert.equal(pixels.subarray(640 * 10).filter((colour) => colour === WHITE).length, 36);
  }
});

/* The contrast of a colour on black (WCAG 2.1): (luminance + 0.05) / 0.05. That of blue is 2.4. */
test("the_colours_of_headings_have_a_contrast_of_4_5_on_black", () => {
  const luminance = (colour) =>
    [0.2126, 0.7152, 0.0722].reduce((sum, part, bit) => sum + ((colour >> bit) & 1 ? part : 0), 0);
  const colours = new Set(frames.flatMap(({ pixels }) => [...new Set(pixels.subarray(640 * 10))]));
  assert.equal(colours.size, 7);
  colours.delete(BLACK);
  for (const colour of colours)
    assert.ok((luminance(colour) + 0.05) / 0.05 >= 4.5, `colour ${colour}`);
});

/* The caption, read with the glyphs of caption.c. */
function readCaption(pixels) {
  const source = readFileSync(path.join(ROOT, "firmware/rp2040/caption.c"), "utf8");
  const glyphs = Object.fromEntries(
    [...source.matchAll(/\{'\\?(.)', \{(.*?)\}\}/g)].map(([, character, rows]) => [
      rows,
      character,
    ]),
  );
  const hex = (row) => `0x${row.toString(16).padStart(2, "0")}`;
  return Array.from({ length: 106 }, (_, column) => {
    const bits = (row) =>
      Array.from({ length: 6 }, (_, x) => (pixels[640 * row + 6 * column + x] ? 1 << x : 0)).reduce(
        (a, b) => a + b,
      );
    return glyphs[Array.from({ length: 7 }, (_, row) => hex(bits(row + 1))).join(", ")] ?? " ";
  }).join("");
}

test("the_caption_has_the_title_from_the_start_and_the_right_speed_in_its_first_numbers", () => {
  const title = (pixels) => readCaption(pixels).slice(54).trim();
  assert.equal(title(frames[0].pixels), "v. hunter adams' boids, with a predator");
  const small = build("caption", { set: ["flock.count=20", "update=synchronous"], report: 1 });
  const other = new Board(`${small}.bin`);
  const monitor = new Screen(other);
  const { vga_pixels } = readSymbols(`${small}.elf`);
  other.runToLines(18, /^\d+ [0-9a-f]{16} /, 1e9);
  assert.match(
    readCaption(monitor.capture(vga_pixels).pixels),
    /^ 20 boids  29\.8 steps\/s  \d\.\d ms\/step  0 s /,
  );
  if (isCheap) return;
  other.runToLines(33, /^\d+ [0-9a-f]{16} /, 1e9);
  assert.match(readCaption(monitor.capture(vga_pixels).pixels), /29\.8 steps\/s .* 1 s /);
});

test("both_wirings_show_the_same_picture", () => {
  const vha = new Board(
    `${build("vha", { wiring: "vha", set: ["flock.count=200", "update=synchronous"], report: 1 })}.bin`,
  );
  const other = new Screen(vha, "vha");
  other.capture(symbols.vga_pixels);
  assert.deepEqual(other.capture(symbols.vga_pixels).pixels, frames[0].pixels);
  assert.notEqual(vha.rp2040.gpio[18].ctrl & 31, 6, "the pin of dark green is not driven");
});

test("the_picture_moves", () => {
  assert.notDeepEqual(frames[0].pixels, frames.at(-1).pixels);
});

/* Frames of which one is the first to show its picture and one the second: a capture takes two, pictures come every two. */
function showsItsBuffer(variant, mhz) {
  const image = build(mhz, { clock: mhz, ...variant });
  const board = new Board(`${image}.bin`, mhz);
  const screen = new Screen(board);
  const { vga_pixels } = readSymbols(`${image}.elf`);
  screen.capture(vga_pixels);
  for (let i = 0; i < 2; i++) {
    const { pixels, buffer } = screen.capture(vga_pixels);
    assert.equal(pixels.filter((colour, at) => colour !== buffer[at]).length, 0);
    assert.ok(buffer.filter((colour) => colour !== BLACK).length > 100);
    board.run((TIMING.frame * mhz) / 125);
  }
}

for (const mhz of [133, 200, 250]) {
  test(`every_pixel_is_right_at_${mhz}_megahertz`, exhaustiveOnly(), () => {
    showsItsBuffer({ set: ["flock.count=60", "update=synchronous"] }, mhz);
  });
}

/* Drawing takes longer than the beam does to the first row. */
test("fifteen_hundred_boids_are_drawn_before_the_beam", exhaustiveOnly(), () => {
  showsItsBuffer({ config: "configs/pico_swarm.json" }, 125);
});

/* A world of one pixel per unit. */
test("obstacles_are_circles_and_goals_are_crosses", () => {
  const image = build("rings", {
    set: [
      "flock.count=60",
      "update=synchronous",
      "predators.count=0",
      "obstacles.circles=[[320,240,60],[630,400,30]]",
      "goals.points=[[100,100]]",
    ],
    report: 1,
  });
  const screen = new Screen(new Board(`${image}.bin`));
  const { vga_pixels } = readSymbols(`${image}.elf`);
  screen.capture(vga_pixels);
  const { pixels } = screen.capture(vga_pixels);
  const circles = [
    [320, 240, 60, 0],
    [630, 400, 30, 0],
  ];
  let cross = 0;
  for (let at = 640 * 10; at < pixels.length; at++) {
    if (pixels[at] !== WHITE) continue;
    const [x, y] = [at % 640, Math.floor(at / 640)];
    const on = circles.filter(
      ([cx, cy, radius]) => Math.abs(Math.hypot(x - cx, y - cy) - radius) < 1,
    );
    for (const circle of on) circle[3]++;
    if (on.length > 0) continue;
    assert.ok(
      Math.min(Math.abs(x - 100), Math.abs(y - 100)) === 0 &&
        Math.abs(x - 100) + Math.abs(y - 100) <= 3,
      `${x}, ${y}`,
    );
    cross++;
  }
  assert.equal(cross, 13);
  assert.ok(circles[0][3] > 320 && circles[1][3] > 80, `${circles}`);
});

after(() => {
  const folder = path.join(ROOT, "build/test-firmware");
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, "screen.png"), png(frames.at(-1).pixels));
});
