// Images for the board: they build for every preset, fit, and have the formats that the boot ROM needs.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { readSymbols } from "./board.mjs";
import {
  FIRMWARE_CONFIG,
  ROOT,
  build,
  configurations,
  exhaustiveOnly,
  isCheap,
  run,
} from "./build.mjs";

const PRESETS = isCheap ? ["adams", "fish"] : ["adams", "castor", "bees", "fish", "p5"];
const images = Object.fromEntries(
  PRESETS.map((name) => [name, build(name, { config: `configs/${name}.json` })]),
);

/* Bit by bit, from the datasheet and not from the C code. */
function crc32(bytes) {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    for (let bit = 7; bit >= 0; bit--) {
      const top = (crc >>> 31) ^ ((byte >> bit) & 1);
      crc = (crc << 1) >>> 0;
      if (top) crc = (crc ^ 0x04c11db7) >>> 0;
    }
  }
  return crc;
}

function readUf2(file) {
  const bytes = readFileSync(file);
  assert.equal(bytes.length % 512, 0);
  const blocks = bytes.length / 512;
  const parts = [];
  for (let i = 0; i < blocks; i++) {
    const block = bytes.subarray(i * 512, (i + 1) * 512);
    const word = (k) => block.readUInt32LE(4 * k);
    assert.deepEqual([word(0), word(1), word(127)], [0x0a324655, 0x9e5d5157, 0x0ab16f30]);
    assert.deepEqual([word(2), word(7)], [0x2000, 0xe48bff56], "the family is that of the RP2040");
    assert.deepEqual([word(3), word(4), word(5), word(6)], [0x10000000 + 256 * i, 256, i, blocks]);
    parts.push(block.subarray(32, 288));
  }
  return Buffer.concat(parts);
}

for (const name of PRESETS) {
  test(`uf2_of_${name}_holds_its_image`, () => {
    const image = readFileSync(`${images[name]}.bin`);
    const copy = readUf2(`${images[name]}.uf2`);
    assert.ok(copy.subarray(0, image.length).equals(image));
    assert.ok(copy.length - image.length < 256);
  });

  test(`boot2_of_${name}_ends_in_its_checksum`, () => {
    const image = readFileSync(`${images[name]}.bin`);
    assert.equal(image.readUInt32LE(252), crc32(image.subarray(0, 252)));
  });

  test(`vectors_of_${name}_stand_behind_boot2`, () => {
    const image = readFileSync(`${images[name]}.bin`);
    const symbols = readSymbols(`${images[name]}.elf`);
    assert.equal(image.readUInt32LE(256), symbols.stack_top_0);
    assert.equal(image.readUInt32LE(260), symbols.reset | 1);
  });
}

test("an_image_takes_less_than_64_kilobytes_of_flash", () => {
  for (const name of PRESETS) assert.ok(readFileSync(`${images[name]}.bin`).length < 65536, name);
});

/* With own speeds and weights by the numbers that are seen, no key may change. */
const SEEN = ["flock.speed_spread=0.1", "flock.separation.normalise=seen"];

/* The message with which firmware_config refuses a configuration. */
function refusal(words, config = {}) {
  const folder = mkdtempSync(path.join(tmpdir(), "boids-"));
  const file = path.join(folder, "a.json");
  writeFileSync(file, JSON.stringify(config));
  const done = run(FIRMWARE_CONFIG, [file, ...words]);
  rmSync(folder, { recursive: true });
  assert.equal(done.status, 2, done.err);
  assert.equal(done.out, "");
  return done.err.replace(file, "a.json");
}

test("a_flock_that_the_board_cannot_hold_is_refused", () => {
  assert.match(
    refusal(["flock.count=20000"]),
    /^firmware_config: a\.json: 20000 boids and 0 predators take \d+ bytes; without its frame buffer, the board has \d+ bytes, enough for \d+ boids\n$/,
  );
});

test("the_number_of_boids_in_the_message_fits", () => {
  const [, most] = refusal(["flock.count=20000"]).match(/enough for (\d+) boids/);
  assert.equal(run(FIRMWARE_CONFIG, ["configs/adams.json", `flock.count=${most}`]).status, 0);
  assert.match(
    refusal([`flock.count=${Number(most) + 1}`]),
    new RegExp(`enough for ${most} boids`),
  );
});

