/* The state of the live page, and its questions to the core, which a worker steps (worker.js).
 *
 * The core reads each text itself, because JSON.parse() accepts a key twice and rounds whole numbers. Keys, their bounds, defaults and
 * descriptions come from the JSON Schema that the core prints. The core also says which keys a configuration blocks, and which keys
 * a change changes with it. */

const SOURCE = document.documentElement.outerHTML; /* before anything has changed */
const FILE = "flock.json";
const RATE = 60;
const PATIENCE = 100;
const SLICE = 25;
const SAMPLES = 1200;
const presets = Object.assign(
  Object.create(null),
  JSON.parse(byId("presets").textContent),
); /* without names such as constructor */
const ofNewRun = () => ({
  moved: {},
  samples: [],
  led: null,
  target: 0,
  debt: 0,
  cost: 0,
  drawn: 0,
});
/* `text` is the accepted configuration, `doc` its object, `now` the configuration at this step; `past` has the states for undo(); `target`
 * is a step to reach at once; `led` has the goals to restore after the pointer has led the flock; `samples` are [step, ...observables];
 * `cost` is the milliseconds of a step, `asked` the time of the current request for steps, `seen` the time of the last numbers. */
const state = {
  isPlaying: false,
  speed: 1,
  tool: "follow",
  text: "",
  doc: {},
  step: 0,
  past: [],
  rate: { steps: 0, since: 0 },
  asked: 0,
  seen: 0,
  ...ofNewRun(),
};
const observables = Object.entries(JSON.parse(byId("observables").textContent)).map(
  ([name, about]) => ({ name, ...about }),
);
let worker;
let module;
let keys;
let synonyms; /* of the keys: words of other programs, and what they mean */

/* The worker. */

/* Start a worker with the core. Its answers come in the order of the questions. */
function hire() {
  const made = new Worker(
    URL.createObjectURL(new Blob([byId("worker").textContent], { type: "text/javascript" })),
  );
  made.waiting = [];
  made.onmessage = ({ data }) => made.waiting.shift()(data);
  made.onerror = (event) => {
    say("the core has ended: " + event.message);
    play(false);
  };
  made.started = ask({ call: "start", module }, made);
  return made;
}

/* The answer to a question; null if another worker has replaced this one. */
const ask = (question, asked = worker) =>
  new Promise((done) => {
    asked.waiting.push(done);
    asked.postMessage(question);
  });

/* Store the state in an answer, and show what has changed. Returns the answer. */
function take(answer, isNewRun = false) {
  if (!answer?.agents) return answer;
  Object.assign(state, { step: answer.step, agents: answer.agents });
  if (!answer.config) return answer;
  Object.assign(state, { hash: answer.hash, measured: answer.step, seen: performance.now() });
  addSample(answer);
  if (answer.config !== state.config || isNewRun) {
    state.config = answer.config;
    state.now = JSON.parse(answer.config);
    state.blocked = JSON.parse(answer.blocked);
    showScene(!isNewRun);
    showControls();
  }
  return answer;
}

const namesShown = () => observables.filter(isShown).map(({ name }) => name);
const look = async () => take(await ask({ call: "look", names: namesShown() }));

async function start() {
  module = await WebAssembly.compile(await inflate(byId("module").textContent));
  worker = hire();
  const about = await worker.started;
  keys = readKeys(JSON.parse(about.schema));
  synonyms = Object.entries(JSON.parse(about.synonyms));
}

/* Changes that depend on the current state are made one after the other. */
let turn = Promise.resolve();
const inTurn = (work) => {
  turn = turn.then(work, work);
  return turn;
};

/* True if all steps were made. */
async function advance(count) {
  const answer = take(await ask({ call: "step", count, patience: Infinity, names: namesShown() }));
  redraw();
  if (answer?.isGood) return true;
  if (answer) say(answer.message);
  play(false);
  return false;
}

/* Get and set values of nested objects by a path such as flock.cohesion.factor. */

const valueOf = (object, path) => path.split(".").reduce((value, name) => value?.[name], object);

function setValue(object, path, value) {
  const names = path.split("."),
    last = names.pop();
  names.reduce((inner, name) => (inner[name] ??= {}), object)[last] = value;
}
