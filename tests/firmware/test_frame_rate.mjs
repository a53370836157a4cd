// The guaranteed speed of the firmware: every step of some seeds, reports included, with the hashes of the host. Prints the table.
// FIRMWARE_STORE=1 runs three seeds and 3000 steps; otherwise smaller flocks, which are faster, have one seed.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { after, test } from "node:test";
import { Board, readSymbols } from "./board.mjs";
import { ROOT, build, exhaustiveOnly, hostFrames, hostHashes, isCheap } from "./build.mjs";
import { runImage } from "./native.mjs";

const STEPS = process.env.FIRMWARE_STORE ? 3000 : 600;
const pico = (boids, seed) => ({
  config: "configs/pico.json",
  set: [`flock.count=${boids}`, `seed=${seed}`],
});

/* Boids, cores, of 100 frames how many may be late, steps per second of the slowest step. */
const bars = [
  [700, 1, 0, 29.76],
  [1000, 2, 0, 29.76],
  [1250, 2, 0, 29.76],
  [1500, 2, 0, 29.76],
];
const table = [];

function assertRate(result, most, slowest) {
  assert.equal(result.reportedLate, result.late, "the firmware counts what is seen from outside");
  assert.ok(
    result.late <= (result.pictures * most) / 100,
    `${result.late} of ${result.pictures} frames are late`,
  );
  assert.ok(
    (result.mhz * 1e6) / result.worst >= slowest,
    `the worst step took ${result.worst} cycles`,
  );
}

function addRow(boids, cores, seed, { mhz, median, worst, late, pictures }) {
  const rate = (cycles) => ((mhz * 1e6) / cycles).toFixed(1);
  table.push(
    `# ${[boids, cores, mhz, seed, rate(median), rate(worst), `${late} of ${pictures}`].join(" | ")}`,
  );
}

for (const [boids, cores, most, slowest] of bars)
  for (const seed of boids === 1500 || process.env.FIRMWARE_STORE ? [1, 2, 3] : [1])
    test(
      `${boids}_boids_on_${cores}_cores_keep_their_pace_with_seed_${seed}`,
      exhaustiveOnly(),
      () => {
        const variant = pico(boids, seed);
        const result = runImage("bar", { cores, ...variant }, STEPS);
        addRow(boids, cores, seed, result);
        assert.deepEqual(result.hashes, hostHashes(variant, 10, STEPS));
        assertRate(result, most, slowest);
      },
    );

/* A step just fits into a frame, but not together with the whole hash. */
test("a_report_delays_no_picture", () => {
  const variant = pico(1850, 1);
  const result = runImage("report", variant, 60);
  assert.deepEqual(result.hashes, hostHashes(variant, 10, 60));
  assertRate(result, 0, 29.76);
});

test("castor_keeps_its_pace_on_two_cores", exhaustiveOnly(), () => {
  const variant = { config: "configs/castor.json" };
  const result = runImage("castor", variant, STEPS);
  assert.deepEqual(result.hashes, hostHashes(variant, 10, STEPS));
  assertRate(result, 0, 29.76);
});

/* Two radii, and separation with quotients. Of the first 1000 steps, step 146 is the slowest. */
test("school_runs_20_steps_per_second_on_two_cores", exhaustiveOnly(), () => {
  const variant = { config: "configs/school.json" };
  const result = runImage("school", variant, STEPS);
  assert.deepEqual(result.hashes, hostHashes(variant, 10, STEPS));
  assertRate(result, 100, 20);
});

/* Of 3000 steps, the next one is the slowest: there are many pairs of near boids, and 409 boids within the radius of cohesion. */
test("school_runs_20_steps_per_second_in_a_crowd", exhaustiveOnly(), () => {
  const variant = { config: "configs/school.json", report: 1, pace: 0 };
  const image = build("crowd", variant);
  const board = new Board(`${image}.bin`);
  const line = /^\d+ [0-9a-f]{16} /;
  board.runToLines(1, line, 1e10);
  board.place(readSymbols(`${image}.elf`).sim_flock, hostFrames(variant, 2818, 2818).at(-1).agents);
  const cycles = Number(board.runToLines(2, line, 1e10).at(-1).split(" ")[2]);
  assert.ok(125e6 / cycles >= 20, `the step took ${cycles} cycles`);
});

/* Contention makes steps longer; at twice the clock there is time for it. */
test("fifteen_hundred_boids_at_250_megahertz_are_never_late", exhaustiveOnly(), () => {
  const result = runImage("bar_250", { clock: 250, ...pico(1500, 1) }, STEPS, ["contention"]);
  addRow(1500, 2, "1, with contention", result);
  assertRate(result, 0, 30);
});

/* Cores that stop at random, and cores that wait for each other at banks of RAM, give the same states. */
for (const way of ["stalls=1", "stalls=2", "contention"])
  test(`${way}_changes_no_bit`, () => {
    const steps = isCheap ? 20 : 300;
    const result = runImage("ways", pico(300, 1), steps, [way]);
    assert.deepEqual(result.hashes, hostHashes(pico(300, 1), 10, steps));
  });

/* All except the cycles, which depend on the compiler. */
test("the_readme_shows_what_the_uart_says", () => {
  const readme = readFileSync(path.join(ROOT, "firmware/rp2040/README.md"), "utf8");
  const shown = readme
    .match(/```\n(# A thousand boids[^`]*)```/)[1]
    .trim()
    .split("\n");
  const bare = (line) => (line.startsWith("#") ? line : line.split(" ").slice(0, 2).join(" "));
  assert.deepEqual(
    runImage("pico", { config: "configs/pico.json" }, 10).lines.slice(0, -1).map(bare),
    shown.map(bare),
  );
});

/* Except one: rp2040js counts no cycle for lr in a push, unlike the processor's manual. */
test("both_emulators_count_the_same_cycles", () => {
  const variant = { ...pico(300, 1), report: 1, pace: 0 };
  const steps = isCheap ? 3 : 20;
  const { image, worst } = runImage("both", variant, steps);
  const board = new Board(`${image}.bin`);
  const lines = board.runToLines(steps + 1, /^\d+ [0-9a-f]{16} /, 1e10);
  const most = Math.max(...lines.map((line) => Number(line.split(" ")[3])));
  assert.ok(worst >= most && worst < most * 1.01, `${worst} and ${most}`);
});

after(() => {
  if (table.length === 0) return;
  console.log("# boids | cores | MHz | seed | steps per second, median | worst | late frames");
  for (const row of table) console.log(row);
});
