/* The core (page.c, compiled to WebAssembly) and the messages that it answers. Workers have this function as their script, so that the
 * page answers while a step lasts.
 *
 * The result answers a question { call, names, ... } with { isGood, message, step, places, numbers, config, ... }. */
function startCore() {
  let core;

  /* Texts in the memory of the core end with a zero. */
  const bytes = (at, length) => new Uint8Array(core.memory.buffer, at, length);
  const textAt = (at) => {
    const all = bytes(at);
    return new TextDecoder().decode(all.subarray(0, all.indexOf(0)));
  };

  /* Write a text, and a text or bytes, whose length is returned. */
  function writeBuffer(...parts) {
    const [first, second] = parts.map((part) =>
        typeof part === "string" ? new TextEncoder().encode(part) : part,
      ),
      length = first.length + second.length + 2,
      all = bytes(core.buffer(length), length).fill(0);
    all.set(first);
    all.set(second, first.length + 1);
    return second.length;
  }

  /* The system functions that the C library imports. The clock is implemented; all others fail. */
  const system = {
    clock_time_get(clock, precision, at) {
      const now = BigInt(Math.round(performance.now() * 1e6));
      new BigUint64Array(core.memory.buffer, at, 1)[0] = now;
      return 0;
    },
  };
  const imports = new Proxy(system, { get: (all, name) => all[name] ?? (() => 52) });

  const calls = {
    start({ module }) {
      core = new WebAssembly.Instance(module, { wasi_snapshot_preview1: imports }).exports;
      core._initialize();
    },
    /* Read a configuration, which messages call `file`. If it is a change, the current run continues; otherwise a new run starts. */
    load: ({ json, file, isChange }) => ({
      isGood: core.load(writeBuffer(file, json), isChange) !== 0,
    }),
    /* Make at most `count` steps, and begin no other one after `patience` milliseconds. */
    step({ count, patience }) {
      const begun = performance.now(),
        made = core.step(count, patience);
      return {
        isGood: made >= 0,
        made: Math.max(0, made),
        cost: (performance.now() - begun) / Math.max(1, made),
      };
    },
    look() {},
    /* x, y, vx, vy of each agent. */
    agents: () => ({
      agents: new Float64Array(core.memory.buffer, core.agents(), 4 * core.count()).slice(),
    }),
    about: () => JSON.parse(textAt(core.text(0))),
    /* The changes that a change of a key needs: a JSON text per path. */
    changes({ path, json }) {
      writeBuffer(path, json);
      return { changes: JSON.parse(textAt(core.text(3))) };
    },
  };

  /* The current state; with `names`, also its numbers and configuration. */
  function stateOf(names) {
    const state = {
      step: core.steps(),
      places: new Float32Array(core.memory.buffer, core.places(), 4 * core.count()).slice(),
    };
    if (names === undefined) return state;
    writeBuffer(names, "");
    return { ...state, numbers: textAt(core.text(1)), config: textAt(core.text(2)) };
  }

  return (question) => {
    const done = calls[question.call](question),
      message = done?.isGood === false ? textAt(core.message()) : "";
    return { ...done, message, ...(core.count() && stateOf(question.names)) };
  };
}
