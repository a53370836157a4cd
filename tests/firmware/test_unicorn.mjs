// One-core images of all presets in another emulator, unicorn (based on QEMU): rp2040js and our own emulator may have the
// same error. See unicorn_check.py.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { build, hostHashes, isCheap, run } from "./build.mjs";

const STEPS = isCheap ? 20 : 100;

/* The runs of test_hashes.mjs on one core. */
const variants = {
  one_core: { set: ["flock.count=200", "update=synchronous"], cores: 1, report: 10 },
};
for (const name of isCheap ? ["bees", "p5"] : ["adams", "castor", "bees", "fish", "p5"])
  variants[name] = { config: `configs/${name}.json`, cores: 1, report: 10 };

test("a_second_emulator_matches_the_host", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "boids-"));
  const words = Object.entries(variants).flatMap(([name, variant]) => {
    const hashes = path.join(folder, name);
    writeFileSync(hashes, hostHashes(variant, variant.report, STEPS).join("\n"));
    return [`${build(name, { screen: 0, pace: 0, ...variant })}.elf`, hashes];
  });
  const python = run("sh", ["scripts/find_python.sh", "unicorn"]).out.trim();
  const done = run(python, ["tests/firmware/unicorn_check.py", STEPS, ...words].map(String));
  rmSync(folder, { recursive: true });
  assert.equal(done.err, "");
  assert.equal(done.status, 0);
});
