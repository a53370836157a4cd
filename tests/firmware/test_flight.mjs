// The board flies what the host flies, bit for bit: the hashes on its UART are those of `boids --hash`.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Board, MHZ } from './board.mjs';
import { build, hostHashes } from './build.mjs';

const STATE = /^\d+ [0-9a-f]{16} \d+ \d+$/;
const FOREVER = 1e11;
const isCheap = process.env.FIRMWARE_TEST === 'cheap';

/* Fly a variant and compare: a hash each `every` steps, up to `steps`. */
function compare(name, variant, every, steps) {
  const board = new Board(`${build(name, { report: every, screen: 0, pace: 0, ...variant })}.bin`);
  const lines = board.runToLines(steps / every + 1, STATE, FOREVER);
  assert.deepEqual(lines.map((line) => line.split(' ').slice(0, 2).join(' ')), hostHashes(variant, every, steps));
  return board;
}

const two_hundred = ['flock.count=200', 'update=synchronous'];

test('one_core_flies_as_the_host_does', () => {
  compare('test_one_core', { set: two_hundred, cores: 1 }, 50, isCheap ? 100 : 1000);
});

test('two_cores_fly_as_the_host_does', () => {
  const board = compare('test_two_cores', { set: two_hundred, cores: 2 }, 50, isCheap ? 100 : 1000);
  assert.ok(board.second, 'the second core runs');
});

for (const name of ['adams', 'castor', 'bees', 'fish', 'p5']) {
  test(`${name}_flies_as_on_the_host`, () => {
    compare(name, { config: `configs/${name}.json` }, 10, isCheap ? 10 : 50);
  });
}

test('a_boid_may_be_alone', () => {
  compare('test_alone', { set: ['flock.count=1', 'predators.count=0', 'update=synchronous'] }, 10, 100);
});

test('the_processor_runs_at_125_megahertz', () => {
  const board = new Board(`${build('adams', {})}.bin`);
  board.runToLines(1, STATE, FOREVER);
  const { pllSys, clkSys, uart } = board.rp2040;
  assert.equal(12 / pllSys.refdiv * pllSys.fbdiv / (pllSys.postdiv1 * pllSys.postdiv2), MHZ);
  assert.equal(clkSys, MHZ * 1e6);
  assert.ok(Math.abs(uart[0].baudRate / 115200 - 1) < 0.001);
});

test('the_banner_tells_the_title_and_the_configuration', () => {
  const board = new Board(`${build('adams', {})}.bin`);
  board.runToLines(1, STATE, FOREVER);
  assert.equal(board.lines[0], "# V. Hunter Adams' boids, with a predator");
  assert.match(board.lines[1], /^# configuration [0-9a-f]{16}, fixed, boids 400, predators 1, cores [12]$/);
});
