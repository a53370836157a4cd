// The example for the Pico SDK, with a stand-in for the SDK (pico_sdk/): it compiles for both boards, and for a Pico 2 it computes the
// states of the host, in QEMU's mps2-an505.

import assert from "node:assert/strict";
import { test } from "node:test";
import { exhaustiveOnly, hostConfig, hostFrames, hostHashes, isCheap, isInTurn } from "./build.mjs";
import { commandsFor, emulate, withExample } from "./pico_sdk.mjs";
import { framesOf } from "./st7789.mjs";

const STEPS = 100;

test("it_compiles_for_a_pico_w", exhaustiveOnly(), () =>
  withExample("pico_w", "pico", "FIXED", () => {}),
);

for (const [k, arithmetic] of ["FIXED", "FLOAT32"].entries()) {
  test(`it_compiles_for_a_pico_in_${arithmetic}`, exhaustiveOnly(arithmetic === "FIXED"), () =>
    withExample("pico", arithmetic === "FIXED" ? "pico" : "rocks", arithmetic, () => {}),
  );

  // The fast sums of the firmware step pico; each other preset has another update or border.
  for (const config of [
    arithmetic === "FIXED" ? "pico" : "rocks",
    ...(isCheap ? [] : ["castor", "fish", "vicsek", "bees"]),
    ...(isCheap || arithmetic === "FLOAT32" ? [] : ["rocks"]),
  ])
    test(
      `${config}_in_${arithmetic}_on_a_pico_2_matches_the_host`,
      exhaustiveOnly(isInTurn(k, 2)),
      () =>
        withExample("pico2", config, arithmetic, (program) => {
          const variant = { config, set: [`arithmetic=${arithmetic.toLowerCase()}`] };
          const lines = emulate(program);
          assert.deepEqual(lines.slice(0, -1), hostHashes(variant, 10, STEPS));
          const whole = arithmetic === "FIXED" ? Math.floor : Math.trunc;
          const agents = hostFrames(variant, 1, STEPS).flatMap((frame) => frame.agents);
          const sum = (axis) =>
            agents.reduce((total, agent) => (total + whole(agent[axis])) >>> 0, 0);
          assert.equal(lines.at(-1), `drawn ${agents.length} ${sum(0)} ${sum(1)}`);
        }),
    );
}

/* The picture of a frame of the host: boids are squares of 2 pixels, predators of 4 in red, in the middle of the screen. */
function pictureOf({ agents }, { world, flock }, width, height) {
  const pixels = new Uint16Array(width * height);
  const scale = Math.min(width / world.width, height / world.height);
  const pixel = (value) => Math.floor(value * scale + 1e-9);
  const [left, top] = [width - pixel(world.width), height - pixel(world.height)].map((gap) =>
    Math.floor(gap / 2),
  );
  for (const [i, agent] of agents.entries()) {
    const [x, y] = agent.map(Math.floor),
      size = i < flock.count ? 2 : 4;
    if (x < 0 || y < 0 || x > world.width || y > world.height) continue;
    const column = left + pixel(x),
      row = top + pixel(world.y_axis === "up" ? world.height - y : y);
    for (let v = row; v < Math.min(height, row + size); v++)
      pixels.fill(
        size === 2 ? 0x975f : 0xfa68,
        v * width + column,
        v * width + Math.min(width, column + size),
      );
  }
  return pixels;
}

/* Commands that a screen of this size cannot do without. */
const NEEDED = {
  "240x240": [0x11, 0x21, 0x29, 0x2b, 0x2c, 0x3a],
  "240x320": [0x11, 0x21, 0x29, 0x2c, 0x3a],
  "320x240": [0x11, 0x21, 0x29, 0x2a, 0x2b, 0x2c, 0x36, 0x3a],
};
for (const [k, config] of ["pico", "hunt", "adams"].entries())
  for (const [l, [size, needed]] of Object.entries(NEEDED).entries())
    test(
      `${config}_on_a_screen_of_${size}_is_the_flock_of_the_host`,
      exhaustiveOnly(k === l && isInTurn(k, 3)),
      () => {
        const [width, height] = size.split("x").map(Number),
          commands = commandsFor(config, size),
          variant = { config, set: ["arithmetic=fixed"] },
          wanted = hostFrames(variant, 100, STEPS).map((frame) =>
            pictureOf(frame, hostConfig(variant), width, height),
          );
        const shown = (list) => framesOf(list, width, height);
        assert.deepEqual(shown(commands), wanted);
        // The comparison sees each kind of fault.
        const change = (code, call) =>
          shown(commands.map(([each, data]) => [each, each === code ? call(data) : data]));
        const exchanged = change(0x2c, (data) => data.map((_, i) => data[i ^ 1]));
        assert.notDeepEqual(exchanged, wanted);
        for (const code of [0x2a, 0x2b])
          for (const [byte, by] of [
            [1, 1],
            [3, 1],
            [3, -1],
          ])
            assert.notDeepEqual(
              change(code, (data) => data.with(byte, data[byte] + by)),
              wanted,
            );
        for (const code of needed)
          assert.notDeepEqual(shown(commands.filter(([each]) => each !== code)), wanted, `${code}`);
      },
    );
