// The table of presets in firmware/rp2040/README.md has what they do in the emulator, and docs/firmware.md the least free stack of the
// table and the sizes of the images. FIRMWARE_STORE=1 writes both, with BOIDS_TEST_LEVEL=exhaustive.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { ROOT, configurations, exhaustiveOnly, isCheap, makeFirmware, run } from "./build.mjs";
import { flashOf, ramOf, runImage } from "./native.mjs";

const STEPS = 300;
const UPDATES = ["synchronous", "sequential", "passes", "shuffled", "shuffled_velocities"];
const page = path.join(ROOT, "firmware/rp2040/README.md");
const readme = readFileSync(page, "utf8");
const [rows] = readme.match(/(?<=\| preset .*\n\|---.*\n)(\| .*\n)+/);
const firmware = path.join(ROOT, "docs/firmware.md");
/* The sentence of docs/firmware.md about the presets of this table. */
function leastStack(table) {
  const stacks = table
    .trim()
    .split("\n")
    .map((row) => row.split(" | "));
  const [name, , , , , , free] = stacks.reduce((a, b) => (Number(b[6]) < Number(a[6]) ? b : a));
  return `${name.slice(2)} leaves the least stack free, ${free} bytes`;
}
const flash = []; /* bytes of the images that were measured */
const flashSizes = () =>
  `images of the presets take ${Math.floor(Math.min(...flash) / 1000)} to ${Math.ceil(Math.max(...flash) / 1000)} KB`;
/* One that takes seconds, except at the exhaustive level. */
const presets = configurations().filter(([name]) => !isCheap || name === "fish");

function measure([name, header]) {
  const define = (what) => Number(header.match(new RegExp(`#define ${what} (\\d+)`))[1]);
  const { image, mhz, median, worst, late, stackFree } = runImage(name, { config: name }, STEPS);
  flash.push(flashOf(image));
  const rate = (cycles) => ((mhz * 1e6) / cycles).toFixed(1);
  const cells = [
    `\`${name}\``,
    define("SIM_BOIDS"),
    UPDATES[define("SIM_UPDATE")],
    rate(median),
    rate(worst),
    late,
    Math.min(...stackFree),
    ramOf(image),
  ];
  return `| ${cells.join(" | ")} |`;
}

if (process.env.FIRMWARE_STORE)
  test("the_table_is_written", () => {
    const table = presets.map((preset) => `${measure(preset)}\n`).join("");
    writeFileSync(
      page,
      readme.replace(rows, () => table),
    );
    const text = readFileSync(firmware, "utf8");
    writeFileSync(
      firmware,
      text
        .replace(/`\w+` leaves the least.* bytes/, leastStack(table))
        .replace(/images of the presets take .* KB/, flashSizes()),
    );
  });
else
  for (const preset of presets)
    test(`the_readme_has_the_speed_of_${preset[0]}`, () => {
      const stored =
        rows
          .split("\n")
          .find((row) => row.startsWith(`| \`${preset[0]}\` |`))
          ?.split(" | ") ?? [];
      const found = measure(preset).split(" | ");
      assert.equal(stored.length, found.length, "FIRMWARE_STORE=1 writes the table");
      // Another compiler may give slightly different code.
      found.forEach((cell, i) =>
        assert.ok(
          cell === stored[i] ||
            Math.abs(Number.parseFloat(cell) / Number.parseFloat(stored[i]) - 1) < 0.02,
          `${stored}; found ${found}`,
        ),
      );
    });

test("the_page_about_the_firmware_has_the_least_stack_of_the_table", () =>
  assert.ok(readFileSync(firmware, "utf8").includes(leastStack(rows))));

test("the_page_about_the_firmware_has_the_sizes_of_the_images", exhaustiveOnly(), () =>
  assert.ok(readFileSync(firmware, "utf8").includes(flashSizes())),
);

/* What make firmware prints about the flock. */
for (const [config, set, printed] of [
  ["rocks", "", /^warning: \d+ of 300 frames were late/m],
  ["fish", "flock.count=40", /^speed: make bench-firmware /m],
  ["fish", "", /, 0 late frames of 300$/m],
])
  test(
    `make_prints_the_speed_of_${config}${set && "_with_"}${set}`,
    exhaustiveOnly(config !== "fish" || set),
    () => {
      const { out } = makeFirmware({ config: `configs/${config}.json`, set });
      assert.match(out, printed);
      assert.equal(/^warning/m.test(out), config === "rocks");
    },
  );

test("the_report_of_each_preset_is_its_row_of_the_table", () => {
  for (const row of rows.trim().split("\n")) {
    const [, name, , , rate, worst, late] = row.split(/[ |`]+/);
    const { out } = run("sh", ["-c", `echo .data 1 | sh firmware/rp2040/image_report.sh ${name}`]);
    assert.ok(
      out.includes(
        `\nspeed: ${rate} steps per second in the emulator, at worst ${worst}, ${late} late frames of 300\n`,
      ),
      out,
    );
    assert.equal(/^warning/m.test(out), late > 0);
  }
});
