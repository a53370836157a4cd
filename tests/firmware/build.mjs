// Builds firmware by make and flies the same flock on the host.

import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BOIDS = process.env.BOIDS ?? 'build/release/boids';
export const FIRMWARE_CONFIG = process.env.FIRMWARE_CONFIG ?? 'build/release/firmware_config';

/** Run a program in the checkout; its status and what it said. */
export function run(program, words) {
  const done = spawnSync(program, words, { cwd: ROOT, encoding: 'utf8', maxBuffer: 1 << 28 });
  if (done.error) throw done.error;
  return { status: done.status, out: done.stdout, err: done.stderr };
}

/** Make a variant of the firmware: {config, set, ...make variables}. Returns the path of its image without ending. */
export function build(name, { config = 'configs/adams.json', set = [], ...variables }) {
  const words = Object.entries(variables).map(([key, value]) => `${key.toUpperCase()}=${value}`);
  const done = run('make', ['-s', 'firmware', `NAME=${name}`, `CONFIG=${config}`, `SET=${set.join(' ')}`, ...words]);
  if (done.status !== 0) throw new Error(`${name} was not built:\n${done.out}${done.err}`);
  return path.join(ROOT, 'build/firmware', name);
}

/** The lines `step hash` of `boids --hash` for the flock that build() was given. */
export function hostHashes({ config = 'configs/adams.json', set = [] }, every, steps) {
  const settings = [...set, 'arithmetic=fixed'].flatMap((setting) => ['--set', setting]);
  const words = ['-c', config, ...settings, '--hash', every, '--steps', steps, '-o', 'none'].map(String);
  const done = run(BOIDS, words);
  if (done.status !== 0) throw new Error(done.err);
  return done.err.trim().split('\n');
}
