// How much of its stack each core uses, for all presets that fit the board.

import assert from "node:assert/strict";
import { test } from "node:test";
import { configurations, isCheap } from "./build.mjs";
import { runImage } from "./native.mjs";

const FREE = 1024;

const fitting = configurations().map(([name]) => name);

for (const name of isCheap ? ["couzin"] : fitting)
  test(`${name}_leaves_1_KB_of_each_stack_free`, () => {
    const { stackFree } = runImage(
      name,
      { config: `configs/${name}.json`, report: 5, pace: 0 },
      20,
    );
    assert.ok(Math.min(...stackFree) >= FREE, `${stackFree} bytes of 4096 are free`);
  });
