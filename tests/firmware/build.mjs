// Builds firmware by make and runs the same flock on the host.

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const BOIDS = process.env.BOIDS ?? "build/release/boids";
export const FIRMWARE_CONFIG = process.env.FIRMWARE_CONFIG ?? "build/release/firmware_config";

export const PICO_EMULATOR = process.env.PICO_EMULATOR ?? "build/release/pico_emulator";

/** The configuration header of each preset that fits the board: [name, text]. */
export const configurations = () =>
  readdirSync(path.join(ROOT, "configs"))
    .sort()
    .map((file) => [path.basename(file, ".json"), run(FIRMWARE_CONFIG, [`configs/${file}`])])
    .filter(([, { status }]) => status === 0)
    .map(([name, { out }]) => [name, out]);

/** True below the exhaustive level; and the options of a test that only runs there, or if it is quick. */
export const isCheap = process.env.BOIDS_TEST_LEVEL !== "exhaustive";
export const exhaustiveOnly = (isQuick) => ({ skip: isCheap && !isQuick && "level: exhaustive" });

/** True for every `parts`-th of some cases that prove much the same: below the exhaustive level, commits try them in turn. */
export const isInTurn = (k, parts) => {
  const { out } = run("git", ["rev-parse", "HEAD"]);
  return k % parts === parseInt(out.slice(0, 6) || "0", 16) % parts;
};

/* A make that runs these tests does not share its jobs and would warn about that: pass on only its variables. */
const variables = (process.env.MAKEFLAGS ?? "").split("-- ")[1] ?? "";
const ENVIRONMENT = { ...process.env, MAKEFLAGS: `-- ${variables}` };

/** Run a program in the checkout; its status and output. */
export function run(program, words) {
  const done = spawnSync(program, words, {
    cwd: ROOT,
    env: ENVIRONMENT,
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  if (done.error) throw done.error;
  return { status: done.status, out: done.stdout, err: done.stderr };
}

/** `make firmware` with variables, in a folder that all tests share: a make compiles only what differs from the last one, and one runs
 *  at a time. The image is copied to a path without ending, if there is one. */
export function makeFirmware(variables, copy = "") {
  mkdirSync(path.join(ROOT, "build/firmware"), { recursive: true });
  const words = Object.entries(variables).map(([key, value]) => `${key.toUpperCase()}=${value}`);
  const made = "build/firmware/tests";
  return run("flock", [
    "build/firmware/lock",
    "sh",
    "-ec",
    `make -s -j${availableParallelism()} firmware NAME=tests "$@"
    [ ! "$0" ] || for ending in elf bin uf2; do cp ${made}.$ending "$0.$ending"; done`,
    copy,
    ...words,
  ]);
}

const OWN = path.basename(process.argv[1], ".mjs");

/** Make a variant of the firmware: {config, set, ...make variables}. Returns the path of its image without ending. */
export function build(variant, { config = "configs/adams.json", set = [], ...variables }) {
  const image = path.join(ROOT, "build/firmware", `${OWN}_${variant}`);
  const done = makeFirmware({ config, set: set.join(" "), ...variables }, image);
  // The linters do not include the compiler for the board, so its warnings are errors here.
  if (done.status !== 0 || /[^\n]warning:/.test(done.err))
    throw new Error(`${variant} was not built:\n${done.out}${done.err}`);
  return image;
}

/* The options of boids for the flock that build() was given. */
function hostWords({ config = "configs/adams.json", set = [] }) {
  return ["-c", config, ...["arithmetic=fixed", ...set].flatMap((setting) => ["--set", setting])];
}

function host(words, input) {
  const done = spawnSync(BOIDS, words.map(String), {
    cwd: ROOT,
    encoding: "utf8",
    maxBuffer: 1 << 28,
    input,
  });
  if (done.status !== 0) throw new Error(done.stderr);
  return done;
}

/** The configuration that the host runs, with all keys. */
export const hostConfig = (variant) =>
  JSON.parse(host([...hostWords(variant), "--print-config"]).stdout);

/** The lines `step hash` of `boids --hash` for the flock that build() was given. */
export function hostHashes(variant, every, steps) {
  return host([...hostWords(variant), "--hash", every, "--steps", steps, "-o", "none"])
    .stderr.trim()
    .split("\n");
}

/** The same from given agents [[x, y, vx, vy]], of which the last ones are predators: step 0 is theirs. */
export function hostHashesFrom(variant, agents, predators, steps) {
  const folder = mkdtempSync(path.join(tmpdir(), "boids-"));
  const file = path.join(folder, "start.csv");
  const rows = agents.map((agent, i) =>
    [i, i < agents.length - predators ? "boid" : "predator", ...agent].join(","),
  );
  writeFileSync(file, ["id,type,x,y,vx,vy", ...rows, ""].join("\n"));
  const done = host([
    ...hostWords(variant),
    "--init",
    file,
    "--hash",
    1,
    "--steps",
    steps,
    "-o",
    "none",
    "-q",
  ]);
  rmSync(folder, { recursive: true });
  return done.stderr.trim().split("\n");
}

/** Frames of the host as [{step, agents}], with exact numbers. */
export function hostFrames(variant, every, steps) {
  const words = [
    ...hostWords(variant),
    "--every",
    every,
    "--steps",
    steps,
    "--digits",
    17,
    "-o",
    "-",
    "-q",
  ];
  return readFrames(host(words).stdout.trim().split("\n"));
}

/** Lines of CSV, the first of them the header, as frames. */
export function readFrames(lines) {
  const frames = [];
  for (const line of lines.slice(1)) {
    const [step, , , , ...numbers] = line.split(",");
    if (frames.at(-1)?.step !== Number(step)) frames.push({ step: Number(step), agents: [] });
    frames.at(-1).agents.push(numbers.map(Number));
  }
  return frames;
}
