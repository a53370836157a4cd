/* Runs: reading and changing the configuration, and the steps.
 *
 * Each change is made in the accepted text, whose keys keep their order; the new text is read and written to the text box. If a key
 * that may change during a run is changed, this becomes an entry of the schedule at the current step, so the JSON always describes the
 * displayed run. */

/* Start a run with the text of a file, whose bytes are `encoded`, and show it in the text box. If it is refused, its message is shown,
 * and the current run continues. A worker that makes a long step is replaced. A large flock is not shown if one that was chosen later
 * has come before it. What is `kept` of the state of an earlier run becomes that of the new one. */
const load = (...words) => (state.loading = loadNow(...words));
async function loadNow(text, { file = FILE, encoded = text, ...kept } = {}) {
  const begun = performance.now(),
    late = new Promise((done) => setTimeout(done, PATIENCE)),
    asked = !state.now || (await Promise.race([look(), late])) ? worker : await hire();
  const answer = await read(encoded, false, file, asked);
  if (!answer?.isGood || begun < state.begun) {
    if (asked !== worker) asked.terminate();
    return false;
  }
  if (asked !== worker) {
    worker.terminate();
    for (const done of worker.waiting) done(null);
    worker = asked;
  }
  if (state.now && state.text !== text) remember();
  text = text.replace(/^\uFEFF/, "");
  const name = Object.keys(presets).find((preset) => presets[preset] === text);
  Object.assign(state, {
    begun,
    base: text,
    moved: [],
    samples: [],
    led: null,
    target: 0,
    debt: 0,
    cost: 0,
    drawn: 0,
    hasNewRanges: true,
    ...kept,
    preset: name ?? kept.preset ?? "",
  });
  accept(text, answer, true);
  const title = state.now.title || "A flock";
  byId("title").textContent = title;
  const menu = byId("preset");
  menu.value = state.preset; /* the address has what differs from it */
  const [entry] = menu.selectedOptions;
  byId("look").textContent = entry.text.endsWith(title) ? entry.title : "";
  if (file === FILE && !name) menu.value = "";
  document.title = `${title} - boids`;
  const seed = byId("seed");
  seed.value = state.now.seed;
  seed.removeAttribute("aria-invalid");
  return true;
}

/* Begin again with a text of this flock; the sliders keep their ranges. What was `moved` since its `base` stays known. */
const beginAgain = (text, base = text === state.text ? state.base : text) => {
  const { preset, moved } = state;
  return load(text, { preset, hasNewRanges: false, base, moved: base === text ? [] : moved });
};

/* Read a configuration, a string or bytes, and show the message if it is refused; messages call it `file`. */
async function read(json, isChange, file, asked = worker) {
  const answer = await ask({ call: "load", json, file, isChange, names: namesShown() }, asked);
  if (answer) say(answer.message);
  return answer;
}

/* Show a text that the core has accepted. */
function accept(text, answer, isNewRun) {
  state.text = byId("json").value = text;
  byId("json").removeAttribute("aria-invalid");
  byId("undo").disabled = !state.past.length;
  take(answer, isNewRun);
  redraw();
}

/* A string that no accepted configuration contains; it is followed by a path. */
const HOLE = "\0";

/* The text of a configuration, with a JSON text in each hole; numbers are not rounded. */
const fill = (doc, texts) =>
  Object.keys(texts).reduce(
    (all, path) => all.replaceAll(JSON.stringify(HOLE + path), () => texts[path]),
    format(doc),
  );

/* A configuration with a JSON text per path. */
function withTexts(text, texts) {
  const doc = JSON.parse(text),
    paths = Object.keys(texts);
  for (const path of paths) setValue(doc, path, HOLE + path);
  return paths.length ? fill(doc, texts) : text;
}

/* The order of the changes in the schedule and in `moved`. */
const byStep = (a, b) => a.at - b.at;

/* Set keys: `changes` has a JSON text per path, which is read as it is. A key that cannot change during a run starts it again from `base`,
 * the text at its start, with the present values of all keys that were `moved` since; the pointer moves none. At step 0, no state
 * depends on the old values. Changes of one `gesture` in quick succession are undone together. */
const changeAll = (changes) => inTurn(() => changeNow(changes));

async function changeNow(changes, gesture = Object.keys(changes)[0]) {
  if (!(await look())) return false;
  const { step } = state,
    paths = Object.keys(changes);
  if (!paths.every((path) => keys[path]?.isLive)) return restart(changes);
  if (step === 0)
    return beginAgain(
      withTexts(state.text, changes),
      withTexts(state.base, gesture === "pointer" ? {} : changes),
    );
  const doc = JSON.parse(state.text),
    list = (doc.schedule ??= []);
  let entry = list.find(({ at }) => at === step);
  if (!entry) list.push((entry = { at: step, set: {} }));
  for (const path of paths) entry.set[path] = HOLE + path;
  list.sort(byStep);
  const text = fill(doc, changes),
    answer = await read(text, true, FILE);
  if (!answer?.isGood) return false;
  remember(gesture);
  if (gesture !== "pointer") state.moved = [...state.moved, { at: step, changes }].sort(byStep);
  accept(text, answer);
  return true;
}

