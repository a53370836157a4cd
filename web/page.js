/* The live page: one run of the core (page.c, compiled to WebAssembly), drawn by drawing.js.
 *
 * The code of the program reads each text itself, because JSON.parse() accepts a key twice and rounds whole numbers. `doc` is the
 * accepted configuration as an object, in the order of the user's text. Each change is made in this object, which is then written
 * to the text box and read. If a key that may change during a run is changed, this becomes
 * an entry of the schedule at the current step, so the JSON always describes the displayed run. Keys, their bounds, defaults and
 * descriptions come from the JSON Schema that the core prints. */

const FILE = "flock.json", RATE = 60, SPEEDS = [0.25, 0.5, 1, 2, 4, 8, 16];
const byId = (id) => document.getElementById(id);
const presets = Object.assign(Object.create(null), JSON.parse(byId("presets").textContent)); /* without names such as constructor */
const state = { isPlaying: false, speed: 1, debt: 0, tool: "", isFresh: true, doc: {}, drawn: 0, history: [], rate: { steps: 0, since: 0 } };
let core, keys, measures, message = "";
const view = new FlockView(byId("view"), RINGS, () => redraw());

/* The core. Texts in its memory end with a zero. */

const bytes = (at, length) => new Uint8Array(core.memory.buffer, at, length);
const textAt = (at) => { const all = bytes(at); return new TextDecoder().decode(all.subarray(0, all.indexOf(0))); };

/* The system functions that the C library imports. A few are implemented; all others fail. */
const system = {
  environ_sizes_get(count, size) { for (const at of [count, size]) new DataView(core.memory.buffer).setUint32(at, 0, true); return 0; },
  clock_time_get(clock, precision, at) {
    new DataView(core.memory.buffer).setBigUint64(at, BigInt(Math.round(performance.now() * 1e6)), true);
    return 0;
  },
};

