// The states of the board are bit-identical to those of the host: the hashes on its UART are those of `boids --hash`.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { Board, readSymbols } from "./board.mjs";
import {
  build,
  exhaustiveOnly,
  hostFrames,
  hostHashes,
  hostHashesFrom,
  isCheap,
  isInTurn,
  readFrames,
} from "./build.mjs";
import { runImage } from "./native.mjs";

const STATE = /^\d+ [0-9a-f]{16} \d+ \d+ \d+$/;
const FOREVER = 1e11;

/* Run a variant and compare: a hash each `every` steps, up to `steps`. */
function compare(name, variant, every, steps) {
  const board = new Board(`${build(name, { report: every, screen: 0, pace: 0, ...variant })}.bin`);
  const lines = board.runToLines(steps / every + 1, STATE, FOREVER);
  assert.deepEqual(
    lines.map((line) => line.split(" ").slice(0, 2).join(" ")),
    hostHashes(variant, every, steps),
  );
  return board;
}

/* The same in the emulator of native/, which is ten times as fast. */
function compareNative(name, variant, steps) {
  assert.deepEqual(
    runImage(name, { report: 10, screen: 0, pace: 0, ...variant }, steps).hashes,
    hostHashes(variant, 10, steps),
  );
}

const two_hundred = ["flock.count=200", "update=synchronous"];

test("one_core_matches_the_host", () => {
  compare("one_core", { set: two_hundred, cores: 1 }, 50, isCheap ? 50 : 300);
});

test("two_cores_match_the_host", () => {
  const board = compare("two_cores", { set: two_hundred, cores: 2 }, 50, isCheap ? 50 : 300);
  assert.ok(board.second, "the second core runs");
});

/* CI runs three of the first six, whose update orders, borders and forms of rules differ. */
const presets = `castor fish vicsek couzin topological netlogo adams mesa school
  bees p5 chate couzin_unit eater mason hunt migration`.split(/\s+/);
for (const [k, name] of presets.entries())
  test(`${name}_matches_the_host`, exhaustiveOnly(k < 6 && isInTurn(k, 2)), () => {
    compareNative(name, { config: `configs/${name}.json` }, isCheap ? 10 : 30);
  });

const alone = { set: ["flock.count=1", "predators.count=0", "update=synchronous"] };

test("a_boid_may_be_alone", () => {
  compare("alone", alone, 10, 100);
});

/* Run from given agents, which replace the initial state of the board; in the emulator of native/. */
function compareFrom(name, variant, agents, predators, steps) {
  const own = { report: 1, screen: 0, pace: 0, ...variant };
  const file = path.join(mkdtempSync(path.join(tmpdir(), "boids-")), "agents");
  writeFileSync(
    file,
    Int32Array.from(agents.flat(), (number) => Math.round(number * 65536)),
  );
  const run = runImage(name, own, steps, (image) => [
    `place=${readSymbols(`${image}.elf`).sim_flock},${file}`,
  ]);
  rmSync(path.dirname(file), { recursive: true });
  assert.deepEqual(run.hashes.slice(1), hostHashesFrom(variant, agents, predators, steps).slice(1));
  return run;
}

test("a_clustered_flock_of_1500_matches_the_host", () => {
  const variant = { config: "configs/pico_swarm.json" };
  const agents = hostFrames(variant, 1000, 1000).at(-1).agents;
  const { stackFree } = compareFrom("swarm", variant, agents, 1, isCheap ? 1 : 4);
  for (const free of stackFree)
    assert.ok(free > 2048, `a stack takes ${4096 - free} bytes of 4096`);
});

/* Numbers for hostile states, the same on every machine. */
function* dice(seed) {
  for (;;) {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    yield seed / 2 ** 32;
  }
}

function scatter(count, seed, ranges) {
  const die = dice(seed);
  const quantum = (a) => Math.round(a * 65536) / 65536;
  return Array.from({ length: count }, () =>
    ranges.map(([low, high]) => quantum(low + (high - low) * die.next().value)),
  );
}

