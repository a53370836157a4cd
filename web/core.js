/* The state of the live page, and its questions to the core, which a worker steps (worker.js).
 *
 * The core reads each text itself, because JSON.parse() accepts a key twice and rounds whole numbers. Keys, their bounds, defaults and
 * descriptions come from the JSON Schema that the core prints. The core also says which keys a configuration blocks, and which keys
 * a change changes with it. */

const FILE = "flock.json";
const RATE = 60;
const PATIENCE = 100;
const SLICE = 25;
const SAMPLES = 1200;
let presets = { murmuration: recorded.text };
/* The first worker; the other presets are known before it. */
async function hireFirst() {
  presets = await inflate(byId("presets").textContent).json();
  return hire();
}
/* `text` is the accepted configuration, `now` the configuration at this step, `blocked` the keys that it blocks, with reasons;
 * `past` has the states for undo(); `target` is a step to reach at once; `led` has the goals to restore after the pointer has led the
 * flock; `samples` are the numbers of each `measured` step; `cost` is the milliseconds of a step, `asked` the time of the current
 * request for steps, `seen` the time of the last numbers. */
const state = {
  isPlaying: false,
  tool: "follow",
  step: 0,
  past: [],
  rate: { steps: 0, since: 0 },
};
/* Store the state in an answer, and show what has changed. Returns the answer. */
function take(answer, isNewRun = false) {
  if (!answer?.places) return answer;
  const { step, places, numbers, config } = answer;
  Object.assign(state, { step, places });
  if (!config) return answer;
  Object.assign(state, { measured: step, seen: performance.now() }, JSON.parse(numbers));
  addSample(state.sample);
  if (config !== state.config || isNewRun) {
    Object.assign(state, { config }, JSON.parse(config));
    showScene(!isNewRun);
    showControls();
    keepAddress.call(location.href);
  }
  return answer;
}

const namesShown = () =>
  Array.from(document.querySelectorAll("#choice :checked"), ({ value }) => value).join();
const look = async () => take(await ask({ call: "look", names: namesShown() }));

/* Changes that depend on the current state are made one after the other. */
let turn = Promise.resolve();
const inTurn = (work) => {
  turn = turn.then(work, work);
  return turn;
};

/* Make at most `count` steps; after an error, the page waits. Returns the answer. */
async function makeSteps(count, patience, names) {
  const answer = take(await ask({ call: "step", count, patience, names }));
  if (answer?.isGood === false) {
    say(answer.message);
    play(false);
  }
  return answer;
}

/* True if all steps were made. */
async function advance(count) {
  const answer = await makeSteps(count, Infinity, namesShown());
  redraw();
  return answer?.isGood;
}

/* Get and set values of nested objects by a path such as flock.cohesion.factor. A margin of which one side is set keeps its other ones. */

const valueOf = (object, path) => path.split(".").reduce((value, name) => value?.[name], object);

function setValue(object, path, value) {
  const names = path.split("."),
    last = names.pop();
  names.reduce((inner, name) => {
    const old = inner[name] ?? {};
    return (inner[name] =
      old instanceof Object ? old : { left: old, right: old, top: old, bottom: old });
  }, object)[last] = value;
}
