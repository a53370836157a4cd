// The example for the Pico SDK, with a stand-in for the SDK (pico_sdk/): it compiles for both boards, and for a Pico 2 it computes the
// states of the host, in QEMU's mps2-an505.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { ROOT, exhaustiveOnly, hostFrames, hostHashes, isCheap, run } from "./build.mjs";

const STEPS = 300;

/* Build the example as its README says, and give the program to `use`. */
function withExample(board, config, arithmetic, use) {
  const folder = mkdtempSync(path.join(tmpdir(), "boids-"));
  try {
    const settings = { PICO_BOARD: board, CONFIG: config, ARITHMETIC: arithmetic };
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

/* The lines that a Pico 2 prints up to the last step. */
function emulate(program) {
  const done = run("qemu-system-arm", [
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

for (const arithmetic of ["FIXED", "FLOAT32"]) {
  test(`it_compiles_for_a_pico_in_${arithmetic}`, exhaustiveOnly(arithmetic === "FIXED"), () =>
    withExample("pico", arithmetic === "FIXED" ? "pico" : "rocks", arithmetic, () => {}),
  );

  // The fast sums of the firmware step pico; each other preset has another update or border.
  for (const config of [
    arithmetic === "FIXED" ? "pico" : "rocks",
    ...(isCheap ? [] : ["castor", "fish", "vicsek", "bees"]),
    ...(isCheap || arithmetic === "FLOAT32" ? [] : ["rocks"]),
  ])
    test(`${config}_in_${arithmetic}_on_a_pico_2_matches_the_host`, () =>
      withExample("pico2", config, arithmetic, (program) => {
        const variant = { config, set: [`arithmetic=${arithmetic.toLowerCase()}`] };
        const lines = emulate(program);
        assert.deepEqual(lines.slice(0, -1), hostHashes(variant, 10, STEPS));
        const whole = arithmetic === "FIXED" ? Math.floor : Math.trunc;
        const agents = hostFrames(variant, 1, STEPS).flatMap((frame) => frame.agents);
        const sum = (axis) =>
          agents.reduce((total, agent) => (total + whole(agent[axis])) >>> 0, 0);
        assert.equal(lines.at(-1), `drawn ${agents.length} ${sum(0)} ${sum(1)}`);
      }));
}