const everywhere = [
  [-90, 730],
  [-90, 570],
  [-6, 6],
  [-6, 6],
];
const fast = [
  [300, 330],
  [200, 230],
  [-30000, 30000],
  [-30000, 30000],
];
const crowd = [
  [300, 300.5],
  [200, 200.5],
  [-6, 6],
  [-6, 6],
];
const besides = [
  [338.7, 339.2],
  [200, 200.5],
  [-6, 6],
  [-6, 6],
];
const runaway = [
  [-32767, 32767],
  [-32767, 32767],
  [-30000, 30000],
  [-30000, 30000],
];
const corner = [
  [-32767, -32750],
  [32750, 32767],
  [-20000, 20000],
  [-20000, 20000],
];

test("boids_beyond_the_margin_match_the_host", () => {
  const variant = { set: ["flock.count=300", "update=synchronous"] };
  compareFrom("300", variant, scatter(301, 1, everywhere), 1, 10);
});

test("a_crowd_that_32_bits_cannot_sum_up_matches_the_host", () => {
  const variant = { set: ["flock.count=900", "update=synchronous"] };
  compareFrom("crowd", variant, [...scatter(880, 2, crowd), ...scatter(21, 6, besides)], 1, 1);
});

test("velocities_that_32_bits_cannot_sum_up_match_the_host", () => {
  const variant = { set: ["flock.count=300", "update=synchronous"] };
  compareFrom("300", variant, [...scatter(100, 7, fast), ...scatter(201, 8, everywhere)], 1, 2);
});

test("runaways_match_the_host", () => {
  const variant = { set: ["flock.count=300", "update=synchronous"] };
  const agents = [
    ...scatter(100, 3, everywhere),
    ...scatter(100, 4, runaway),
    ...scatter(101, 5, corner),
  ];
  compareFrom("300", variant, agents, 1, 10);
});

const school = { config: "configs/school.json", set: ["flock.count=400"] };

test("runaways_with_two_radii_match_the_host", exhaustiveOnly(), () => {
  compareFrom(
    "400",
    school,
    [...scatter(200, 3, everywhere), ...scatter(100, 4, runaway), ...scatter(101, 5, corner)],
    1,
    5,
  );
});

test("a_crowd_with_two_radii_that_32_bits_cannot_sum_up_matches_the_host", () => {
  compareFrom(
    "400",
    school,
    [
      ...scatter(380, 2, crowd),
      ...scatter(21, 6, [
        [388, 388.5],
        [200, 200.5],
        [-2, 2],
        [-2, 2],
      ]),
    ],
    1,
    1,
  );
});

/* For the boids at 388, the sum over cells inside and that over boids compared fit into 32 bits each, but their sum does not. */
test("a_crowd_whose_sum_has_parts_of_32_bits_matches_the_host", exhaustiveOnly(), () => {
  const at = (left) => [
    [left, left + 0.5],
    [200, 200.5],
    [-2, 2],
    [-2, 2],
  ];
  compareFrom(
    "600",
    { config: "configs/school.json" },
    [...scatter(290, 2, at(300)), ...scatter(289, 3, at(322)), ...scatter(22, 4, at(388))],
    1,
    1,
  );
});

