/* Controls: one per key that the core lists. Output keys, files and texts have none and are changed in the JSON. */

const nameOf = (path) => path.replace(/[._]/g, " ");
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
let keys = {};
let synonyms = {}; /* of the keys: words of other programs, and what they mean */

/* Create the first controls, and all controls in sections. A control shows its description while it is used, and after a click or tap
 * on its name. */
function makeControls(about) {
  ({ keys, synonyms } = about);
  for (const [name, ...paths] of FIRST)
    for (const path of paths) byId("first").append(makeControl(path, keys[path], name, paths));
  const sectionOf = (names, root) => {
    const id = [root, ...names].join("."),
      known = byId(id);
    if (known) return known;
    const details = make("details", { id }, make("summary", {}, names.at(-1)));
    sectionOf(names.slice(0, -1), root).append(details);
    return details;
  };
  for (const [path, key] of Object.entries(keys)) {
    sectionOf(path.split(".").slice(0, -1), key.isLive ? "controls" : "setup").append(
      makeControl(path, key),
    );
  }
}

/* Show what `boids --help WORD` finds: keys and observables with words that begin with those typed, and what a word of other programs
 * means. */
function search(typed) {
  const words = typed.split(/[\s._]+/).filter(Boolean),
    begins = words.map((word) => new RegExp("(?<![a-z0-9])" + word.replace(/\W/g, "\\$&"), "i")),
    asked = ` ${typed.toLowerCase().replace(/[-_]/g, "")} `,
    [, meant = ""] =
      (words.length && Object.entries(synonyms).find(([all]) => all.includes(asked))) || [];
  for (const item of document.querySelectorAll("[data-about]")) {
    const { about } = item.dataset,
      [name] = about.split(" ");
    item.hidden = !begins.every((begin) => begin.test(about)) && !meant.split(" ").includes(name);
  }
  byId("also").textContent = meant
    ? `See also: ${meant}`
    : document.querySelector("[data-about]:not([hidden])")
      ? ""
      : "Nothing is found.";
  for (const details of document.querySelectorAll("details:has([data-about])")) {
    details.hidden = !details.querySelector("[data-about]:not([hidden])");
    details.open = words.length > 0;
  }
}

/* The JSON text of a number that was typed. A whole number is kept as typed, because it could be rounded. */
const textOfNumber = (typed) => (/^[1-9]\d*$/.test(typed) ? typed : JSON.stringify(Number(typed)));

/* The JSON text of a seed that was typed, with or without quotes: a number if it can be one, otherwise a string. */
const textOfSeed = (typed) =>
  /^(0|[1-9]\d*)$/.test(typed) && Number.isSafeInteger(Number(typed))
    ? typed
    : JSON.stringify(typed.replaceAll('"', ""));

function isJson(text) {
  try {
    JSON.parse(text);
  } catch {
    return false;
  }
  return true;
}

/* The JSON text of what was typed: JSON, or else a string. */
const textOf = (typed) => (isJson(typed) ? typed : JSON.stringify(typed));

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
  const { isWhole, low, above, high, usual, multipleOf } = key,
    { width, height } = state.now.world,
    number = typeof value === "number" ? value : 0;
  const base =
    Math.abs(number) ||
    Number(usual) ||
    (/radius|margin/.test(path) ? Math.min(width, height) / 4 : 1);
  const max = high < 1e4 ? high : Number(Math.max(4 * base, isWhole ? 10 : 0).toPrecision(12)),
    least = low ?? above ?? (number < 0 ? -max : 0);
  const most = Math.min(Math.abs(number) / 50 || Infinity, (max - least) / 100),
    step = multipleOf ?? (isWhole ? 1 : niceStep(most, number));
  return { min: above === undefined ? least : above + step, max, step };
}

/* `first` is its name among the first sliders. */
function makeControl(path, key, first = "", [one, other] = []) {
  const control = byId("control").content.firstElementChild.cloneNode(true),
    [row, reason, help] = control.children,
    [name] = row.children,
    id = (first && "first-") + "key-" + path,
    title = (first && first + ": ") + nameOf(path),
    { description, range, usual } = key;
  let refused; /* the field with a text that was refused and stays for correction */
  const set = async (json, typed) => {
    if (json === undefined) return;
    const text = typed?.value,
      isGood = await changeKey(path, json);
    mark(isGood ? null : typed);
    if (!isGood) show();
    if (refused) refused.value = text;
  };
  const mark = (input) => {
    refused?.removeAttribute("aria-invalid");
    refused = input;
    refused?.setAttribute("aria-invalid", "true");
  };
  Object.assign(name, {
    htmlFor: id,
    textContent: first || path.split(".").at(-1).replaceAll("_", " "),
    title: path,
    onclick: (event) => {
      event.preventDefault();
      control.classList.toggle("explained");
    },
  });
  help.id = `help-${id.replace("key-", "")}`;
  help.textContent = `${path}: ${description}`;
  if (range) help.append(` Range: ${range}.`);
  if (usual !== undefined) help.append(` Default: ${JSON.stringify(usual)}.`);
  control.dataset.path = path;
  if (!first) control.dataset.about = `${path} ${description}`;
  const makeFields = { number: numberControl, pair: pairControl, text: textControl }[key.kind],
    showValue = makeFields({ id, title, path, key, row, control, set, first, show: () => show() }),
    field = row.querySelector(`[id="${id}"]`);
  field.ariaLabel = title;
  field.setAttribute("aria-describedby", help.id);
  const show = () => {
    const value = valueOf(state.now, path);
    if (state.hasNewRanges) mark(null);
    if (!refused) showValue(value);
    reason.textContent = state.blocked[path] ?? "";
    for (const input of control.querySelectorAll("input, select"))
      input.disabled = reason.textContent !== "";
    const isUsual = usual === undefined || JSON.stringify(value) === JSON.stringify(usual);
    control.classList.toggle("changed", !first && !isUsual);
    if (other) control.hidden = path !== (valueOf(state.now, other) ? other : one);
  };
  shows.push(show);
  return control;
}

