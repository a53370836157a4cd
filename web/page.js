/* The live page: one run of the core, which a worker steps (worker.js), drawn by drawing.js.
 *
 * The core reads each text itself, because JSON.parse() accepts a key twice and rounds whole numbers. `doc` is the
 * accepted configuration as an object, in the order of the user's text. Each change is made in this object, which is
 * then written to the text box and read. If a key that may change during a run is changed, this becomes an entry of the
 * schedule at the current step, so the JSON always describes the displayed run. Keys, their bounds, defaults and
 * descriptions come from the JSON Schema that the core prints. */

const FILE = "flock.json",
  RATE = 60,
  PATIENCE = 100,
  SLICE = 25,
  SPEEDS = [0.25, 0.5, 1, 2, 4, 8, 16],
  SAMPLES = 1200;
const TOOLS = ["follow", "obstacle", "goal", "predator", "attractor"];
const byId = (id) => document.getElementById(id);
const presets = Object.assign(
  Object.create(null),
  JSON.parse(byId("presets").textContent),
); /* without names such as constructor */
/* `text` is the accepted configuration, `doc` its object, `now` the configuration at this step; `past` has the states for undo(); `target`
 * is a step to reach at once; `led` has the goals to restore after the pointer has led the flock; `samples` are [step, ...observables];
 * `cost` is the milliseconds of a step, `asked` the time of the current request for steps, `seen` the time of the last numbers. */
const state = {
  isPlaying: false,
  speed: 1,
  debt: 0,
  tool: "follow",
  text: "",
  doc: {},
  step: 0,
  drawn: 0,
  target: 0,
  past: [],
  led: null,
  samples: [],
  rate: { steps: 0, since: 0 },
  cost: 0,
  asked: 0,
  seen: 0,
};
const observables = Object.entries(JSON.parse(byId("observables").textContent)).map(
  ([name, about]) => ({ name, ...about }),
);
let worker,
  module,
  keys,
  message = "";
const view = new FlockView(byId("view"), RINGS, () => redraw());

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
    showScene(!isNewRun);
    showControls();
  }
  return answer;
}

const namesShown = () => observables.filter(isShown).map(({ name }) => name);
const look = async () => take(await ask({ call: "look", names: namesShown() }));