test("a_build_without_fast_sums_says_how_many_boids_would_have_them", () => {
  const [, most] = run(FIRMWARE_CONFIG, ["--live", "configs/pico_swarm.json"]).err.match(
    /^warning: steps will be several times slower: .* with at most (\d+) boids and LIVE=1 or POT, and flock.count is 1500\n$/,
  );
  for (const [count, isOn] of [
    [Number(most), true],
    [Number(most) + 1, false],
  ]) {
    const { err, out } = run(FIRMWARE_CONFIG, [
      "--live",
      "configs/pico_swarm.json",
      `flock.count=${count}`,
    ]);
    assert.equal(out.includes("#define DISC_SUM_IS_ON 1"), isOn);
    assert.equal(err === "", isOn);
  }
  for (const preset of ["pico_swarm", "rocks", "castor"])
    assert.equal(run(FIRMWARE_CONFIG, [`configs/${preset}.json`]).err, "");
});

test("a_name_is_that_of_a_file", () => {
  for (const name of ["../x", "a b"]) {
    const { status, err } = run("make", ["-s", "firmware", `NAME=${name}`]);
    assert.ok(
      status === 2 && err.includes(`NAME is '${name}'; it must be the name of a file`),
      err,
    );
  }
});

test("the_name_of_a_configuration_may_have_a_space", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "boids-"));
  const file = path.join(folder, "my flock.json");
  writeFileSync(file, "{}");
  const header = "build/firmware/test_space/configuration.h";
  const done = run("make", ["-s", header, "NAME=test_space", `CONFIG=${file}`]);
  rmSync(folder, { recursive: true });
  assert.equal(done.status, 0, done.err);
});

test("a_world_that_Q16_16_cannot_hold_is_refused", () => {
  assert.equal(
    refusal(["world.width=20000"]),
    "firmware_config: a.json: world.width is 20000; on the board it can be at most 16384\n",
  );
});

test("weights_that_depend_on_the_distance_are_refused", () => {
  assert.equal(
    refusal(["flock.cohesion.falloff_scale=5"]),
    'firmware_config: SET flock.cohesion.falloff_scale=5: arithmetic is "fixed" (the board); fixed point has no weights that depend on the distance\n',
  );
});

test("what_only_another_program_or_number_type_can_run_is_refused", () => {
  assert.match(refusal(["rule=vortex"]), /only that program can step it/);
  assert.match(refusal(["flock.max_force=1e-6"]), /fixed point rounds numbers below/);
  for (const [preset, words] of [
    ["netlogo", /do not fit on the stack/],
    ["vicsek", /no factor or speed that may change/],
  ])
    assert.match(run(FIRMWARE_CONFIG, ["--live", preset, ...SEEN]).err, words);
});

test("a_mistake_in_the_configuration_is_reported_as_by_boids", () => {
  assert.equal(
    refusal(["flock.count=-1"]),
    "firmware_config: SET flock.count=-1: flock.count must be a whole number from 1 to 2147483647\n",
  );
});

test("the_fast_sums_name_the_presets_that_use_them", () => {
  const [first] = readFileSync(path.join(ROOT, "firmware/rp2040/ram/disc_sum.c"), "utf8").split(
    "\n",
  );
  const users = configurations()
    .filter(([, text]) => text.includes("DISC_SUM_IS_ON 1"))
    .map(([name]) => name);
  assert.equal(first.match(/rules: (.*)\. Other /)[1].replace(" and ", ", "), users.join(", "));
});

test("more_goals_than_there_is_time_for_are_refused", () => {
  const points = Array.from({ length: 65 }, () => [1, 2]);
  assert.equal(
    refusal([], { goals: { points } }),
    "firmware_config: a.json: the number of goals.points is 65; on the board it can be at most 64\n",
  );
});

test("more_obstacles_than_there_is_time_for_are_refused", () => {
  const circles = Array.from({ length: 65 }, () => [1, 2, 3]);
  assert.equal(
    refusal([], { obstacles: { circles } }),
    "firmware_config: a.json: the number of obstacles.circles is 65; on the board it can be at most 64\n",
  );
});

test("an_initial_file_is_refused", () => {
  assert.match(
    refusal([], { schedule: [{ at: 3, set: { "flock.max_speed": 4 } }] }),
    /schedule is not empty; the board runs one set of rules/,
  );
  assert.match(
    refusal([], { flock: { init: { file: "x.csv" } } }),
    /flock\.init\.file is .*; the board generates its initial state itself/,
  );
});