/* The JSON texts of the keys that were moved up to the present step; after a replay, later ones will be repeated. */
const movedSoFar = () =>
  Object.assign({}, ...state.moved.map(({ at, changes }) => at <= state.step && changes));

/* The present JSON texts of these keys; of the goals, those from before the pointer led the flock, or those that were set. */
const textsOf = (changed) =>
  Object.fromEntries(
    Object.keys(changed).map((path) => [
      path,
      state.led?.[path] ??
        ((/^goals/.test(path) && movedSoFar()[path]) || JSON.stringify(valueOf(state.now, path))),
    ]),
  );

const textOfRestart = (changes) => withTexts(state.base, { ...textsOf(movedSoFar()), ...changes });

/* Begin again with the values that the sliders show, and these changes. */
const restart = (changes) => beginAgain(textOfRestart(changes));

/* Set a key to a JSON text, and with it the keys that would contradict it. Alignment and cohesion keep a common radius. */
const changeKey = (path, json) =>
  inTurn(async () => {
    const answer = await ask({ call: "changes", path, json });
    if (!answer) return false;
    const { changes } = answer,
      { alignment, cohesion } = state.now.flock;
    const isCommon = alignment.radius > 0 && alignment.radius === cohesion.radius;
    if (path === "flock.alignment.radius" && json !== "null" && isCommon)
      changes["flock.cohesion.radius"] = json;
    return changeNow(changes, path);
  });

/* Keep the present state for undo(). */
function remember(gesture) {
  const { past, text, step: target, base, moved, preset, led } = state,
    last = past.at(-1),
    time = performance.now();
  if (gesture && last?.gesture === gesture && time - last.time < 1000) last.time = time;
  else past.push({ text, gesture, time, kept: { base, moved, preset, target, led } });
}

/* Return to the state before the last change: its configuration starts again and runs to the step of the change. */
const undo = () =>
  inTurn(async () => {
    const past = [...state.past],
      before = past.pop();
    if (before) await load(before.text, { ...before.kept, past });
  });

let isChanged = false;
let last = 0;
let ticks = 0;
function redraw() {
  isChanged = true;
  if (state.now) awaitTick();
}

/* Ask for the steps that are due or, if there is a target, for all steps to it; the worker stops after its time limit. */
async function askForSteps(now) {
  const isFar = state.step < state.target;
  state.debt = isFar
    ? state.target - state.step
    : Math.min(state.debt + ((now - last) / 1000) * RATE * speed(), Math.max(2, 2 * speed()));
  last = now;
  if (state.debt < 0.95) return;
  state.asked = now;
  const names = isFar || now - state.seen > 100 ? namesShown() : undefined,
    answer = await makeSteps(Math.round(state.debt), 24, names);
  state.asked = 0;
  if (!answer) return;
  state.debt -= answer.made;
  state.cost = answer.cost;
}

/* Draw the frame of the last answer, in several ticks if it has many agents. */
function tick(now) {
  const end = performance.now() + SLICE,
    isRunning = state.isPlaying || state.step < state.target;
  if (isRunning && worker.waiting.length === 0) askForSteps(now);
  if (!view.picture && (isChanged || state.step !== state.drawn)) {
    placeAgents();
    view.begin(Math.max(0, state.step - state.drawn));
    state.drawn = state.step;
    isChanged = false;
  }
  if (view.picture && !view.goOn(end)) return awaitTick();
  if (ticks++ % 6 === 0 || !isRunning) showNumbers(now);
  if (isRunning || isChanged) awaitTick();
}

function showNumbers(now) {
  const { rate, measured: step } = state,
    slow = Math.max(state.cost, state.asked && now - state.asked);
  byId("now").textContent = grouped(step);
  byId("hash").textContent = state.hash;
  if (slow > 500) byId("rate").textContent = `${(slow / 1000).toPrecision(2)} s per step`;
  else if (now - rate.since > 1000) {
    byId("rate").textContent =
      state.isPlaying && step > rate.steps
        ? Math.round(((step - rate.steps) / (now - rate.since)) * 1000) + " steps/s"
        : "";
    state.rate = { steps: step, since: now };
  }
  for (const chart of charts) if (chart.clientWidth > 0) drawChart(chart);
  view.showLegend(byId("legend"));
}

function play(isPlaying) {
  state.isPlaying = isPlaying;
  state.target = 0;
  state.debt = Number(isPlaying); /* the first step is due at once */
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
