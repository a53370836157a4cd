// A potentiometer on ADC0 and a button on GPIO2, bound to a key and to a command when the image is built.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Board } from "./board.mjs";
import { build, hostHashes, run } from "./build.mjs";

const STATE = /^\d+ [0-9a-f]{16} /;
const FOREVER = 1e10;
const BUTTON = 2;
const variant = { set: ["flock.count=60", "update=synchronous"] };
const fast = { report: 1, pace: 0, screen: 0 };

/* A board with the potentiometer half-way and the button released, after some steps and more than the time of a bounce. */
function begin(file, channel = 2048) {
  const board = new Board(`${file}.bin`);
  board.rp2040.adc.channelValues[0] = channel;
  board.rp2040.gpio[BUTTON].setInputValue(true);
  board.runToLines(3, STATE, FOREVER);
  board.run(3e6);
  return board;
}

const states = (board) =>
  board.lines
    .filter((line) => STATE.test(line))
    .map((line) => line.split(" ").slice(0, 2).join(" "));

test("a_potentiometer_changes_its_key_as_a_schedule_does", () => {
  const board = begin(build("pot", { ...fast, pot: "flock.cohesion.factor", ...variant }));
  for (const channel of [4095, 4090, 0, 1000]) {
    board.rp2040.adc.channelValues[0] = channel;
    board.run(4e6);
  }
  const schedule = board.lines
    .filter((line) => line.startsWith("# flock"))
    .map((line) => {
      const [, percent, step] = line.match(
        /^# flock\.cohesion\.factor is (\d+) % after step (\d+)$/,
      );
      return {
        at: Number(step),
        percent: Number(percent),
        set: { "flock.cohesion.factor": (0.0005 * Number(percent)) / 100 },
      };
    });
  assert.deepEqual(
    schedule.map(({ percent }) => percent),
    [100, 200, 0, 49],
    "noise changes nothing",
  );
  const seen = states(board);
  const text = JSON.stringify(schedule.map(({ at, set }) => ({ at, set })));
  assert.deepEqual(
    seen,
    hostHashes({ set: [...variant.set, `schedule=${text}`] }, 1, seen.length - 1),
  );
});

test("a_button_pauses_and_continues", () => {
  const board = begin(build("pause", { ...fast, button: "pause", ...variant }));
  const button = board.rp2040.gpio[BUTTON];
  const steps = () => {
    const before = states(board).length;
    board.run(2e6);
    return states(board).length - before;
  };
  const press = () => {
    for (const value of [false, true, false]) {
      button.setInputValue(value);
      board.run(2e5);
    }
    board.run(2e6);
  };
  assert.ok(steps() > 0);
  press();
  assert.equal(steps(), 0, "it is paused, and bounces count once");
  button.setInputValue(true);
  board.run(2e6);
  assert.equal(steps(), 0);
  press();
  assert.ok(steps() > 0);
});

test("a_button_starts_again_with_the_next_seed", () => {
  const board = begin(build("next", { ...fast, button: "next", ...variant }));
  board.rp2040.gpio[BUTTON].setInputValue(false);
  board.run(1e7);
  const at = board.lines.indexOf("# seed 2");
  const seen = board.lines.slice(at + 1).map((line) => line.split(" ").slice(0, 2).join(" "));
  assert.ok(at > 0 && seen.length > 2);
  assert.deepEqual(seen, hostHashes({ set: [...variant.set, "seed=2"] }, 1, seen.length - 1));
});

for (const [name, value, message] of [
  ["POT", "flock.count", /firmware_config: POT is flock\.count; it must be a factor or speed/],
  ["BUTTON", "stop", /make firmware: BUTTON is stop; it must be pause or next/],
])
  test(`${name}_of_${value}_is_refused`, () => {
    const done = run("make", ["-s", "firmware", "NAME=test_inputs_refused", `${name}=${value}`]);
    assert.notEqual(done.status, 0);
    assert.match(done.err, message);
  });
