// The example for the Pico SDK, built with a stand-in for the SDK (pico_sdk/), and run in QEMU's mps2-an505.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { ROOT, run } from "./build.mjs";
import { commandsOf } from "./st7789.mjs";

/** Build the example as its README says, and give the program to `use`. */
export function withExample(board, config, arithmetic, use, screen = {}) {
  const folder = mkdtempSync(path.join(tmpdir(), "boids-"));
  try {
    const settings = { PICO_BOARD: board, CONFIG: config, ARITHMETIC: arithmetic, ...screen };
    const words = Object.entries(settings).map(([key, value]) => `-D${key}=${value}`);
    for (const steps of [
      ["-S", "examples/pico-sdk", "-B", folder, ...words],
      ["--build", folder],
    ]) {
      const done = run("env", [
        `PICO_SDK_PATH=${path.join(ROOT, "tests/firmware/pico_sdk")}`,
        "cmake",
        ...steps,
      ]);
      assert.equal(done.status, 0, done.out + done.err);
    }
    return use(path.join(folder, "flock"));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The lines that a Pico 2 prints up to the last step. */
export function emulate(program) {
  const done = run("env", [
    "-C",
    path.dirname(program),
    "qemu-system-arm",
    "-M",
    "mps2-an505",
    "-display",
    "none",
    "-semihosting",
    "-kernel",
    program,
  ]);
  assert.equal(done.status, 0, done.err);
  return done.err.trim().split("\n");
}

/** The commands that a program sends to its screen. */
export function commandsFor(config, size) {
  const screen = { SCREEN: "st7789", SCREEN_SIZE: size };
  return withExample(
    "pico2",
    config,
    "FIXED",
    (program) => {
      emulate(program);
      return commandsOf(readFileSync(path.join(path.dirname(program), "wire")));
    },
    screen,
  );
}
