// Commands on the UART: pause, step, next seed, hash, reports, BOOTSEL.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Board } from "./board.mjs";
import { build, hostHashes } from "./build.mjs";

const STATE = /^\d+ [0-9a-f]{16} /;
const WHILE = 5e6;
const variant = { set: ["flock.count=20", "update=synchronous"] };
const fast = { report: 1, pace: 0, screen: 0 };
const image = build("image", { ...fast, ...variant });

/* A board that has reported some steps, and a function that sends it a command and returns the next lines. */
function begin(file = image) {
  const board = new Board(`${file}.bin`);
  const type = (command) => {
    const before = board.lines.length;
    if (command) board.rp2040.uart[0].feedByte(command.charCodeAt(0));
    board.run(WHILE);
    return board.lines.slice(before).map((line) => line.split(" ").slice(0, 2).join(" "));
  };
  board.runToLines(3, STATE, 1e8);
  return { board, type };
}

test("p_pauses_s_steps_h_hashes_and_p_goes_on", () => {
  const { board, type } = begin();
  assert.equal(type("p").at(-1), "# paused");
  const timer = board.rp2040.peripherals[0x40058].timer;
  timer.baseFreq *= 200;
  timer.set(4000000);
  assert.deepEqual(type(), []);
  assert.equal(board.restarts, 0, "a pause feeds the watchdog");
  const last = board.lines.at(-2).split(" ").slice(0, 2).join(" ");
  assert.deepEqual(type("h"), [last]);
  const [next, ...more] = type("s");
  assert.equal(Number.parseInt(next, 10), Number.parseInt(last, 10) + 1);
  assert.deepEqual(more, []);
  const [answer, ...rest] = type("p");
  assert.equal(answer, "# running");
  assert.ok(rest.length > 1);
  assert.deepEqual(
    [next, ...rest],
    hostHashes(variant, 1, Number.parseInt(rest.at(-1), 10)).slice(-1 - rest.length),
  );
});

test("r_switches_reports_off_and_on", () => {
  const { type } = begin();
  assert.equal(type("r").at(-1), "# reports");
  assert.deepEqual(type(), []);
  const [answer, first] = type("r");
  assert.equal(answer, "# reports");
  assert.equal(first, hostHashes(variant, 1, Number.parseInt(first, 10)).at(-1));
});

test("n_starts_again_with_the_next_seed", () => {
  const { type } = begin();
  const lines = type("n");
  const at = lines.indexOf("# seed");
  const expected = hostHashes({ set: [...variant.set, "seed=2"] }, 1, lines.length - at - 2);
  assert.ok(expected.length > 1);
  assert.deepEqual(lines.slice(at + 1), expected);
});

test("n_is_refused_if_rules_use_the_seed", () => {
  const { type } = begin(
    build("spread", { ...fast, set: [...variant.set, "flock.speed_spread=0.3"] }),
  );
  assert.ok(type("n").includes("# refused:"));
});

/* The tables of the boot ROM with two functions, of which `UB` is the second; it stays where it is, at 0x60. */
const ROM = [
  0, 0, 0, 0, 0, 0x40, 0x21, 0, 0x428a8802, 0x3004d001, 0x8840e7fa, 0x4770, 0, 0, 0, 0, 0x00714657,
  0x00614255, 0, 0, 0, 0, 0, 0, 0xe7fe,
];

test("b_calls_reset_usb_boot", () => {
  const { board } = begin();
  board.rp2040.bootrom.set(ROM);
  board.rp2040.uart[0].feedByte("b".charCodeAt(0));
  assert.ok(
    board.run(WHILE, () => board.core.PC === 0x60),
    "it is called",
  );
  assert.deepEqual([...board.core.registers.slice(0, 2)], [1 << 25, 0]);
});
