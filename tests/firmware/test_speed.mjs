// Cycles per step, including the picture, of clumped flocks: within two per cent of the figures stored in
// cycles.json. FIRMWARE_STORE=1 stores new figures.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { Board, readSymbols } from "./board.mjs";
import { build, exhaustiveOnly, hostFrames } from "./build.mjs";

const STATE = /^\d+ [0-9a-f]{16} \d+ \d+ \d+$/;
const FOREVER = 1e11;
const file = new URL("cycles.json", import.meta.url);
const stored = JSON.parse(readFileSync(file, "utf8"));

/* The mean over steps that follow the host's states at 1000, 1200 ... 2000. */
function measure(boids, cores) {
  const variant = { set: [`flock.count=${boids}`, "update=synchronous"] };
  const image = build(boids, { ...variant, cores, report: 1, pace: 0 });
  const board = new Board(`${image}.bin`);
  const flock = readSymbols(`${image}.elf`).sim_flock;
  board.runToLines(1, STATE, FOREVER);
  const spent = hostFrames(variant, 200, 2000)
    .filter(({ step }) => step >= 1000)
    .map(({ agents }) => {
      board.place(flock, agents);
      board.lines.length = 0;
      const [, , cycles] = board.runToLines(1, STATE, FOREVER)[0].split(" ").map(Number);
      return cycles;
    });
  return Math.round(spent.reduce((a, b) => a + b) / spent.length);
}

for (const [boids, cores] of [
  [700, 1],
  [1000, 2],
  [1500, 2],
]) {
  test(`${boids}_boids_on_${cores}_cores_take_the_cycles_they_took`, exhaustiveOnly(), () => {
    const cycles = measure(boids, cores);
    if (process.env.FIRMWARE_STORE) stored[boids] = cycles;
    assert.ok(
      Math.abs(cycles / stored[boids] - 1) < 0.02,
      `${cycles} cycles; ${stored[boids]} are stored`,
    );
  });
}

process.on("exit", () => {
  if (process.env.FIRMWARE_STORE) writeFileSync(file, `${JSON.stringify(stored, null, 2)}\n`);
});