async function start() {
  const packed = Uint8Array.from(atob(byId("module").textContent), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  module = await WebAssembly.compile(await new Response(stream).arrayBuffer());
  worker = hire();
  keys = readKeys(JSON.parse((await worker.started).schema));
}
function say(sentence) {
  message = sentence && "boids: " + sentence;
  byId("message").textContent = message;
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

/* Runs. */

/* Start a run with the text of a file, whose bytes are `encoded`, and show it in the text box. If it is refused, its message is shown,
 * and the current run continues. A worker that makes a long step is replaced. If `isChange`, the sliders keep their ranges. */
const load = (...words) => (state.loading = loadNow(...words));
async function loadNow(text, file = FILE, encoded = text, isChange = false) {
  const isFree = await Promise.race([look(), new Promise((done) => setTimeout(done, PATIENCE))]),
    asked = isFree ? worker : hire();
  const answer = await read(encoded, false, file, asked);
  if (!answer?.isGood) {
    if (asked !== worker) asked.terminate();
    return false;
  }
  if (asked !== worker) replace(asked);
  const before = state.now && { text: state.text, step: state.step };
  if (before && before.text !== text) remember(before);
  state.doc = JSON.parse(text.replace(/^\uFEFF/, ""));
  Object.assign(state, {
    samples: [],
    led: null,
    target: 0,
    debt: 0,
    cost: 0,
    drawn: 0,
    hasNewRanges: !isChange,
  });
  accept(text, answer, true);
  byId("title").textContent = state.now.title || "A flock";
  byId("preset").value = Object.keys(presets).find((name) => presets[name] === text) || "";
  document.title = (state.now.title || "A flock") + " - boids";
  byId("seed").value = state.now.seed;
  return true;
}

/* Read a configuration, a string or bytes, and show the message if it is refused; messages call it `file`. */
async function read(text, isChange, file, asked = worker) {
  const json = typeof text === "string" ? new TextEncoder().encode(text) : text;
  const answer = await ask({ call: "load", json, file, isChange, names: namesShown() }, asked);
  if (answer) say(answer.message);
  return answer;
}

function replace(other) {
  worker.terminate();
  for (const done of worker.waiting) done(null);
  worker = other;
}

/* Show a text that the core has accepted. */
function accept(text, answer, isNewRun) {
  state.text = byId("json").value = text;
  take(answer, isNewRun);
  redraw();
}

/* A string that no accepted configuration contains; it is followed by a path. */
const HOLE = "\0";

/* Set keys: `changes` has a JSON text per path, which is read as it is. At step 0, no state depends on the old values,
 * so the run starts again. Changes of one `gesture` in quick succession are undone together. */
const changeAll = (changes, gesture) => inTurn(() => changeNow(changes, gesture));

async function changeNow(changes, gesture = Object.keys(changes)[0]) {
  if (!(await look())) return false;
  const paths = Object.keys(changes),
    doc = structuredClone(state.doc),
    before = { text: state.text, step: state.step, gesture };
  const isLive = before.step > 0 && paths.every((path) => keys.get(path)?.isLive);
  if (isLive) {
    const rest = (doc.schedule || []).filter((entry) => entry.at !== before.step),
      same = doc.schedule?.find((entry) => entry.at === before.step);
    rest.push({
      at: before.step,
      set: { ...same?.set, ...Object.fromEntries(paths.map((path) => [path, HOLE + path])) },
    });
    doc.schedule = rest.sort((a, b) => a.at - b.at);
  } else {
    for (const path of paths) setValue(doc, path, HOLE + path);
  }
  const text = paths.reduce(
    (all, path) => all.replace(JSON.stringify(HOLE + path), () => changes[path]),
    format(doc),
  );
  if (!isLive) return load(text, FILE, text, true);
  const answer = await read(text, true, FILE);
  if (!answer?.isGood) return false;
  remember(before);
  state.doc = JSON.parse(text);
  accept(text, answer);
  return true;
}

const change = (path, value) => changeAll({ [path]: JSON.stringify(value) });

function remember(before) {
  const { past } = state,
    last = past.at(-1),
    now = performance.now();
  if (before.gesture && last?.gesture === before.gesture && now - last.time < 1000) last.time = now;
  else past.push({ ...before, time: now });
  byId("undo").disabled = false;
}

/* Return to the state before the last change: its configuration starts again and runs to the step of the change. */
const undo = () =>
  inTurn(async () => {
    const before = state.past.pop();
    if (!before || !(await load(before.text))) return;
    state.past.pop(); /* what load() remembered */
    state.target = before.step;
    byId("undo").disabled = state.past.length === 0;
  });

/* The JSON text of a number that was typed. A whole number is kept as typed, because it could be rounded. */
const textOfNumber = (typed) => (/^[1-9]\d*$/.test(typed) ? typed : JSON.stringify(Number(typed)));

/* The JSON text of a seed that was typed: a number if it can be one, otherwise a string. */
const textOfSeed = (typed) =>
  /^(0|[1-9]\d*)$/.test(typed) && Number.isSafeInteger(Number(typed))
    ? typed
    : JSON.stringify(typed);

function showScene(isSame) {
  const { world, flock, predators, obstacles, goals } = state.now,
    { margin } = world;
  const sides =
    typeof margin === "number"
      ? [margin, margin, margin, margin]
      : [margin.left, margin.right, margin.top, margin.bottom];
  const scene = {
    boids: flock.count,
    predators: predators.count,
    origin: [0, 0],
    size: [world.width, world.height],
    wraps: world.border === "wrap",
    isTorus: world.border === "wrap" && world.distance === "torus",
    world: {
      width: world.width,
      height: world.height,
      isDisc: world.shape === "disc",
      margin: world.border === "bounce" ? sides : [0, 0, 0, 0],
    },
    down: world.y_axis === "down",
    circles: obstacles.circles,
    goals: goals.points,
    radius: flock.cohesion.radius,
    radii: [flock.separation, flock.alignment, flock.cohesion].map((rule) => rule.radius),
  };
  if (isSame) view.changeScene(scene);
  else view.setScene(scene);
  const plural = (n, word) => n.toLocaleString("en") + " " + word + (n === 1 ? "" : "s");
  byId("about").textContent =
    plural(flock.count, "boid") +
    (predators.count ? ", " + plural(predators.count, "predator") : "") +
    ", " +
    state.now.arithmetic;
}

/* Copy the agents to the view; each has x, y, vx, vy. */
function placeAgents() {
  const { x, y, turn, speed } = view,
    all = state.agents;
  for (let i = 0; i < x.length; i++) {
    const vx = all[4 * i + 2],
      vy = all[4 * i + 3];
    x[i] = all[4 * i];
    y[i] = all[4 * i + 1];
    turn[i] = Math.atan2(vy, vx);
    speed[i] = Math.hypot(vx, vy);
  }
}

let isAwaited = false,
  isChanged = false,
  last = 0,
  ticks = 0;
function redraw() {
  isChanged = true;
  awaitTick();
}
function awaitTick() {
  if (!isAwaited && state.now) {
    isAwaited = true;
    requestAnimationFrame(tick);
  }
}

/* Ask for the steps that are due or, if there is a target, for all steps to it; the worker stops after its time limit. */
async function askForSteps(now) {
  const due = Math.min(
      state.debt + ((now - last) / 1000) * RATE * state.speed,
      Math.max(2, 2 * state.speed),
    ),
    isFar = state.step < state.target;
  state.debt = isFar ? state.target - state.step : due;
  last = now;
  if (state.debt < 0.95) return;
  state.asked = now;
  const names = isFar || now - state.seen > 100 ? namesShown() : undefined;
  const answer = take(
    await ask({ call: "step", count: Math.round(state.debt), patience: 24, names }),
  );
  state.asked = 0;
  if (!answer) return;
  state.debt -= answer.made;
  state.cost = answer.cost;
  if (!answer.isGood) {
    say(answer.message);
    play(false);
  }
}

/* Draw the frame of the last answer, in several ticks if it has many agents. */
function tick(now) {
  isAwaited = false;
  const isRunning = state.isPlaying || state.step < state.target;
  if (isRunning && worker.waiting.length === 0) askForSteps(now);
  if (!view.picture && (isChanged || state.step !== state.drawn)) {
    placeAgents();
    view.begin(Math.max(0, state.step - state.drawn));
    state.drawn = state.step;
    isChanged = false;
  }
  if (view.picture && !view.goOn(SLICE)) return awaitTick();
  if (ticks++ % 6 === 0 || !isRunning) showNumbers(now);
  if (isRunning || isChanged) awaitTick();
}

function showNumbers(now) {
  const { rate, measured: step } = state,
    slow = Math.max(state.cost, state.asked && now - state.asked);
  byId("now").textContent = step.toLocaleString("en");
  byId("hash").textContent = state.hash;
  if (slow > 500) byId("rate").textContent = `${(slow / 1000).toPrecision(2)} s per step`;
  else if (now - rate.since > 1000) {
    byId("rate").textContent =
      state.isPlaying && step > rate.steps
        ? Math.round(((step - rate.steps) / (now - rate.since)) * 1000) + " steps/s"
        : "";
    state.rate = { steps: step, since: now };
  }
  observables.forEach((about, k) => {
    if (isShown(about)) drawChart(about, k + 1);
  });
  view.showLegend(byId("legend"));
}

/* Observables. */

const isShown = ({ name }) => byId("show-" + name).checked;

/* Keep the measured values. When there are many samples, every second one is dropped. */
function addSample({ step, values }) {
  const { samples } = state;
  if (samples.at(-1)?.[0] === step) samples.pop();
  samples.push([step, ...observables.map(({ name }) => values[name] ?? NaN)]);
  if (samples.length > SAMPLES) state.samples = samples.filter((_, k) => k % 2 === 0);
}

const shortOf = (value) => String(Number(value.toPrecision(4)));

function ticksOf(low, high) {
  const step = niceStep((high - low) / 2 || 1),
    first = Math.ceil(low / step - 1e-9);
  return Array.from(
    { length: Math.floor(high / step + 1e-9) - first + 1 },
    (_, k) => (first + k) * step,
  );
}

/* An observable against the step. */
function drawChart({ name, unit, is_share, undefined: when }, column) {
  const chart = byId("chart-" + name),
    scale = Math.min(2, devicePixelRatio),
    width = chart.clientWidth,
    height = chart.clientHeight;
  const points = state.samples.filter((sample) => Number.isFinite(sample[column])),
    values = points.map((sample) => sample[column]);
  const value = state.samples.at(-1)[column],
    text = Number.isFinite(value) ? shortOf(value) : `undefined ${when}`;
  byId("value-" + name).textContent = text + (Number.isFinite(value) && unit ? " " + unit : "");
  chart.ariaLabel = `${nameOf(name)} against the step: now ${byId("value-" + name).textContent}`;
  if (chart.width !== width * scale || chart.height !== height * scale)
    Object.assign(chart, { width: width * scale, height: height * scale });
  const pen = chart.getContext("2d");
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.clearRect(0, 0, width, height);
  if (values.length === 0) return;
  const low = is_share ? 0 : Math.min(...values),
    high = is_share ? 1 : Math.max(...values, low + 1e-6 * Math.abs(low), low + 1e-12);
  const first = state.samples[0][0],
    last = Math.max(first + 1, state.samples.at(-1)[0]);
  Object.assign(pen, {
    font: "11px system-ui, sans-serif",
    fillStyle: view.paint.text,
    strokeStyle: view.paint.box,
    textBaseline: "middle",
    textAlign: "right",
  });
  const rows = ticksOf(low, high),
    left = 8 + Math.max(...rows.map((tick) => pen.measureText(shortOf(tick)).width)),
    bottom = height - 18,
    right = width - 32;
  const x = (step) => left + ((step - first) / (last - first)) * (right - left),
    y = (v) => bottom - ((v - low) / (high - low)) * (bottom - 8);
  pen.strokeRect(left, 8, right - left, bottom - 8);
  pen.fillText("step", width, height - 8);
  for (const tick of rows) {
    pen.fillText(shortOf(tick), left - 4, y(tick));
    pen.fillRect(left, y(tick), 4, 1);
  }
  pen.textAlign = "center";
  for (const tick of ticksOf(first, last)) {
    pen.fillText(shortOf(tick), x(tick), height - 8);
    pen.fillRect(x(tick), bottom - 4, 1, 4);
  }
  pen.strokeStyle = view.paint.accent;
  pen.lineWidth = 1.5;
  pen.beginPath();
  for (const sample of points) pen.lineTo(x(sample[0]), y(sample[column]));
  pen.stroke();
}

function play(isPlaying) {
  state.isPlaying = isPlaying;
  state.debt = state.target = 0;
  last = performance.now();
  state.rate = { steps: state.step, since: last };
  byId("play").textContent = isPlaying ? "Pause" : "Run";
  redraw();
  if (!isPlaying) look().then(redraw);
}

function stepOnce() {
  play(false);
  return inTurn(() => advance(1));
}

/* Controls: one per key. */

/* The properties of the schema by path, in the order of the schema. Keys that the schedule may set can be changed during a run. */
function readKeys(schema) {
  const all = new Map(),
    live = schema.properties.schedule.items.properties.set.properties;
  const walk = (properties, prefix) => {
    for (const [name, key] of Object.entries(properties))
      if (key.properties) walk(key.properties, prefix + name + ".");
      else all.set(prefix + name, { ...key, isLive: prefix + name in live });
  };
  walk(schema.properties, "");
  return all;
}

const nameOf = (path) => path.replace(/[._]/g, " ");
const isKind = (key, type) => [].concat(key.type || key.oneOf?.[0].type || []).includes(type);
const make = (tag, properties, ...children) => {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
};

/* The sliders that are always visible: their names, and the key of each. If there are two keys, the one that the flock uses is shown. */
const FIRST = [
  ["boids", "flock.count"],
  ["sight", "flock.alignment.radius", "flock.alignment.nearest"],
  ["separation", "flock.separation.factor"],
  ["alignment", "flock.alignment.factor"],
  ["cohesion", "flock.cohesion.factor"],
  ["noise", "flock.noise.eta", "flock.noise.vector"],
];
const shows = []; /* functions that show the present value in a control */

/* Create the sections and controls. A control shows its description while it is used, and after a click or tap on its name. Output keys,
 * files and texts have no control and are changed in the JSON. */
function makeControls() {
  const sections = new Map();
  const sectionOf = (names, isLive) => {
    const root = byId(isLive ? "controls" : "setup"),
      id = isLive + names.join(".");
    if (names.length === 0) return root;
    if (!sections.has(id)) {
      const details = make(
        "details",
        { open: false },
        make("summary", { textContent: names.at(-1) }),
      );
      sectionOf(names.slice(0, -1), isLive).append(details);
      sections.set(id, details);
    }
    return sections.get(id);
  };
  for (const [name, ...paths] of FIRST)
    byId("first").append(...paths.map((path) => makeControl(path, keys.get(path), name)));
  for (const [path, key] of keys) {
    const names = path.split(".");
    if (
      ["output", "schedule", "rule", "$schema", "title"].includes(names[0]) ||
      path === "flock.init.file"
    )
      continue;
    sectionOf(names.slice(0, -1), key.isLive).append(makeControl(path, key));
  }
}

/* Show the keys whose name or description has the words. */
function search(typed) {
  const words = typed
    .toLowerCase()
    .split(/[\s._]+/)
    .filter(Boolean);
  for (const control of byId("keys").querySelectorAll(".key"))
    control.hidden = !words.every((word) => control.textContent.toLowerCase().includes(word));
  for (const details of byId("keys").querySelectorAll("details")) {
    details.hidden = !details.querySelector(".key:not([hidden])");
    details.open = words.length > 0;
  }
}

/* Why a key cannot be changed in this configuration: the core would refuse it, or it has no effect. Empty if it can be changed. */
function reasonAgainst(path) {
  const { flock, update, predators } = state.now,
    [section, name] = path.split(".").slice(-2),
    hasPasses = update === "passes";
  if (path === "flock.inertia" && flock.steering !== "direct")
    return `${flock.steering} steers from the old velocity`;
  if (path === "flock.inertia" && hasPasses) return "with passes there is no single new velocity";
  if (path === "flock.max_force" && hasPasses && flock.steering !== "reynolds")
    return "it limits a sum that passes do not compute";
  if (/falloff/.test(name) && flock.alignment.form === "latest" && section === "alignment")
    return "the form latest has no terms to weight";
  if (flock[section]?.radius === 0 && !/radius|nearest/.test(name)) return `${section} radius is 0`;
  return section === "predators" && name !== "count" && predators.count === 0
    ? "there are no predators"
    : "";
}

function isJson(text) {
  try {
    JSON.parse(text);
  } catch {
    return false;
  }
  return true;
}

function rangeOf({ minimum, exclusiveMinimum, maximum }) {
  const low =
    exclusiveMinimum === undefined
      ? minimum === undefined
        ? ""
        : `at least ${minimum}`
      : `above ${exclusiveMinimum}`;
  const parts = [low, maximum === undefined ? "" : `at most ${maximum}`].filter(Boolean);
  return parts.length ? ` A number ${parts.join(", ")}.` : "";
}

/* The largest of ..., 0.1, 0.2, 0.5, 1, 2, 5, ... that is at most `most` and divides the value. `most` if the first few do not. */
function niceStep(most, value = 0) {
  for (let power = Math.floor(Math.log10(most)), k = 0; k < 5; k++, power--)
    for (const digit of [5, 2, 1]) {
      const step = Number(`${digit}e${power}`),
        parts = value / step;
      if (step <= most && Math.abs(parts - Math.round(parts)) < 1e-6) return step;
    }
  return most;
}

/* The range and step of a slider. Its maximum is that of the key or, if that is large, four times the value. A step is
 * at most a fiftieth of the value, which is a multiple of the step. */
function scaleOf(path, key, value) {
  const { minimum, exclusiveMinimum, maximum } = key.oneOf ? key.oneOf[0] : key,
    { width, height } = state.now.world;
  const isWhole = isKind(key, "integer"),
    isBounded = maximum < 1e4,
    number = typeof value === "number" ? value : 0;
  const base =
    Math.abs(number) ||
    Number(key.default) ||
    (/radius|margin/.test(path) ? Math.min(width, height) / 4 : 1);
  const max = isBounded ? maximum : Number(Math.max(4 * base, isWhole ? 10 : 0).toPrecision(12));
  const low = minimum ?? exclusiveMinimum ?? (number < 0 ? -max : 0);
  const step =
    key.multipleOf ??
    (isWhole
      ? 1
      : niceStep(Math.min(Math.abs(number) / 50 || Infinity, (max - low) / 100), number));
  return { min: exclusiveMinimum === undefined ? low : low + step, max, step };
}

/* The first key must not exceed the second. */
const ORDERED = [
  ["flock.min_speed", "flock.max_speed"],
  ["predators.min_speed", "predators.max_speed"],
  ["flock.alignment.inner_radius", "flock.alignment.radius"],
  ["flock.cohesion.inner_radius", "flock.cohesion.radius"],
];

/* The changes that a control makes: its key, and keys that would contradict it. */
function changesFor(path, json) {
  const changes = { [path]: json },
    value = Number(json),
    at = (other) => valueOf(state.now, other);
  const numberAt = (other) =>
    [at(other), at(other.replace("predators", "flock"))].find((v) => v !== "flock") ?? NaN;
  for (const [low, high] of ORDERED) {
    if (path === low && numberAt(high) < value) changes[high] = json;
    if (path === high && numberAt(low) > value) changes[low] = json;
  }
  const partner = path.endsWith("radius")
    ? path.replace("radius", "nearest")
    : path.replace("nearest", "radius");
  if (json === "null" && partner !== path && keys.has(partner) && at(partner) === null)
    changes[partner] = partner.endsWith("radius") ? String(keys.get(partner).default) : "7";
  if (
    path === "flock.alignment.radius" &&
    json !== "null" &&
    at("flock.cohesion.radius") === at(path) &&
    at(path) > 0
  )
    changes["flock.cohesion.radius"] = json;
  if (path === "goals.direction" && json !== "null" && at("goals.points").length)
    changes["goals.points"] = "[]";
  if (path === "goals.points" && json !== "[]" && at("goals.direction") !== null)
    changes["goals.direction"] = "null";
  return changes;
}

/* `first` is its name among the first sliders. */
function makeControl(path, key, first = "") {
  const sentence =
    key.description +
    rangeOf(key.oneOf ? key.oneOf[0] : key) +
    (key.default === undefined ? "" : ` Default: ${JSON.stringify(key.default)}.`);
  const id = (first && "first-") + "key-" + path,
    help = make("p", { id: "help-" + id.replace("key-", ""), textContent: `${path}: ${sentence}` });
  const control = make("div", { className: "key" }),
    title = (first && first + ": ") + nameOf(path);
  const set = async (json) => {
    if (json !== undefined && !(await changeAll(changesFor(path, json)))) show();
  };
  const name = make("label", {
    htmlFor: id,
    textContent: first || path.split(".").at(-1).replaceAll("_", " "),
    title: path,
  });
  name.onclick = (event) => {
    event.preventDefault();
    control.classList.toggle("explained");
  };
  const row = make("div", { className: "row" }, name),
    reason = make("span", { className: "reason" });
  control.append(row, reason, help);
  control.dataset.path = path;
  const isDefault = () =>
    key.default === undefined ||
    JSON.stringify(valueOf(state.now, path)) === JSON.stringify(key.default);
  const showValue = key.enum
    ? choiceControl(id, key, row, set)
    : key.items?.type && key.minItems === 2
      ? pairControl(id, title, row, set, control)
      : isKind(key, "number") || isKind(key, "integer")
        ? numberControl(id, title, path, key, row, control, set, first)
        : textControl(id, row, set);
  const field = row.querySelector(`[id="${id}"]`);
  field.ariaLabel = title;
  field.setAttribute("aria-describedby", help.id);
  const show = () => {
    const value = valueOf(state.now, path);
    showValue(value);
    reason.textContent = reasonAgainst(path);
    for (const input of control.querySelectorAll("input, select"))
      input.disabled = reason.textContent !== "";
    control.classList.toggle("changed", !first && !isDefault());
    const [, ...paths] = FIRST.find(([word]) => word === first) || [];
    if (paths.length === 2)
      control.hidden = path !== (valueOf(state.now, paths[1]) ? paths[1] : paths[0]);
  };
  shows.push(show);
  return control;
}

function choiceControl(id, key, row, set) {
  const list = make(
    "select",
    { id, onchange: () => set(JSON.stringify(list.value)) },
    ...key.enum.map((word) => make("option", { textContent: word })),
  );
  row.append(list);
  return (value) => {
    list.value = value;
  };
}

function pairControl(id, title, row, set, control) {
  const inputs = [0, 1].map((k) =>
    make("input", {
      type: "number",
      step: "any",
      id: k ? "" : id,
      onchange: () => set(`[${inputs.map((input) => textOfNumber(input.value)).join(", ")}]`),
    }),
  );
  inputs[1].ariaLabel = title + ", second";
  control.classList.add("pair");
  row.append(...inputs);
  return (value) =>
    inputs.forEach((input, k) => {
      input.value = value[k];
    });
}

/* A text field for JSON, such as lists and margins with four sides. */
function textControl(id, row, set) {
  const input = make("input", {
    type: "text",
    id,
    onchange: () => set(isJson(input.value) ? input.value : JSON.stringify(input.value)),
  });
  row.append(input);
  return (value) => {
    input.value = typeof value === "string" ? value : JSON.stringify(value);
  };
}

/* Call `call` at most five times per second, with the last argument; the schedule gets an entry for each call. */
function atMostOften(call) {
  let timer = 0,
    argument;
  return {
    isWaiting: () => timer !== 0,
    call: (value) => {
      argument = value;
      timer ||= setTimeout(() => {
        timer = 0;
        call(argument);
      }, 200);
    },
  };
}

/* A number field, a slider and, for keys that may be null or "flock", a check box. The range of a slider changes with the preset, or if the
 * value lies at or beyond its end, but not while a pointer or a key holds the slider. A touch does not focus it, nor does a mouse in Safari. */
function numberControl(id, title, path, key, row, control, set, first) {
  const empty = key.oneOf?.some((kind) => kind.const)
      ? "flock"
      : isKind(key, "null")
        ? null
        : undefined,
    word = empty ?? "none";
  const slider = make("input", { type: "range", ariaLabel: title + " slider" }),
    field = make("input", { type: "number", step: "any", id });
  const box = make("input", { type: "checkbox", ariaLabel: `${title}: ${word}` }),
    later = atMostOften((value) => set(JSON.stringify(value)));
  let lastNumber,
    isHeld = false,
    releasing = 0;
  const anyNumber = () =>
    [
      lastNumber,
      valueOf(state.now, path.replace("predators", "flock")),
      key.default,
      (Number(slider.min) + Number(slider.max)) / 2,
    ].find((value) => typeof value === "number");
  const show = () => showValue(valueOf(state.now, path));
  const hold = () => {
    clearTimeout(releasing);
    isHeld = true;
  };
  const release = () => {
    clearTimeout(releasing);
    releasing = setTimeout(() => {
      isHeld = false;
      show();
    }, PATIENCE);
  };
  box.onchange = () =>
    set(
      JSON.stringify(
        box.checked ? empty : isKind(key, "integer") ? Math.round(anyNumber()) : anyNumber(),
      ),
    );
  slider.oninput = () => {
    hold();
    field.value = slider.value;
    later.call(Number(slider.value));
  };
  slider.onpointerdown = slider.ontouchstart = hold;
  slider.onchange =
    slider.onpointerup =
    slider.onpointercancel =
    slider.ontouchend =
    slider.ontouchcancel =
      release;
  field.onchange = () =>
    set(
      field.value === ""
        ? JSON.stringify(empty)
        : (isKind(key, "string") ? textOfSeed : textOfNumber)(field.value),
    );
  slider.onblur = field.onblur = show;
  row.append(
    ...(empty === undefined || first
      ? []
      : [make("label", { className: "null" }, box, " " + word)]),
    field,
  );
  if (first) field.before(slider);
  else if (path !== "seed") control.append(make("div", { className: "row" }, slider));
  const showValue = (value) => {
    const isNumber = typeof value === "number",
      { min, max } = slider,
      isBeyond = value < min || value >= Number(max) || (value > 0 && value < max / 200);
    if (later.isWaiting() || isHeld) return;
    if (isNumber) lastNumber = value;
    box.checked = value === empty;
    if (document.activeElement !== field || field.value === "")
      field.value = value === empty || typeof value === "object" ? "" : value;
    if (state.hasNewRanges || (isBeyond && document.activeElement !== slider))
      Object.assign(slider, scaleOf(path, key, value));
    if (isNumber) slider.value = value;
    slider.hidden = !isNumber;
  };
  return showValue;
}

function showControls() {
  for (const show of shows) show();
  state.hasNewRanges = false;
}

/* The pointer: a click follows a boid or places something; a pointer that is a predator or an attractor leads the flock. */

const placeOf = (event) => view.toWorld(event).map((value) => Number(value.toPrecision(5)));

function click(event) {
  const [x, y] = placeOf(event),
    { size } = view.scene;
  if (state.tool === "follow") return view.follow(view.pick(event));
  if (isLeader()) return lead([x, y]);
  const isGoal = state.tool === "goal",
    path = isGoal ? "goals.points" : "obstacles.circles",
    list = valueOf(state.now, path);
  const radius = Number((0.04 * Math.min(...size)).toPrecision(2)),
    reach = (14 * view.unit) / view.lens().scale;
  const rest = list.filter(([a, b, r]) => Math.hypot(a - x, b - y) > (r || reach));
  return changeAll(
    changesFor(
      path,
      JSON.stringify(
        rest.length < list.length ? rest : [...list, isGoal ? [x, y] : [x, y, radius]],
      ),
    ),
  );
}

const isLeader = () => state.tool === "predator" || state.tool === "attractor";

/* Move the goal that represents the pointer: a predator is a goal that repels the boids near it. The schedule records its path. */
const lead = (place) =>
  inTurn(async () => {
    if (!isLeader() || (!state.led && state.step === 0 && !(await advance(1)))) return;
    const { world, flock, goals } = state.now,
      near = Math.min(world.width, world.height) / 5,
      isPredator = state.tool === "predator";
    const push =
      (flock.max_speed ?? flock.min_speed ?? 1) /
      (isPredator ? 10 : 30) /
      (goals.form === "offset" ? near : 1);
    const values = {
      "goals.factor": Number((isPredator ? -push : push).toPrecision(3)),
      "goals.radius": isPredator ? near : null,
      "goals.direction": null,
    };
    const changes = state.led
      ? {}
      : Object.fromEntries(
          Object.entries(values).map(([path, value]) => [path, JSON.stringify(value)]),
        );
    const paths = ["goals.points", ...Object.keys(values)],
      before = paths.map((path) => [path, JSON.stringify(valueOf(state.now, path))]);
    if (await changeNow({ ...changes, "goals.points": JSON.stringify([place]) }, "pointer"))
      state.led ??= Object.fromEntries(before);
  });

const leading = atMostOften((place) => (place ? lead(place) : letGo()));

/* Restore the goals. */
const letGo = () =>
  inTurn(async () => {
    if (state.led && (await changeNow(state.led, "pointer"))) state.led = null;
  });

function useTool(tool) {
  letGo();
  state.tool = state.tool === tool ? "follow" : tool;
  byId("tool").value = state.tool;
  view.isHeld = isLeader();
  view.moveBy(0, 0);
}

/* On the canvas, the arrow keys move a cross and Enter clicks at it, except with the tool that follows a boid. */
function moveCross(event) {
  const by = {
      ArrowLeft: [-1, 0],
      ArrowRight: [1, 0],
      ArrowUp: [0, -1],
      ArrowDown: [0, 1],
      Enter: [0, 0],
    }[event.key],
    canvas = byId("view");
  if (!by || event.target !== canvas || state.tool === "follow") return;
  event.preventDefault();
  event.stopImmediatePropagation();
  const box = canvas.getBoundingClientRect(),
    part = event.shiftKey ? 0.1 : 0.02;
  state.cross = (state.cross || [0.5, 0.5]).map((value, a) => clamp(value + part * by[a], 0, 1));
  const at = {
    clientX: box.left + state.cross[0] * box.width,
    clientY: box.top + state.cross[1] * box.height,
  };
  Object.assign(byId("cross").style, { left: at.clientX + "px", top: at.clientY + "px" });
  byId("cross").hidden = false;
  if (event.key === "Enter") click(at);
  else if (isLeader()) leading.call(placeOf(at));
}

/* Reading and saving texts. */

async function copy(button, text) {
  await navigator.clipboard.writeText(text).catch(() => {
    const area = make("textarea", { value: text });
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  });
  const { textContent } = button;
  button.textContent = "Copied";
  setTimeout(() => {
    button.textContent = textContent;
  }, 900);
}

function save(name, blob) {
  const link = make("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

const command = () =>
  `boids -c ${FILE} -n ${state.step || state.now.steps} --hash ${state.step || state.now.steps}`;
const link = () =>
  location.href.split("#")[0] + "#config=" + encodeURIComponent(JSON.stringify(state.doc));

function saveTable(name, header, rows) {
  const number = (value) =>
    typeof value !== "number"
      ? value
      : Number.isFinite(value)
        ? Number(value.toPrecision(state.now.output.digits))
        : "nan";
  save(
    name,
    new Blob([[header, ...rows.map((row) => row.map(number).join(","))].join("\n") + "\n"], {
      type: "text/csv",
    }),
  );
}

/* The boids as a frame that boids-plot reads, and the observables that were shown. */
function saveBoids() {
  const step = String(state.step),
    row = (i) => [
      step,
      step,
      String(i),
      i < view.scene.boids ? "boid" : "predator",
      ...state.agents.slice(4 * i, 4 * i + 4),
    ];
  saveTable(
    `flock-${step}.csv`,
    "step,time,id,type,x,y,vx,vy",
    Array.from(view.x, (_, i) => row(i)),
  );
}

function saveObservables() {
  const shown = observables.map((about, k) => [about, k + 1]).filter(([about]) => isShown(about));
  const rows = state.samples.map((sample) => [
    String(sample[0]),
    String(sample[0]),
    ...shown.map(([, column]) => sample[column]),
  ]);
  saveTable(
    "observables.csv",
    ["step", "time", ...shown.map(([{ name }]) => name)].join(","),
    rows,
  );
}

/* Begin a film of the canvas, or end and save it. */
function film() {
  if (state.recorder) return state.recorder.stop();
  const mimeType = ["video/mp4", "video/webm"].find((type) =>
      window.MediaRecorder?.isTypeSupported(type),
    ),
    parts = [];
  if (!mimeType)
    return say("this browser cannot record a film; boids-plot --save flock.mp4 makes one");
  const recorder = (state.recorder = new MediaRecorder(byId("view").captureStream(RATE), {
    mimeType,
    videoBitsPerSecond: 12e6,
  }));
  recorder.ondataavailable = ({ data }) => parts.push(data);
  recorder.onstop = () => {
    state.recorder = null;
    byId("film").textContent = "Record film";
    save("flock." + mimeType.slice(6), new Blob(parts, { type: mimeType }));
  };
  recorder.start(1000);
  byId("film").textContent = "End film";
  return play(true);
}

/* Read a file: a configuration, or a saved player page, which contains the configuration of its run. */
async function openFile(file) {
  if (file.size > 1e8)
    return say(`${file.name} has ${Math.round(file.size / 1e6)} MB; a configuration is smaller`);
  const encoded = new Uint8Array(await file.arrayBuffer()),
    text = new TextDecoder().decode(encoded);
  const run = /<script id="run" type="application\/json">(.*?)(<\/script>|$)/s.exec(text);
  if (!run) return (await load(text, file.name, encoded)) && play(true);
  if (!isJson(run[1]))
    return say(
      `${file.name}: this page is damaged, so its configuration cannot be read; save it again`,
    );
  const config = JSON.parse(run[1])?.config;
  if (!config)
    return say(
      `${file.name}: this page contains no configuration; it was made from a file without one`,
    );
  return (await load(format(config), file.name)) && play(true);
}

/* The text after #config= or #preset= in the address. The address may be cut inside a character such as %C3%A4. */
function partOfAddress(encoded) {
  try {
    return decodeURIComponent(encoded);
  } catch {
    throw new Error("the address of this page is damaged; copy the whole link again");
  }
}

/* The JSON that the address names by #config=JSON, #preset=NAME or #preset=NAME&seed=N, also after ?, or the default preset. */
function textOfAddress() {
  const address = location.hash || location.search,
    [, kind, rest] = /^[#?](config|preset)=(.*)/s.exec(address) || [];
  if (!address) return presets.murmuration;
  if (!kind)
    throw new Error(
      `the address of this page ends with ${address}; it must be #preset=NAME, #preset=NAME&seed=N or #config=JSON`,
    );
  if (kind === "config") return partOfAddress(rest);
  const [, name, seed] = /^(.*?)(?:&seed=(\w*))?$/s.exec(partOfAddress(rest));
  if (!(name in presets)) throw new Error(`there is no preset "${name}"; choose one from the menu`);
  return seed
    ? format({ ...JSON.parse(presets[name]), seed: HOLE }).replace(JSON.stringify(HOLE), () =>
        textOfSeed(seed),
      )
    : presets[name];
}

/* Start the flock of the address. If it is refused, its message is shown, and the current run continues; if there is no
 * run, the default preset starts, and the text box shows the text of the address. */
async function loadFromLink() {
  let text = "",
    isGood = false;
  try {
    text = textOfAddress();
    isGood = await load(text, "link");
  } catch (error) {
    say(error.message);
  }
  if (isGood && location.hash.startsWith("#config="))
    state.text = byId("json").value = format(state.doc); /* a link has one long line */
  if (state.now) return isGood;
  const sentence = message;
  await load(presets.murmuration);
  byId("json").value = text || presets.murmuration;
  say(sentence.replace("boids: ", ""));
  return false;
}

function choose(id, by) {
  const list = byId(id),
    count = list.options.length;
  list.selectedIndex =
    id === "colour"
      ? (list.selectedIndex + by) % count
      : clamp(list.selectedIndex + by, 0, count - 1);
  list.dispatchEvent(new Event("change"));
}

function setTheme(isLight) {
  view.setTheme(isLight);
  byId("theme").textContent = isLight ? "Dark" : "Light";
}

function setTrails(hasTrails) {
  view.hasTrails = hasTrails;
  byId("trails").setAttribute("aria-pressed", hasTrails);
  view.forget();
  redraw();
}

const middle = () => {
  const box = byId("view").getBoundingClientRect();
  return { clientX: box.left + box.width / 2, clientY: box.top + box.height / 2 };
};
const setSeed = (typed) => changeAll({ seed: textOfSeed(typed) });
const nextSeed = () => setSeed(String(BigInt(state.now.seed) + 1n));
const restart = () => load(byId("json").value, FILE, byId("json").value, true);
const fullScreen = () =>
  document.fullscreenElement
    ? document.exitFullscreen()
    : document.querySelector("main").requestFullscreen();
const shortcuts = {
  " ": () => play(!state.isPlaying),
  ArrowRight: stepOnce,
  ArrowUp: () => choose("speed", 1),
  ArrowDown: () => choose("speed", -1),
  r: restart,
  n: nextSeed,
  c: () => choose("colour", 1),
  t: () => setTrails(!view.hasTrails),
  l: () => setTheme(!view.isLight),
  f: fullScreen,
  o: () => useTool("obstacle"),
  g: () => useTool("goal"),
  p: () => useTool("predator"),
  a: () => useTool("attractor"),
  z: undo,
  b: () => view.follow((view.followed + 1) % view.x.length),
  "+": () => view.zoomAt(middle(), 1.25),
  "-": () => view.zoomAt(middle(), 0.8),
  Escape: () => {
    useTool("follow");
    view.follow(-1);
  },
};

function listen() {
  const on = (id, call) => {
    byId(id).onclick = call;
  };
  on("play", () => play(!state.isPlaying));
  on("one", stepOnce);
  on("again", restart);
  on("reseed", nextSeed);
  byId("seed").onchange = (event) => setSeed(event.target.value);
  on("trails", () => setTrails(!view.hasTrails));
  on("undo", undo);
  on("film", film);
  on("theme", () => setTheme(!view.isLight));
  on("full", fullScreen);
  on("open", () => byId("file").click());
  on("copy-json", (event) => copy(event.target, byId("json").value));
  on("copy-command", (event) => copy(event.target, command()));
  on("copy-link", (event) => copy(event.target, link()));
  on("save-json", () => save(FILE, new Blob([byId("json").value], { type: "application/json" })));
  on("save-picture", () => byId("view").toBlob((blob) => save(`flock-${state.step}.png`, blob)));
  on("save-boids", saveBoids);
  on("save-observables", saveObservables);
  on("message", showLine);
  byId("file").onchange = (event) => {
    if (event.target.files[0]) openFile(event.target.files[0]);
  };
  byId("preset").onchange = async (event) => {
    history.replaceState(null, "", "#preset=" + event.target.value);
    if (await load(presets[event.target.value])) play(true);
  };
  byId("search").oninput = (event) => search(event.target.value);
  byId("speed").onchange = (event) => {
    state.speed = Number(event.target.value);
  };
  byId("colour").onchange = (event) => view.setColour(event.target.value);
  byId("tool").onchange = (event) => {
    state.tool = "";
    useTool(event.target.value);
  };
  let typing = 0;
  byId("json").oninput = () => {
    clearTimeout(typing);
    typing = setTimeout(restart, 400);
  };
  addEventListener("keydown", moveCross);
  addEventListener("keydown", (event) => {
    const call = shortcuts[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (
      !call ||
      ((event.ctrlKey || event.metaKey) && call !== undo) ||
      event.altKey ||
      /^(SELECT|INPUT|TEXTAREA)$/.test(event.target.tagName)
    )
      return;
    if (event.key === " " && event.target.tagName === "BUTTON") return;
    event.preventDefault();
    call();
  });
  addEventListener("dragover", (event) => {
    event.preventDefault();
    document.body.classList.add("dropping");
  });
  addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) document.body.classList.remove("dropping");
  });
  addEventListener("drop", (event) => {
    event.preventDefault();
    document.body.classList.remove("dropping");
    if (event.dataTransfer.files[0]) openFile(event.dataTransfer.files[0]);
  });
  addEventListener("hashchange", async () => {
    if (await loadFromLink()) play(true);
  });
  view.listen(click);
  for (const name of ["pointerdown", "pointermove"])
    byId("view").addEventListener(name, (event) => {
      if (isLeader()) leading.call(placeOf(event));
    });
  byId("view").addEventListener("pointerleave", () => leading.call(null));
  byId("view").addEventListener("blur", () => {
    byId("cross").hidden = true;
  });
}

/* Select the line in the text box that the message names. */
function showLine() {
  const line = Number(/^boids: [^:]*:(\d+):/.exec(message)?.[1] || 0),
    box = byId("json");
  if (!line) return;
  const lines = box.value.split("\n"),
    begin = lines.slice(0, line - 1).join("\n").length + (line > 1);
  byId("text").open = true;
  box.focus();
  box.setSelectionRange(begin, begin + lines[line - 1].length);
}

function fillLists() {
  const titles = Object.entries(presets).map(([name, text]) =>
    make("option", { value: name, textContent: name, title: JSON.parse(text).title }),
  );
  byId("preset").append(
    make("option", { value: "", textContent: "own configuration", hidden: true }),
    ...titles,
  );
  byId("speed").append(
    ...SPEEDS.map((speed) =>
      make("option", { value: speed, textContent: `${speed}×`, selected: speed === 1 }),
    ),
  );
  byId("colour").append(...COLOURS.map((colour) => make("option", { textContent: colour })));
  byId("tool").append(...TOOLS.map((tool) => make("option", { textContent: tool })));
  for (const { name, sentence } of observables) {
    const box = make("input", {
      type: "checkbox",
      id: "show-" + name,
      checked: ["polarization", "milling"].includes(name),
    });
    const chart = make(
      "div",
      { hidden: !box.checked },
      make("h2", {}, nameOf(name), make("span", { id: "value-" + name })),
      make("canvas", {
        id: "chart-" + name,
        className: "chart",
        role: "img",
        ariaLabel: nameOf(name),
      }),
    );
    box.onchange = () => {
      chart.hidden = !box.checked;
      look().then(redraw);
    };
    byId("charts").append(chart);
    byId("choice").append(make("label", { title: sentence }, box, " " + nameOf(name)));
  }
}

const ready = start()
  .catch((error) => {
    byId("message").textContent =
      `This browser cannot run the page (${error.message}); one of 2023 or later can.`;
    throw error;
  })
  .then(async () => {
    fillLists();
    makeControls();
    view.setScene({
      boids: 0,
      predators: 0,
      origin: [0, 0],
      size: [1, 1],
      world: null,
      circles: [],
      goals: [],
      radii: [],
    });
    setTheme(matchMedia("(prefers-color-scheme: light)").matches);
    listen();
    await loadFromLink();
    play(!matchMedia("(prefers-reduced-motion: reduce)").matches);
  });

/* Functions for tests and the console. load() and step() pause the page. step() makes `count` steps and returns the step number. */
window.boids = {
  async load(json) {
    await ready;
    play(false);
    if (!(await load(typeof json === "string" ? json : format(json)))) throw new Error(message);
  },
  async step(count = 1) {
    await ready;
    play(false);
    if (!(await inTurn(() => advance(count)))) throw new Error(message);
    return state.step;
  },
  async hash() {
    await ready;
    await look();
    return state.hash;
  },
  async message() {
    await ready;
    await turn;
    await state.loading;
    return message;
  },
};
