// Long runs in the emulator of native/, which is fast enough for them.

import { spawnSync } from "node:child_process";
import { PICO_EMULATOR, ROOT, build, run } from "./build.mjs";

/** Steps per second of a picture every two sync pulses. */
export const PACE = 29.76;

/* Lines `STEP HASH CYCLES WORST LATE`, and the last one, `# MHZ PICTURES LATE FREE0 FREE1`. */
function read(lines) {
  const states = lines.map((line) => line.split(" ")).filter(([step]) => /^\d+$/.test(step));
  const [, mhz, pictures, late, ...stackFree] = lines.at(-1).split(" ").map(Number);
  const sorted = states
    .slice(1)
    .map((state) => Number(state[2]))
    .sort((a, b) => a - b);
  return {
    lines,
    hashes: states.map((state) => state.slice(0, 2).join(" ")),
    mhz,
    pictures,
    late,
    stackFree,
    reportedLate: Number(states.at(-1)[4]),
    median: sorted[sorted.length >> 1],
    worst: Math.max(...states.map((state) => Number(state[3]))),
  };
}

/** Run a variant for a number of steps: the hashes that it reported, pictures and how many were late, cycles of the median step that
 *  was reported and of the worst of all, bytes of each stack that were never written to. `ways` are those of native/run_image.c,
 *  or a function of the image that returns them. */
export function runImage(name, variant, steps, ways = [], pulses = 2) {
  const image = build(name, variant);
  const words = typeof ways === "function" ? ways(image) : ways;
  const done = spawnSync(PICO_EMULATOR, [`${image}.bin`, steps, pulses, ...words].map(String), {
    cwd: ROOT,
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  if (done.status !== 0) throw new Error(done.stderr || `${name} did not run`);
  return { image, ...read(done.stdout.trim().split("\n")) };
}

/** Bytes that an image takes in RAM, and in the flash. */
export const ramOf = (image) => bytesOf(image, [".data", ".bss"]);
export const flashOf = (image) => bytesOf(image, [".boot2", ".text", ".data"]);

function bytesOf(image, sections) {
  const sizes = run("arm-none-eabi-size", ["-A", `${image}.elf`]).out;
  return sections
    .map((name) => Number(sizes.match(new RegExp(`^\\${name} +(\\d+)`, "m"))[1]))
    .reduce((a, b) => a + b);
}