/* What disc_sum.h supports besides adams, and what it does not: both on two cores. */
const relatives = {
  unlimited: {
    set: [
      "update=synchronous",
      "flock.count=200",
      "flock.min_speed=null",
      "flock.max_speed=null",
      "flock.separation.factor=2",
    ],
  },
  torus: {
    set: ["update=synchronous", "flock.count=200", "world.border=wrap", "world.distance=torus"],
  },
  goals_obstacles_and_hunters: {
    set: [
      "update=synchronous",
      "flock.count=200",
      "world.wind=[1,0.5]",
      "goals.points=[[100,100],[500,400]]",
      "goals.radius=300",
      "obstacles.circles=[[320,240,60],[100,100,30],[620,400,45]]",
      "predators.count=3",
      "predators.hunt=nearest",
      "predators.max_speed=7",
      "predators.form=unit",
    ],
  },
  reynolds: { config: "configs/p5.json", set: ["update=synchronous"] },
  alignment_radius_above_cohesion_radius: {
    config: "configs/school.json",
    set: [
      "flock.count=300",
      "flock.alignment.radius=90",
      "flock.cohesion.radius=45",
      "flock.separation.form=unit",
    ],
  },
  one_inner_radius: {
    config: "configs/school.json",
    set: ["flock.count=300", "flock.alignment.inner_radius=12"],
  },
  separation_radius_above_the_others: {
    config: "configs/school.json",
    set: ["flock.count=300", "flock.separation.radius=95", "flock.separation.form=offset"],
  },
  unit: { config: "configs/fish.json", set: ["update=synchronous"] },
  tiny: {
    set: [
      "update=synchronous",
      "flock.count=200",
      "flock.cohesion.radius=0.5",
      "flock.alignment.radius=0.5",
      "flock.separation.radius=0.25",
      "flock.cohesion.inner_radius=0",
      "flock.alignment.inner_radius=0",
    ],
  },
  bees: { config: "configs/bees.json", set: ["update=synchronous"] },
};

// CI runs three of the first six.
for (const [k, [name, variant]] of Object.entries(relatives).entries())
  test(`synchronous_${name}_matches_the_host`, exhaustiveOnly(k < 6 && isInTurn(k, 2)), () => {
    compareNative(name, variant, isCheap ? 10 : 30);
  });

test("frames_come_as_csv", () => {
  const variant = { set: ["flock.count=40", "update=synchronous"] };
  const board = new Board(`${build("frames", { frames: 5, screen: 0, pace: 0, ...variant })}.bin`);
  board.runToLines(41 * 5, /,/, FOREVER);
  assert.equal(board.lines[0], "step,time,id,type,x,y,vx,vy");
  assert.equal(board.lines[41], "0,0,40,predator," + board.lines[41].split(",").slice(4).join(","));
  assert.deepEqual(readFrames(board.lines).slice(0, 4), hostFrames(variant, 5, 15));
});

/* A debugger may start an image while the clock is still that of the image before: flash is always read slowly enough
 * for 250 MHz. Beyond 133 MHz the core gets more than its 1.1 volts. */
const clocks = { 125: [8, 11], 133: [8, 11], 200: [8, 12], 250: [8, 13] };

for (const [k, [mhz, [flashDivider, volts]]] of Object.entries(clocks).entries())
  test(`the_processor_runs_at_${mhz}_megahertz`, exhaustiveOnly(isInTurn(k, 4)), () => {
    const board = new Board(`${build(mhz, { clock: mhz, ...alone })}.bin`, Number(mhz));
    const written = new Map();
    const { rp2040 } = board;
    for (const [at, offset] of [
      [0x18000, 0x14],
      [0x40064, 0],
    ]) {
      const write = rp2040.peripherals[at].writeUint32.bind(rp2040.peripherals[at]);
      rp2040.peripherals[at].writeUint32 = (to, value) => (
        to === offset && written.set(at, value),
        write(to, value)
      );
    }
    board.runToLines(1, STATE, FOREVER);
    const { pllSys, clkSys, uart } = rp2040;
    assert.equal(
      ((12 / pllSys.refdiv) * pllSys.fbdiv) / (pllSys.postdiv1 * pllSys.postdiv2),
      Number(mhz),
    );
    assert.equal(clkSys, mhz * 1e6);
    assert.ok(Math.abs(uart[0].baudRate / 115200 - 1) < 0.001);
    assert.equal(written.get(0x18000), flashDivider);
    assert.equal((written.get(0x40064) >> 4) & 15, volts);
  });

test("the_banner_has_the_title_the_configuration_and_the_keys", () => {
  const board = new Board(`${build("banner", {})}.bin`);
  board.runToLines(1, STATE, FOREVER);
  assert.equal(board.lines[0], "# V. Hunter Adams' boids, with a predator");
  assert.match(
    board.lines[1],
    /^# configuration [0-9a-f]{16}, fixed, boids 400, predators 1, cores [12]$/,
  );
  assert.equal(board.lines[2], "# keys: p pause, s step, n next seed, h hash, r reports, b boot");
});