/* The message of make about an invalid variable for the board. */
for (const [name, value] of [
  ["CORES", 3],
  ["CORES", 0],
  ["PACE", -5],
  ["PACE", "fast"],
  ["SCREEN", 2],
  ["REPORT", 0],
  ["REPORT", "010"],
  ["WIRING", "adams"],
]) {
  test(`${name}_of_${value}_is_refused`, () => {
    const done = run("make", ["-s", "firmware", "NAME=test_refused", `${name}=${value}`]);
    assert.notEqual(done.status, 0);
    assert.match(done.err, new RegExp(`^make firmware: ${name} is ${value}; it must be `));
  });
}

/* The largest flock of this kind that firmware_config accepts, and prints this for. */
function mostBoids(config, set, printed) {
  let [least, most] = [1, 20000];
  while (most - least > 1) {
    const middle = (least + most) >> 1;
    const { status, out } = run(FIRMWARE_CONFIG, [config, `flock.count=${middle}`, ...set]);
    if (status === 0 && out.includes(printed)) least = middle;
    else most = middle;
  }
  return least;
}

const largest = [
  ["pico", "pico", [], ""],
  ["school_with_disc_sums", "school", [], "DISC_SUM_IS_ON 1"],
  ["pico_with_views_and_noise", "pico", ["flock.alignment.view=200", "flock.noise.eta=0.1"], ""],
  ["adams", "adams", [], ""],
  ["pico_with_disc_sums", "pico", [], "DISC_SUM_IS_ON 1"],
  [
    "pico_with_noise_and_disc_sums",
    "pico",
    ["flock.noise.eta=0.1", "flock.max_turn=20", "flock.means=with_self"],
    "DISC_SUM_IS_ON 1",
  ],
  ["pico_with_noise", "pico", ["flock.noise.eta=0.1", "flock.max_turn=20"], ""],
  ["pico_with_views", "pico", ["flock.alignment.view=200"], ""],
  [
    "shuffled_pico_with_nearest",
    "pico",
    ["update=shuffled", "flock.max_turn=30", "flock.alignment.nearest=5"],
    "",
  ],
];
for (const [k, [name, config, set, printed]] of largest.entries())
  test(`the_largest_flock_of_${name}_that_is_accepted_can_be_linked`, exhaustiveOnly(k < 3), () => {
    const most = mostBoids(`configs/${config}.json`, set, printed);
    build(`most_${name}`, {
      config: `configs/${config}.json`,
      set: [...set, `flock.count=${most}`],
    });
  });

/* flash.sh with a drive, a folder of programs, or neither; what it did. */
function flash(folder, { drive = false, program } = {}) {
  const place = path.join(folder, "RPI-RP2");
  const programs = path.join(folder, "bin");
  mkdirSync(place);
  mkdirSync(programs);
  for (const name of ["sh", "cp", "sync"]) symlinkSync(`/bin/${name}`, path.join(programs, name));
  if (drive) writeFileSync(path.join(place, "INFO_UF2.TXT"), "");
  if (program)
    writeFileSync(path.join(programs, program), '#!/bin/sh\necho "$0" "$@"\n', { mode: 0o755 });
  writeFileSync(path.join(folder, "a.uf2"), "image");
  const env = { PATH: programs, RPI_RP2_PLACES: place };
  return spawnSync(
    "/bin/sh",
    [path.join(ROOT, "firmware/rp2040/flash.sh"), path.join(folder, "a")],
    { env, encoding: "utf8" },
  );
}

function withFolder(use) {
  const folder = mkdtempSync(path.join(tmpdir(), "boids-"));
  try {
    use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("an_image_is_copied_to_a_drive_that_is_there", () =>
  withFolder((folder) => {
    assert.equal(flash(folder, { drive: true, program: "picotool" }).status, 0);
    assert.equal(readFileSync(path.join(folder, "RPI-RP2/a.uf2"), "utf8"), "image");
  }));

for (const [program, words] of [
  ["picotool", /picotool load -f -x .*a\.uf2\n$/],
  ["openocd", /openocd .*adapter speed 5000.*program .*a\.elf verify reset exit\n$/],
])
  test(`${program}_is_called_when_there_is_no_drive`, () =>
    withFolder((folder) => {
      const done = flash(folder, { program });
      assert.equal(done.status, 0);
      assert.match(done.stdout, words);
    }));

test("without_any_of_them_it_says_what_to_do", () =>
  withFolder((folder) => {
    const done = flash(folder);
    assert.equal(done.status, 1);
    assert.match(
      done.stderr,
      /^flash: no drive RPI-RP2 is mounted, .* hold BOOTSEL .* copy .*a\.uf2 to the drive/,
    );
  }));
