// LIVE=1: lines on the UART change factors and speeds while the firmware runs, and the states are those of a host whose schedule
// changes the same keys at the same steps.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Board } from "./board.mjs";
import { FIRMWARE_CONFIG, build, exhaustiveOnly, hostHashes, run } from "./build.mjs";

const STATE = /^\d+ [0-9a-f]{16} /;
const FOREVER = 1e10;
const variant = { set: ["flock.count=60", "update=synchronous"] };
const fast = { live: 1, report: 1, pace: 0, screen: 0 };
const image = build("image", { ...fast, ...variant });

/* A board that has reported some steps, and a function that types a text and returns the answers, which begin with #. */
function begin(file = image) {
  const board = new Board(`${file}.bin`);
  const type = (text, cycles = 11000) => {
    // of a character at 115200 baud
    const before = board.lines.length;
    for (const character of text) {
      board.rp2040.uart[0].feedByte(character.charCodeAt(0));
      board.run(cycles);
    }
    board.run(2e6); // nine steps
    return board.lines
      .slice(before)
      .filter((line) => line.startsWith("#"))
      .map((line) => line.slice(2));
  };
  board.runToLines(3, STATE, FOREVER);
  return { board, type };
}

/* Set keys [key, value], one after the other; all hashes are those of the host. */
function compare(file, flock, changes) {
  const { board, type } = begin(file);
  const schedule = changes.map(([key, value]) => {
    const [answer, ...more] = type(`set ${key} ${value}\r`);
    assert.deepEqual(more, []);
    const [, name, at] = answer.match(/^(.*) after step (\d+)$/);
    assert.equal(name, `${key} is ${value}`);
    return { at: Number(at), set: { [key]: Number(value) } };
  });
  const states = board.runToLines(schedule.at(-1).at + 5, STATE, FOREVER); // some steps follow
  assert.deepEqual(
    states.map((line) => line.split(" ").slice(0, 2).join(" ")),
    hostHashes(
      { ...flock, set: [...(flock.set ?? []), `schedule=${JSON.stringify(schedule)}`] },
      1,
      states.length - 1,
    ),
  );
}

test("a_factor_of_zero_keeps_what_does_not_depend_on_it", () => {
  const goals = ["goals.points=[[100,100]]", "goals.form=balanced"];
  const flock = { config: "configs/couzin.json", set: ["flock.count=30", ...goals] };
  compare(build("zero", { ...fast, ...flock }), flock, [
    ["flock.separation.factor", "0"],
    ["goals.factor", "0"],
  ]);
});

test("a_changed_key_has_the_effect_of_a_schedule", () => {
  compare(image, variant, [
    ["flock.cohesion.factor", "0.001"],
    ["flock.max_speed", "4.7"],
    ["flock.separation.factor", "-0.3"],
    ["predators.turn_factor", "12.000001"],
    ["flock.alignment.factor", "0"],
    ["flock.min_speed", "0"],
    ["world.turn_factor", ".123456789012"],
  ]);
});

/* Steering by reynolds; goals; hunters. */
for (const [name, flock, changes] of [
  [
    "p5",
    { config: "configs/p5.json", set: ["flock.count=60"] },
    [
      ["flock.separation.factor", "0"],
      ["flock.cohesion.factor", "2.5"],
      ["flock.max_speed", "3"],
    ],
  ],
  [
    "goals",
    {
      set: [
        "flock.count=60",
        "goals.points=[[100,100],[500,400]]",
        "predators.hunt=nearest",
        "obstacles.circles=[[320,240,60]]",
      ],
    },
    [
      ["goals.factor", "0.2"],
      ["predators.factor", "0.7"],
      ["obstacles.turn_factor", "1.5"],
    ],
  ],
])
  test(`keys_of_${name}_change_as_on_the_host`, exhaustiveOnly(name === "p5"), () =>
    compare(build(name, { ...fast, ...flock }), flock, changes),
  );

test("keys_lists_what_can_change_and_get_shows_it", () => {
  const { type } = begin();
  assert.deepEqual(type("keys\r"), [
    "world.turn_factor 0.2",
    "flock.min_speed 3",
    "flock.max_speed 6",
    "flock.separation.factor 0.05",
    "flock.alignment.factor 0.05",
    "flock.cohesion.factor 0.0005",
    "predators.turn_factor 0.5",
  ]);
  type("set flock.max_speed 7\n");
  assert.deepEqual(type("get flock.max_speed\n"), ["flock.max_speed 7"]);
});

const commands =
  "commands: set KEY VALUE, get KEY, keys, pause, step, next, hash, report, boot, help";
