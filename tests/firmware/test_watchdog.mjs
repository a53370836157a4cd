// A sign of life, and what happens without one.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Board, readSymbols } from "./board.mjs";
import { build, exhaustiveOnly, hostHashes } from "./build.mjs";

const STATE = /^\d+ [0-9a-f]{16} /;
const FOREVER = 1e8;
const variant = { set: ["flock.count=5", "predators.count=0", "update=synchronous"] };
const image = build("image", { report: 1, pace: 0, screen: 0, ...variant });

test("the_led_changes_with_the_steps_once_per_second", () => {
  const board = new Board(`${image}.bin`);
  const led = () => (board.rp2040.sio.gpioValue >> 25) & 1;
  const { clock } = board.rp2040;
  board.runToLines(30, STATE, FOREVER);
  const before = led();
  board.runToLines(90, STATE, FOREVER);
  assert.equal(led(), before, "steps alone do not change it");
  clock.nanosCounter += 2 ** 20 * 1000;
  board.runToLines(92, STATE, FOREVER);
  assert.notEqual(led(), before);
});

test("a_debugger_pauses_the_watchdog", () => {
  const board = new Board(`${image}.bin`);
  const watchdog = board.rp2040.peripherals[0x40058];
  watchdog.writeUint32(0, 0);
  board.runToLines(1, STATE, FOREVER);
  assert.equal((watchdog.readUint32(0) >>> 24) & 7, 7);
});

/* Run until the watchdog has restarted the board. */
function awaitRestart(board) {
  const { restarts } = board;
  assert.ok(
    board.run(3e8, () => board.restarts > restarts),
    "the watchdog bites",
  );
  return board.runToLines(2, STATE, FOREVER);
}

test("a_core_that_stands_still_is_restarted", exhaustiveOnly(), () => {
  const board = new Board(`${image}.bin`);
  board.runToLines(3, STATE, FOREVER);
  // Here it waits for itself: `b .` in unused RAM.
  board.rp2040.sram.set([0xfe, 0xe7], 0x40100);
  board.core.PC = 0x20040100;
  const lines = awaitRestart(board);
  assert.equal(board.lines[0], "# restarted by the watchdog: no progress for two seconds");
  assert.deepEqual(
    lines.map((line) => line.split(" ").slice(0, 2).join(" ")),
    hostHashes(variant, 1, 1),
  );
});

/* Send core 0 to its handler of faults, as at address 0x20001234. */
function raiseFault({ core, rp2040 }) {
  core.SP -= 32;
  rp2040.sramView.setUint32(core.SP - 0x20000000 + 24, 0x20001234, true);
  core.PC = rp2040.flashView.getUint32(0x10c, true) & ~1;
}

test("the_led_changes_eight_times_per_second_after_a_fault", () => {
  const board = new Board(`${image}.bin`);
  board.runToLines(3, STATE, FOREVER);
  const led = () => (board.rp2040.sio.gpioValue >> 25) & 1;
  raiseFault(board);
  let [last, changes] = [led(), 0];
  board.devices.push({ advance: () => led() !== last && ((last = led()), changes++) });
  board.run(0.3 * 125e6);
  assert.equal(changes, 2);
});

test("a_fault_is_reported_after_the_restart", exhaustiveOnly(), () => {
  const board = new Board(`${image}.bin`);
  board.runToLines(3, STATE, FOREVER);
  raiseFault(board);
  awaitRestart(board);
  assert.equal(board.lines[0], "# restarted by the watchdog: a fault at 0000000020001234");
});

/* The boot ROM restarts the board by the watchdog after an image was copied to its drive. */
test("a_restart_by_the_boot_rom_is_not_reported", () => {
  const board = new Board(`${image}.bin`);
  board.rp2040.peripherals[0x40058].reason = 1;
  board.runToLines(1, STATE, FOREVER);
  assert.match(board.lines[0], /^# V\. Hunter Adams/);
});

/* A watchdog that counts 200 times as fast bites after 10 ms; each of these steps takes longer. */
const slow = {
  sequential: { set: ["flock.count=400"] },
  shuffled: { set: ["flock.count=400", "update=shuffled"] },
  passes: { config: "configs/castor.json", set: ["flock.count=200"] },
  one_core: { config: "configs/school.json", cores: 1 },
  two_cores: { config: "configs/school.json" },
};

for (const [name, variant] of Object.entries(slow))
  test(
    `a_step_may_take_longer_than_the_watchdog_waits_${name}`,
    exhaustiveOnly(name === "sequential"),
    () => {
      const board = new Board(`${build(name, { report: 1, pace: 0, screen: 0, ...variant })}.bin`);
      board.runToLines(2, STATE, FOREVER);
      const { timer } = board.rp2040.peripherals[0x40058];
      timer.baseFreq *= 200;
      timer.set(4000000);
      const last = board.runToLines(4, STATE, FOREVER).at(-1);
      assert.ok(Number(last.split(" ")[2]) > 0.01 * 125e6, last);
      assert.equal(board.restarts, 0);
    },
  );

for (const number of [0, 1])
  test(`core_${number}_cannot_write_below_its_stack`, () => {
    const board = new Board(`${image}.bin`);
    board.runToLines(3, STATE, FOREVER);
    const core = [board.core, board.second][number];
    const symbols = readSymbols(`${image}.elf`);
    core.SP = symbols[`stack_bottom_${number}`] + 256 + 4;
    core.PC = symbols.sim_step & ~1;
    assert.throws(
      () => board.run(1e7),
      new RegExp(`core ${number} wrote to its stack guard at 2004[01]0`),
    );
  });
