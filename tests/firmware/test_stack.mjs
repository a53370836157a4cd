// How much of its stack each core uses, for all presets that fit the board.

import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { FIRMWARE_CONFIG, ROOT, isCheap, run } from './build.mjs';
import { runImage } from './native.mjs';

const FREE = 1024;

const presets = readdirSync(path.join(ROOT, 'configs')).map((file) => path.basename(file, '.json')).sort();
const fitting = presets.filter((name) => run(FIRMWARE_CONFIG, [`configs/${name}.json`]).status === 0);
/* Those with the deepest stacks. */
const quick = ['couzin', 'mason', 'topological'];

for (const name of isCheap ? quick : fitting)
  test(`${name}_leaves_1_KB_of_each_stack_free`, () => {
    const { stackFree } = runImage(name, { config: `configs/${name}.json`, report: 5, pace: 0 }, 20);
    assert.ok(Math.min(...stackFree) >= FREE, `${stackFree} bytes of 4096 are free`);
  });