const answers = [
  ["bye", commands],
  ["stop", commands],
  ["help", commands],
  ["set flock.max_speed", commands],
  [
    "set flock.cohesion.radius 30",
    "flock.cohesion.radius is fixed in this firmware; build another one with SET=flock.cohesion.radius=VALUE",
  ],
  ["get flock.count", "flock.count cannot change here; the command keys lists what can"],
  ["set flock.max_speed -1", "flock.max_speed must be 0 or more, and at least min_speed"],
  ["set flock.max_speed 2", "flock.max_speed must be 0 or more, and at least min_speed"],
  ["set flock.max_speed 5.5 6", commands],
  ["get flock.max_speed 6", commands],
  ["pause now", commands],
  [
    `set flock.max_speed${" ".repeat(43)}5.75`,
    "a line has at most 63 characters; nothing was changed",
  ],
  ["set flock.max_speed 99999", "flock.max_speed is 99999; fixed-point numbers are below 32768"],
  ["set flock.max_speed 32768", "flock.max_speed is 32768; fixed-point numbers are below 32768"],
  [
    "set flock.cohesion.factor -40000",
    "flock.cohesion.factor is -40000; fixed-point numbers are below 32768",
  ],
  ["set world.turn_factor 4e4", "world.turn_factor is 4e4; fixed-point numbers are below 32768"],
  [
    "set flock.min_speed 0.000001",
    "flock.min_speed is 0.000001; fixed point rounds numbers below 1/65536 to 0",
  ],
  ...["fast", "1.2.3", "4.0000000000000001", "4.", "04", "1e", "1e23", "-", "."].map((value) => [
    `set flock.max_speed ${value}`,
    `${value} is not a number such as -0.25 or 1e-3, of at most 15 digits`,
  ]),
];
test("a_command_that_changes_nothing_gets_one_line", () => {
  const { board, type } = begin();
  for (const [typed, answer] of answers) assert.deepEqual(type(`${typed}\r\n`), [answer], typed);
  const states = board.lines
    .filter((line) => STATE.test(line))
    .map((line) => line.split(" ").slice(0, 2).join(" "));
  assert.deepEqual(states, hostHashes(variant, 1, states.length - 1), "it runs on, unchanged");
});

test("what_is_typed_is_echoed_and_corrected", () => {
  const { board, type } = begin();
  type("pause\r");
  const sent = [];
  const { onByte } = board.rp2040.uart[0];
  board.rp2040.uart[0].onByte = (byte) => (sent.push(byte), onByte(byte));
  assert.deepEqual(type("\x7fget flock.max_sq\x7f\bspeed\x7f\x7f\x7f\x7fpeed\r"), [
    "flock.max_speed 6",
  ]);
  const text = String.fromCharCode(...sent);
  assert.equal(
    text,
    "get flock.max_sq\b \b\b \bspeed\b \b\b \b\b \b\b \bpeed\n# flock.max_speed 6\n",
  );
});

test("a_report_interrupts_no_line", () => {
  const { board, type } = begin();
  const part = "get flock.max_sp";
  type(part, 2e5);
  for (const line of board.lines)
    assert.ok(/^(# |\d+ [0-9a-f]{16} \d+ \d+ \d+$)/.test(line) || part.startsWith(line), line);
  assert.deepEqual(type("eed\r"), ["flock.max_speed 6"]);
});

test("keys_of_a_terminal_edit_the_line", () => {
  const { type } = begin();
  assert.deepEqual(type("  get\x1b[D\x1b[3~ flock.max\x1bOA_speed\x1b[1;5C\r"), [
    "flock.max_speed 6",
  ]);
  assert.deepEqual(type("get flock.max\x15get flock.min_speed\r"), [
    "the line was emptied",
    "flock.min_speed 3",
  ]);
  assert.deepEqual(type("nonsense\x03\x1b\rkeys\x03"), [
    "the line was emptied",
    "the line was emptied",
  ]);
});

test("numbers_are_those_that_the_host_reads", () => {
  compare(image, variant, [
    ["flock.max_speed", "4.00000000000001"],
    ["flock.cohesion.factor", "1e-3"],
    ["flock.max_speed", "0.5E1"],
    ["flock.cohesion.factor", "0.0000000000000012"],
    ["world.turn_factor", "2e-1"],
  ]);
});

test("words_and_letters_pause_and_step", () => {
  const { board, type } = begin();
  assert.deepEqual(
    ["pause", "report", "report", "step", "s", "hash"].flatMap((word) => type(`${word}\r`)),
    ["paused", "reports are off", "reports are on"],
  );
  const [before, first, second, again] = board.lines
    .filter((line) => STATE.test(line))
    .slice(-4)
    .map((line) => Number.parseInt(line, 10));
  assert.deepEqual([first, second, again], [before + 1, before + 2, before + 2]);
  assert.ok(board.run(2e6) === false && board.lines.length > 0);
});

test("the_number_of_boids_that_fit_is_smaller_and_can_be_linked", exhaustiveOnly(), () => {
  const most = (config, ...words) =>
    Number(
      run(FIRMWARE_CONFIG, [...words, config, "flock.count=20000"]).err.match(
        /enough for (\d+) boids/,
      )[1],
    );
  for (const preset of ["pico", "adams", "castor", "school", "mason", "parker"]) {
    const config = `configs/${preset}.json`;
    const count = most(config, "--live");
    assert.ok(count < most(config));
    build("most", { ...fast, screen: 1, config, set: [`flock.count=${count}`] });
    build("preset", { ...fast, screen: 1, config });
  }
});
