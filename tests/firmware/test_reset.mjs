// An image that is loaded over a running one: a debugger resets core 0, and everything else runs on.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Board, readSymbols } from "./board.mjs";
import { build, hostHashes, isCheap } from "./build.mjs";
import { Screen } from "./screen.mjs";

const STATE = /^\d+ [0-9a-f]{16} /;
const FOREVER = 1e8;
const variant = { set: ["flock.count=60", "update=synchronous"] };
const image = build("image", { report: 1, pace: 0, ...variant });
const symbols = readSymbols(`${image}.elf`);
const expected = hostHashes(variant, 1, 3);

/* Correct start: hashes from step 0 on, and the picture of the frame buffer. */
function assertBegins(board, screen) {
  const lines = board.runToLines(4, STATE, FOREVER);
  assert.deepEqual(
    lines.map((line) => line.split(" ").slice(0, 2).join(" ")),
    expected,
  );
  assert.ok(board.second, "the second core runs");
  screen.capture(symbols.vga_pixels);
  const { pixels, buffer } = screen.capture(symbols.vga_pixels);
  assert.equal(
    pixels.findIndex((colour, i) => colour !== buffer[i]),
    -1,
  );
  assert.ok(
    pixels.subarray(640 * 10).some((colour) => colour !== 0),
    "a boid is on the screen",
  );
}

for (const moment of isCheap ? [0.37] : [0.001, 0.13, 0.37, 0.62, 0.88]) {
  test(`after_a_reset_at_${moment}_of_a_run_the_firmware_starts_again`, () => {
    const board = new Board(`${image}.bin`);
    const screen = new Screen(board);
    board.run(Math.round(9e6 * moment));
    board.reset();
    assertBegins(board, screen);
  });
}

test("after_a_reset_with_the_lock_held_the_firmware_starts_again", () => {
  const board = new Board(`${image}.bin`);
  const screen = new Screen(board);
  board.runToLines(2, STATE, FOREVER);
  const { sios } = board;
  assert.notEqual(sios[0].readUint32(0x100), 0, "the lock is free between steps");
  board.reset();
  assertBegins(board, screen);
});

test("what_is_used_is_reset_before_it_is_released", () => {
  const board = new Board(`${image}.bin`);
  board.runToLines(1, STATE, FOREVER);
  const used = (1 << 2) | (1 << 5) | (1 << 8) | (1 << 10) | (1 << 12) | (1 << 21) | (1 << 22);
  assert.equal(board.wereReset & used, used);
});
