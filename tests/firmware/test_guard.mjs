// A sign of life, and what happens without one.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Board, readSymbols } from './board.mjs';
import { build, hostHashes, isCheap } from './build.mjs';

const STATE = /^\d+ [0-9a-f]{16} /;
const FOREVER = 1e8;
const variant = { set: ['flock.count=5', 'predators.count=0', 'update=synchronous'] };
const image = build('image', { report: 1, pace: 0, screen: 0, ...variant });

test('the_lamp_changes_with_the_steps', () => {
  const board = new Board(`${image}.bin`);
  board.runToLines(30, STATE, FOREVER);
  const before = board.rp2040.sio.gpioValue >> 25 & 1;
  board.runToLines(60, STATE, FOREVER);
  assert.notEqual(board.rp2040.sio.gpioValue >> 25 & 1, before);
});

/* Run until the watchdog has started the board anew. */
function awaitRestart(board) {
  const { restarts } = board;
  assert.ok(board.run(3e8, () => board.restarts > restarts), 'the watchdog bites');
  return board.runToLines(2, STATE, FOREVER);
}

test('a_core_that_stands_still_is_restarted', { skip: isCheap }, () => {
  const board = new Board(`${image}.bin`);
  board.runToLines(3, STATE, FOREVER);
  // Here it waits for itself: `b .` in RAM that nobody uses.
  board.rp2040.sram.set([0xfe, 0xe7], 0x40100);
  board.core.PC = 0x20040100;
  const lines = awaitRestart(board);
  assert.equal(board.lines[0], '# restarted by the watchdog: no step for two seconds');
  assert.deepEqual(lines.map((line) => line.split(' ').slice(0, 2).join(' ')), hostHashes(variant, 1, 1));
});

test('a_fault_flickers_and_is_told_after_the_restart', { skip: isCheap }, () => {
  const board = new Board(`${image}.bin`);
  board.runToLines(3, STATE, FOREVER);
  const { core } = board;
  const handler = board.rp2040.flashView.getUint32(0x10c, true);
  core.SP -= 32;
  board.rp2040.sramView.setUint32(core.SP - 0x20000000 + 24, 0x20001234, true);
  core.PC = handler & ~1;
  const seen = new Set();
  board.devices.push({ advance: () => seen.add(board.rp2040.sio.gpioValue >> 25 & 1) });
  awaitRestart(board);
  assert.equal(seen.size, 2, 'the lamp is on and off');
  assert.equal(board.lines[0], '# restarted by the watchdog: a fault at 0000000020001234');
});