async function start() {
  const packed = Uint8Array.from(atob(byId("module").textContent), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  const module = await WebAssembly.compile(await new Response(stream).arrayBuffer());
  const imports = Object.fromEntries(WebAssembly.Module.imports(module).map(({ name }) => [name, system[name] || (() => 52)]));
  core = (await WebAssembly.instantiate(module, { wasi_snapshot_preview1: imports })).exports;
  core._initialize();
  keys = readKeys(JSON.parse(textAt(core.text(0))));
  measures = [];
  for (let k = 0, name; (name = textAt(core.observable(k))); k++) measures.push(name);
}

/* Read a configuration, a string or bytes. If it is a change, the current run continues; otherwise a new run starts. Returns true if it
 * is accepted. */
function read(text, isChange) {
  const name = new TextEncoder().encode(FILE + "\0"), json = typeof text === "string" ? new TextEncoder().encode(text) : text;
  const all = bytes(core.buffer(name.length + json.length + 1), name.length + json.length + 1);
  all.set(name);
  all.set(json, name.length);
  all[name.length + json.length] = 0;
  const isGood = core.load(json.length, isChange) !== 0;
  say(isGood ? "" : textAt(core.message()));
  return isGood;
}

function say(sentence) {
  message = sentence && "boids: " + sentence;
  byId("message").textContent = message;
}

const hash = () => BigInt.asUintN(64, core.hash()).toString(16).padStart(16, "0");
const current = () => JSON.parse(textAt(core.text(1)));

/* True if all steps were made. */
function advance(count) {
  if (core.step(count)) return true;
  say(textAt(core.message()));
  play(false);
  return false;
}

/* Get and set values of nested objects by a path such as flock.cohesion.factor. */

const valueOf = (object, path) => path.split(".").reduce((value, name) => value?.[name], object);

function setValue(object, path, value) {
  const names = path.split("."), last = names.pop();
  names.reduce((inner, name) => (inner[name] ??= {}), object)[last] = value;
}

/* Runs. */

/* Start a run with a text, which is shown in the text box. If it is refused, the text and its message stay, and the current run
 * continues. `encoded` are the bytes of the text, if it comes from a file. */
function load(text, encoded = text) {
  byId("json").value = text;
  if (!read(encoded, false)) return false;
  state.doc = JSON.parse(text.replace(/^\uFEFF/, ""));
  state.history = [];
  state.now = current();
  byId("title").textContent = state.now.title || "A flock";
  byId("preset").value = Object.keys(presets).find((name) => presets[name] === text) || "";
  document.title = (state.now.title || "A flock") + " - boids";
  byId("seed").value = state.now.seed;
  showScene();
  showControls();
  redraw();
  return true;
}

/* A string that no accepted configuration contains. */
const HOLE = "\0";

/* Give a key a value, JSON text that is read as it is. At step 0 no state depends on the old values, so the run starts again. */
function changeText(path, json) {
  const doc = structuredClone(state.doc), step = core.steps(), isLive = keys.get(path)?.isLive && step > 0;
  if (isLive) {
    const entries = (doc.schedule || []).filter((entry) => entry.at !== step), same = doc.schedule?.find((entry) => entry.at === step);
    entries.push({ at: step, set: { ...same?.set, [path]: HOLE } });
    doc.schedule = entries.sort((a, b) => a.at - b.at);
  } else {
    setValue(doc, path, HOLE);
  }
  const text = format(doc).replace(JSON.stringify(HOLE), () => json);
  if (!isLive) return load(text);
  if (!read(text, true)) return false;
  byId("json").value = text;
  state.doc = JSON.parse(text);
  state.now = current();
  showScene(true);
  redraw();
  return true;
}

const change = (path, value) => changeText(path, JSON.stringify(value));

/* The JSON text of a number that was typed: a whole number that would be rounded stays as it is. */
const textOfNumber = (typed) => /^[1-9]\d*$/.test(typed) ? typed : JSON.stringify(Number(typed));

/* The JSON text of a seed that was typed: a number if it can be one, otherwise a string. */
const textOfSeed = (typed) => /^(0|[1-9]\d*)$/.test(typed) && Number.isSafeInteger(Number(typed)) ? typed : JSON.stringify(typed);

function showScene(isSame) {
  const { world, flock, predators, obstacles, goals } = state.now, { margin } = world;
  const sides = typeof margin === "number" ? [margin, margin, margin, margin] : [margin.left, margin.right, margin.top, margin.bottom];
  const scene = {
    boids: flock.count, predators: predators.count, origin: [0, 0], size: [world.width, world.height], wraps: world.border === "wrap",
    world: { width: world.width, height: world.height, margin: world.border === "bounce" ? sides : [0, 0, 0, 0] },
    down: world.y_axis === "down", circles: obstacles.circles, goals: goals.points, radius: flock.cohesion.radius,
  };
  if (isSame) view.changeScene(scene);
  else view.setScene(scene);
  const plural = (n, word) => n.toLocaleString("en") + " " + word + (n === 1 ? "" : "s");
  byId("about").textContent = plural(flock.count, "boid") + (predators.count ? ", " + plural(predators.count, "predator") : "") + ", " + state.now.arithmetic;
}

/* Copy the agents to the view; each has x, y, vx, vy. */
function takeAgents() {
  const { x, y, turn, speed } = view, all = new Float64Array(core.memory.buffer, core.agents(), 4 * x.length);
  for (let i = 0; i < x.length; i++) {
    const vx = all[4 * i + 2], vy = all[4 * i + 3];
    x[i] = all[4 * i];
    y[i] = all[4 * i + 1];
    turn[i] = Math.atan2(vy, vx);
    speed[i] = Math.hypot(vx, vy);
  }
}

let isAwaited = false, last = 0, drawn = 0;
function redraw() {
  if (!isAwaited && state.now) { isAwaited = true; requestAnimationFrame(tick); }
}

/* Draw a frame. It makes the steps that are due, but stops when its time is used up. */
function tick(now) {
  isAwaited = false;
  const from = state.drawn;
  if (state.isPlaying) {
    state.debt = Math.min(state.debt + (now - last) / 1000 * RATE * state.speed, Math.max(2, 2 * state.speed));
    for (const begun = performance.now(); state.debt >= 0.95 && performance.now() - begun < 24; state.debt--)
      if (!advance(1)) break;
  }
  last = now;
  if (core.steps() > from && core.steps() > state.nextChange) showSchedule();
  state.drawn = core.steps();
  takeAgents();
  view.draw(Math.max(0, state.drawn - from));
  if (drawn++ % 6 === 0 || !state.isPlaying) showNumbers(now);
  if (state.isPlaying) redraw();
}

/* Update the controls after the schedule has changed keys. */
function showSchedule() {
  state.now = current();
  showScene(true);
  showControls();
}

function showNumbers(now) {
  const step = core.steps(), { rate } = state;
  byId("now").textContent = step.toLocaleString("en");
  byId("hash").textContent = hash();
  if (now - rate.since > 1000) {
    byId("rate").textContent = state.isPlaying && step > rate.steps ? Math.round((step - rate.steps) / (now - rate.since) * 1000) + " steps/s" : "";
    state.rate = { steps: step, since: now };
  }
  const measured = core.observables(); // may replace the buffer of the memory
  const values = Array.from(new Float64Array(core.memory.buffer, measured, measures.length));
  measures.forEach((name, k) => { byId("measure-" + name).value = values[k] || 0; byId("value-" + name).textContent = values[k].toFixed(3); });
  if (state.isPlaying || !state.history.length) state.history.push(values);
  if (state.history.length > 240) state.history.shift();
  drawChart();
  view.showLegend(byId("legend"));
}

/* The values of the observables in the last frames, each from 0 to 1. */
function drawChart() {
  const chart = byId("chart"), unit = Math.min(2, devicePixelRatio), width = chart.clientWidth * unit, height = chart.clientHeight * unit;
  if (chart.width !== width || chart.height !== height) Object.assign(chart, { width, height });
  const pen = chart.getContext("2d");
  pen.clearRect(0, 0, width, height);
  pen.lineWidth = 1.5 * unit;
  measures.forEach((name, k) => {
    pen.beginPath();
    pen.strokeStyle = view.ringColour(k ? 0.5 : 0.1);
    byId("value-" + name).style.color = pen.strokeStyle;
    state.history.forEach((values, i) => pen.lineTo(i / 239 * width, height - 3 - (height - 6) * (values[k] || 0)));
    pen.stroke();
  });
}

function play(isPlaying) {
  state.isPlaying = isPlaying;
  state.debt = 0;
  last = performance.now();
  state.rate = { steps: core.steps(), since: last };
  byId("play").textContent = isPlaying ? "Pause" : "Run";
  redraw();
}

function stepOnce() {
  play(false);
  advance(1);
  redraw();
}

/* Controls: one per key. */

/* The properties of the schema by path, in the order of the schema. Keys that the schedule may set can be changed during a run. */
function readKeys(schema) {
  const all = new Map(), live = schema.properties.schedule.items.properties.set.properties;
  const walk = (properties, prefix) => {
    for (const [name, key] of Object.entries(properties))
      if (key.properties) walk(key.properties, prefix + name + ".");
      else all.set(prefix + name, { ...key, isLive: prefix + name in live });
  };
  walk(schema.properties, "");
  return all;
}

const isKind = (key, type) => [].concat(key.type || key.oneOf?.[0].type || []).includes(type);
const make = (tag, properties, ...children) => {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
};

/* Create the sections and controls. A control shows its description while it is used. Output keys, files and texts have no control and are changed in the JSON. */
function makeControls() {
  const sections = new Map();
  const sectionOf = (names, isLive) => {
    const root = byId(isLive ? "controls" : "setup"), id = isLive + names.join(".");
    if (names.length === 0) return root;
    if (!sections.has(id)) {
      const details = make("details", { open: false }, make("summary", { textContent: names.at(-1) }));
      sectionOf(names.slice(0, -1), isLive).append(details);
      sections.set(id, details);
    }
    return sections.get(id);
  };
  for (const [path, key] of keys) {
    const names = path.split(".");
    if (["output", "schedule", "$schema", "title"].includes(names[0]) || path === "flock.init.file") continue;
    sectionOf(names.slice(0, -1), key.isLive).append(makeControl(path, key));
  }
  for (const id of ["trueflock", "trueflock.cohesion", "trueflock.alignment"]) if (sections.has(id)) sections.get(id).open = true;
}

function isJson(text) {
  try { JSON.parse(text); } catch { return false; }
  return true;
}

function rangeOf({ minimum, exclusiveMinimum, maximum }) {
  const low = exclusiveMinimum === undefined ? minimum === undefined ? "" : `at least ${minimum}` : `above ${exclusiveMinimum}`;
  const parts = [low, maximum === undefined ? "" : `at most ${maximum}`].filter(Boolean);
  return parts.length ? ` A number ${parts.join(", ")}.` : "";
}

const niceStep = (range) => 10 ** Math.floor(Math.log10(range / 100));

function makeControl(path, key) {
  const sentence = key.description + rangeOf(key.oneOf ? key.oneOf[0] : key) + (key.default === undefined ? "" : ` Default: ${JSON.stringify(key.default)}.`);
  const control = make("div", { className: "key", title: path + ": " + sentence }), id = "key-" + path;
  const set = (json) => { if (json !== undefined) changeText(path, json) || key.show(); };
  const name = make("label", { htmlFor: id, textContent: path.split(".").at(-1).replaceAll("_", " ") });
  const row = make("div", { className: "row" }, name);
  control.append(row, make("p", { textContent: sentence }));
  const isDefault = () => key.default !== undefined && JSON.stringify(valueOf(state.now, path)) === JSON.stringify(key.default);
  const show = key.enum ? choiceControl(id, key, row, set) : key.items?.type && key.minItems === 2 ? pairControl(id, row, set, control)
    : isKind(key, "number") || isKind(key, "integer") ? numberControl(id, path, key, row, control, set) : textControl(id, row, set);
  key.show = () => { show(valueOf(state.now, path)); control.classList.toggle("changed", !isDefault() && key.default !== undefined); };
  return control;
}

function choiceControl(id, key, row, set) {
  const list = make("select", { id, onchange: () => set(JSON.stringify(list.value)) }, ...key.enum.map((word) => make("option", { textContent: word })));
  row.append(list);
  return (value) => { list.value = value; };
}

function pairControl(id, row, set, control) {
  const inputs = [0, 1].map((k) => make("input", { type: "number", step: "any", id: k ? "" : id, onchange: () => set(`[${inputs.map((input) => textOfNumber(input.value)).join(", ")}]`) }));
  inputs[1].ariaLabel = "second";
  control.classList.add("pair");
  row.append(...inputs);
  return (value) => inputs.forEach((input, k) => { input.value = value[k]; });
}

/* A text field for JSON, such as lists and margins with four sides. */
function textControl(id, row, set) {
  const input = make("input", { type: "text", id, onchange: () => set(isJson(input.value) ? input.value : JSON.stringify(input.value)) });
  row.append(input);
  return (value) => { input.value = typeof value === "string" ? value : JSON.stringify(value); };
}

/* A number field, a slider and, for keys that may be null or "flock", a check box. */
function numberControl(id, path, key, row, control, set) {
  const bounds = key.oneOf ? key.oneOf[0] : key, low = bounds.minimum ?? bounds.exclusiveMinimum ?? 0;
  const empty = key.oneOf?.some((kind) => kind.const) ? "flock" : isKind(key, "null") ? null : undefined;
  const slider = make("input", { type: "range", ariaLabel: path });
  const field = make("input", { type: "number", step: "any", id });
  let pending = 0, wanted, lastValue;
  const box = make("input", { type: "checkbox", ariaLabel: `${path}: ${empty}`, onchange: () => set(JSON.stringify(box.checked ? empty : lastValue ?? Number(slider.max) / 2)) });
  /* Add at most ten changes per second to the schedule. */
  slider.oninput = () => {
    field.value = wanted = Number(slider.value);
    pending ||= setTimeout(() => { pending = 0; set(JSON.stringify(wanted)); }, key.isLive ? 100 : 250);
  };
  field.onchange = () => set(field.value === "" ? JSON.stringify(empty) : (isKind(key, "string") ? textOfSeed : textOfNumber)(field.value));
  row.append(...(empty === undefined ? [] : [make("label", { className: "null" }, box, empty === null ? " none" : " flock")]), field);
  if (path !== "seed") control.append(make("div", { className: "row" }, slider));
  return (value) => {
    const isEmpty = typeof value !== "number" && empty !== undefined, shown = isEmpty ? "" : value;
    box.checked = isEmpty;
    if (typeof value === "number") lastValue = value;
    if (document.activeElement !== field || field.value === "") field.value = typeof shown === "object" ? "" : shown;
    if (document.activeElement === slider && !isEmpty) return;
    const top = bounds.maximum < 1e4 ? bounds.maximum : Math.max(4 * (value || 0), 4 * (Number(key.default) || 0), key.type === "integer" ? 10 : 1);
    Object.assign(slider, { min: low, max: top, step: key.type === "integer" ? 1 : niceStep(top - low) });
    slider.value = isEmpty ? top : value;
    slider.hidden = isEmpty;
  };
}

function showControls() {
  for (const { show } of keys.values()) show?.();
  state.nextChange = Math.min(Infinity, ...(state.doc.schedule || []).map((entry) => entry.at).filter((at) => at >= core.steps()));
}

/* Clicks on the canvas. */

function click(event) {
  const [x, y] = view.toWorld(event).map((value) => Number(value.toPrecision(5))), { size } = view.scene;
  if (!state.tool) return view.follow(view.pick(event));
  const isGoal = state.tool === "goal", path = isGoal ? "goals.points" : "obstacles.circles", list = valueOf(state.now, path);
  const radius = Number((0.04 * Math.min(...size)).toPrecision(2)), reach = 14 * view.unit / view.lens().scale;
  const rest = list.filter(([a, b, r]) => Math.hypot(a - x, b - y) > (r || reach));
  return change(path, rest.length < list.length ? rest : [...list, isGoal ? [x, y] : [x, y, radius]]);
}

function useTool(tool) {
  state.tool = state.tool === tool ? "" : tool;
  for (const id of ["obstacle", "goal"]) byId(id).setAttribute("aria-pressed", state.tool === id);
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
  setTimeout(() => { button.textContent = textContent; }, 900);
}

function save(name, blob) {
  const link = make("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

const command = () => `boids -c ${FILE} -n ${core.steps() || state.now.steps} --hash ${core.steps() || state.now.steps}`;
const link = () => location.href.split("#")[0] + "#config=" + encodeURIComponent(JSON.stringify(state.doc));

/* Read a file: a configuration, or a saved player page, which contains the configuration of its run. */
async function openFile(file) {
  const encoded = new Uint8Array(await file.arrayBuffer()), text = new TextDecoder().decode(encoded);
  const run = /<script id="run" type="application\/json">(.*?)(<\/script>|$)/s.exec(text);
  if (!run) return load(text, encoded) && play(true);
  if (!isJson(run[1])) return say(`${file.name}: this page is damaged, so its configuration cannot be read; save it again`);
  const config = JSON.parse(run[1])?.config;
  if (!config) return say(`${file.name}: this page carries no configuration; it was made from a file without one`);
  return load(format(config)) && play(true);
}

/* What follows #config= or #preset= in the address, which may be cut within a character such as %C3%A4. */
function partOfAddress(encoded) {
  try { return decodeURIComponent(encoded); } catch { throw new Error("the address of this page is damaged; copy the whole link again"); }
}

/* The JSON that the address names by #config=JSON or #preset=NAME, or the default preset. */
function textOfAddress() {
  const { hash } = location, [, kind, rest] = /^#(config|preset)=(.*)/s.exec(hash) || [];
  if (!hash) return presets.murmuration;
  if (!kind) throw new Error(`the address of this page ends with ${hash}; it must be #preset=NAME or #config=JSON`);
  const text = partOfAddress(rest);
  if (kind === "config") return text;
  if (!(text in presets)) throw new Error(`there is no preset "${text}"; choose one from the menu`);
  return presets[text];
}

/* Start the flock of the address. If it is refused, its message stays, and the current run continues or that of the default preset
 * starts. */
function loadFromLink() {
  let text = byId("json").value, isGood = false;
  try {
    text = textOfAddress();
    isGood = load(text);
  } catch (error) {
    say(error.message);
  }
  if (isGood && location.hash.startsWith("#config=")) byId("json").value = format(state.doc); /* a link has one long line */
  if (state.now) return isGood;
  const sentence = message;
  load(presets.murmuration);
  byId("json").value = text || presets.murmuration;
  say(sentence.replace("boids: ", ""));
  return false;
}

function choose(id, by) {
  const list = byId(id), count = list.options.length;
  list.selectedIndex = id === "colour" ? (list.selectedIndex + by) % count : clamp(list.selectedIndex + by, 0, count - 1);
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

const middle = () => { const box = byId("view").getBoundingClientRect(); return { clientX: box.left + box.width / 2, clientY: box.top + box.height / 2 }; };
const setSeed = (typed) => changeText("seed", textOfSeed(typed));
const nextSeed = () => setSeed(String(BigInt(state.now.seed) + 1n));
const restart = () => load(byId("json").value);
const fullScreen = () => document.fullscreenElement ? document.exitFullscreen() : document.querySelector("main").requestFullscreen();
const shortcuts = {
  " ": () => play(!state.isPlaying), ArrowRight: stepOnce, ArrowUp: () => choose("speed", 1), ArrowDown: () => choose("speed", -1),
  r: restart, n: nextSeed, c: () => choose("colour", 1), t: () => setTrails(!view.hasTrails), l: () => setTheme(!view.isLight), f: fullScreen,
  o: () => useTool("obstacle"), g: () => useTool("goal"), "+": () => view.zoomAt(middle(), 1.25), "-": () => view.zoomAt(middle(), 0.8),
  Escape: () => { useTool(""); view.follow(-1); },
};

function listen() {
  const on = (id, call) => { byId(id).onclick = call; };
  on("play", () => play(!state.isPlaying));
  on("one", stepOnce);
  on("again", restart);
  on("reseed", nextSeed);
  byId("seed").onchange = (event) => setSeed(event.target.value);
  on("trails", () => setTrails(!view.hasTrails));
  on("obstacle", () => useTool("obstacle"));
  on("goal", () => useTool("goal"));
  on("theme", () => setTheme(!view.isLight));
  on("full", fullScreen);
  on("open", () => byId("file").click());
  on("copy-json", (event) => copy(event.target, byId("json").value));
  on("copy-command", (event) => copy(event.target, command()));
  on("copy-link", (event) => copy(event.target, link()));
  on("save-json", () => save(FILE, new Blob([byId("json").value], { type: "application/json" })));
  on("save-picture", () => byId("view").toBlob((blob) => save(`flock-${core.steps()}.png`, blob)));
  on("message", showLine);
  byId("file").onchange = (event) => { if (event.target.files[0]) openFile(event.target.files[0]); };
  byId("preset").onchange = (event) => { history.replaceState(null, "", "#preset=" + event.target.value); load(presets[event.target.value]); play(true); };
  byId("speed").onchange = (event) => { state.speed = Number(event.target.value); };
  byId("colour").onchange = (event) => view.setColour(event.target.value);
  let typing = 0;
  byId("json").oninput = () => { clearTimeout(typing); typing = setTimeout(restart, 400); };
  addEventListener("keydown", (event) => {
    const call = shortcuts[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!call || event.ctrlKey || event.metaKey || event.altKey || /^(SELECT|INPUT|TEXTAREA)$/.test(event.target.tagName)) return;
    if (event.key === " " && event.target.tagName === "BUTTON") return;
    event.preventDefault();
    call();
  });
  addEventListener("dragover", (event) => { event.preventDefault(); document.body.classList.add("dropping"); });
  addEventListener("dragleave", (event) => { if (!event.relatedTarget) document.body.classList.remove("dropping"); });
  addEventListener("drop", (event) => {
    event.preventDefault();
    document.body.classList.remove("dropping");
    if (event.dataTransfer.files[0]) openFile(event.dataTransfer.files[0]);
  });
  addEventListener("hashchange", () => { if (loadFromLink()) play(true); });
  view.listen(click);
}

/* Select the line in the text box that the message names. */
function showLine() {
  const line = Number(/^boids: [^:]*:(\d+):/.exec(message)?.[1] || 0), box = byId("json");
  if (!line) return;
  const lines = box.value.split("\n"), begin = lines.slice(0, line - 1).join("\n").length + (line > 1);
  byId("text").open = true;
  box.focus();
  box.setSelectionRange(begin, begin + lines[line - 1].length);
}

function fillLists() {
  const titles = Object.entries(presets).map(([name, text]) => make("option", { value: name, textContent: name, title: JSON.parse(text).title }));
  byId("preset").append(make("option", { value: "", textContent: "own configuration", hidden: true }), ...titles);
  byId("speed").append(...SPEEDS.map((speed) => make("option", { value: speed, textContent: `${speed}×`, selected: speed === 1 })));
  byId("colour").append(...COLOURS.map((colour) => make("option", { textContent: colour })));
  for (const name of measures)
    byId("measures").append(make("dt", { textContent: name.replaceAll("_", " ") }),
                            make("dd", {}, make("span", { id: "value-" + name }), make("meter", { id: "measure-" + name, min: 0, max: 1 })));
}

const ready = start().catch((error) => {
  byId("message").textContent = `This browser cannot run the page (${error.message}); one of 2023 or later can.`;
  throw error;
}).then(() => {
  fillLists();
  makeControls();
  view.setScene({ boids: 0, predators: 0, origin: [0, 0], size: [1, 1], world: null, circles: [], goals: [] });
  setTheme(matchMedia("(prefers-color-scheme: light)").matches);
  listen();
  loadFromLink();
  play(!matchMedia("(prefers-reduced-motion: reduce)").matches);
});

/* Functions for tests and the console. load() and step() pause the page. step() makes `count` steps and returns the step number. */
window.boids = {
  async load(json) {
    await ready;
    const text = typeof json === "string" ? json : format(json);
    if (!load(text)) throw new Error(message);
    play(false);
  },
  async step(count = 1) {
    await ready;
    play(false);
    if (!advance(count)) throw new Error(message);
    redraw();
    return core.steps();
  },
  async hash() { await ready; return hash(); },
  async message() { await ready; return message; },
};
