/* The worker of the page: it owns the core (page.c, compiled to WebAssembly) and steps the flock, so that the page answers while a step
 * lasts. It answers each message of page.js, in order: { call, names, ... } with { isGood, message, step, hash, config, agents, ... }. */

let core;

/* Texts in the memory of the core end with a zero. */
const bytes = (at, length) => new Uint8Array(core.memory.buffer, at, length);
const textAt = (at) => {
  const all = bytes(at);
  return new TextDecoder().decode(all.subarray(0, all.indexOf(0)));
};

/* Write texts or bytes, and return the length of the last one. */
function writeBuffer(...parts) {
  const encoded = parts.map((part) =>
      typeof part === "string" ? new TextEncoder().encode(part) : part,
    ),
    length = encoded.reduce((sum, part) => sum + part.length + 1, 0),
    all = bytes(core.buffer(length), length).fill(0);
  let at = 0;
  for (const part of encoded) {
    all.set(part, at);
    at += part.length + 1;
  }
  return encoded.at(-1).length;
}

/* The system functions that the C library imports. A few are implemented; all others fail. */
const system = {
  environ_sizes_get(count, size) {
    for (const at of [count, size]) new DataView(core.memory.buffer).setUint32(at, 0, true);
    return 0;
  },
  clock_time_get(clock, precision, at) {
    new DataView(core.memory.buffer).setBigUint64(
      at,
      BigInt(Math.round(performance.now() * 1e6)),
      true,
    );
    return 0;
  },
};

const calls = {
  start({ module }) {
    const imports = Object.fromEntries(
      WebAssembly.Module.imports(module).map(({ name }) => [name, system[name] || (() => 52)]),
    );
    core = new WebAssembly.Instance(module, { wasi_snapshot_preview1: imports }).exports;
    core._initialize();
    return { schema: textAt(core.text(0)), synonyms: textAt(core.text(4)) };
  },
  /* Read a configuration, which messages call `file`. If it is a change, the current run continues; otherwise a new run starts. */
  load({ json, file, isChange }) {
    return { isGood: core.load(writeBuffer(file, json), isChange) !== 0 };
  },
  /* Make at most `count` steps, and begin no other one after `patience` milliseconds. */
  step({ count, patience }) {
    const begun = performance.now();
    let isGood = true,
      made = 0;
    while (isGood && made < count && (made === 0 || performance.now() - begun < patience)) {
      isGood = core.step(1) !== 0;
      made += isGood;
    }
    return { isGood, made, cost: (performance.now() - begun) / Math.max(1, made) };
  },
  look: () => ({}),
  /* The changes that a change of a key needs: a JSON text per path. */
  changes({ path, json }) {
    writeBuffer(path, json);
    return { changes: textAt(core.text(3)) };
  },
};

/* The current state; with `names`, also its hash, its configuration and the observables of these names. */
function stateOf(names) {
  const agents = new Float64Array(core.memory.buffer, core.agents(), 4 * core.count()).slice(),
    state = { step: core.steps(), agents };
  if (!names) return state;
  writeBuffer(names.join());
  const at = core.measure(),
    values = at ? [...new Float64Array(core.memory.buffer, at, names.length)] : [];
  const hash = BigInt.asUintN(64, core.hash()).toString(16).padStart(16, "0");
  return {
    ...state,
    hash,
    config: textAt(core.text(1)),
    blocked: textAt(core.text(2)),
    values: Object.fromEntries(names.map((name, k) => [name, values[k]])),
  };
}

onmessage = ({ data }) => {
  const done = calls[data.call](data),
    message = done.isGood === false ? textAt(core.message()) : "";
  const state = core.count() ? stateOf(data.names) : {};
  postMessage({ ...done, message, ...state }, state.agents ? [state.agents.buffer] : []);
};