function pairControl({ id, title, row, set, control }) {
  const onchange = ({ target }) =>
      set(`[${inputs.map(({ value }) => textOfNumber(value)).join(", ")}]`, target),
    inputs = [id, ""].map((id) => make("input", { type: "number", step: "any", id, onchange }));
  inputs[1].ariaLabel = `${title}, second`;
  control.classList.add("pair");
  row.append(...inputs);
  return (values) =>
    values.forEach((value, k) => {
      inputs[k].value = value;
    });
}

/* A list of choices, or a text field for JSON, such as lists and margins with four sides. */
function textControl({ id, key, row, set }) {
  const field = key.names
    ? make("select", { id }, ...key.names.map((word) => new Option(word)))
    : make("input", { type: "text", id });
  field.onchange = () => set(textOf(field.value), field);
  row.append(field);
  return (value) => {
    field.value = typeof value === "string" ? value : JSON.stringify(value);
  };
}

/* Call `call` at most once in `wait` milliseconds, with the last argument; the schedule gets an entry for each call. */
function atMostOften(call, wait = 200) {
  let timer = 0,
    argument;
  return {
    isWaiting: () => timer !== 0,
    call: (value) => {
      argument = value;
      timer ||= setTimeout(() => {
        timer = 0;
        call(argument);
      }, wait);
    },
  };
}

/* A number field, whose arrows make the steps of a slider, a slider and, for keys that may be null or "flock", a check box. The range of
 * a slider changes with the preset, or if the value lies at or beyond its end, but not while a pointer or a key holds the slider. A touch
 * does not focus it, nor does a mouse in Safari. */
function numberControl({ id, title, path, key, row, control, set, first, show }) {
  const { isWhole, empty, usual } = key,
    word = empty ?? "none";
  const slider = make("input", { type: "range", ariaLabel: `${title} slider` }),
    field = make("input", { type: "number", id }),
    box = make("input", { type: "checkbox", ariaLabel: `${title}: ${word}` }),
    later = atMostOften((value) => set(JSON.stringify(value)));
  let lastNumber,
    isHeld = false,
    releasing = 0;
  const hold = () => {
    clearTimeout(releasing);
    isHeld = true;
  };
  const release = () => {
    hold();
    releasing = setTimeout(() => {
      isHeld = false;
      show();
    }, PATIENCE);
  };
  box.onchange = () => {
    const number = [
      lastNumber,
      valueOf(state.now, path.replace("predators", "flock")),
      usual,
      (Number(slider.min) + Number(slider.max)) / 2,
    ].find((value) => typeof value === "number");
    set(JSON.stringify(box.checked ? empty : isWhole ? Math.round(number) : number));
  };
  slider.oninput = () => {
    hold();
    field.value = slider.value;
    later.call(Number(slider.value));
  };
  on(slider, "pointerdown touchstart", hold);
  on(slider, "change pointerup pointercancel touchend touchcancel", release);
  field.onchange = () => {
    const read = path === "seed" ? textOfSeed : textOfNumber;
    set(field.value === "" ? JSON.stringify(empty) : read(field.value), field);
  };
  slider.onblur = field.onblur = show;
  if (empty !== undefined && !first)
    row.append(make("label", { className: "null" }, box, " " + word));
  row.append(field);
  if (first) field.before(slider);
  else if (path !== "seed") control.append(make("div", { className: "row" }, slider));
  return (value) => {
    const isNumber = typeof value === "number",
      { min, max } = slider,
      isBeyond = value < min || value >= Number(max) || (value > 0 && value < max / 200),
      scale = scaleOf(path, key, value),
      { activeElement } = document;
    if (later.isWaiting() || isHeld) return;
    box.checked = value === empty;
    if (activeElement !== field || field.value === "")
      field.value = value === empty || typeof value === "object" ? "" : value;
    if (state.hasNewRanges || (isBeyond && activeElement !== slider)) Object.assign(slider, scale);
    field.step = scale.step;
    if (isNumber) slider.value = lastNumber = value;
    slider.hidden = !isNumber;
  };
}

function showControls() {
  for (const show of shows) show();
  state.hasNewRanges = false;
}
