/* Reading, copying and saving: configurations, tables, films and links. */

const SOURCE = document.documentElement.outerHTML; /* before anything has changed */

const command = () =>
  `boids -c ${FILE} -n ${state.step || state.now.steps} --hash ${state.step || state.now.steps}`;

/* The keys of a configuration and their JSON texts. */
const leaves = (object, prefix = "") =>
  Object.assign(
    {},
    ...Object.entries(object).map(([name, value]) =>
      value && typeof value === "object" && !Array.isArray(value)
        ? leaves(value, prefix + name + ".")
        : { [prefix + name]: JSON.stringify(value) },
    ),
  );

/* What the address of this flock ends with: its preset and the keys that differ from it, or else the whole configuration. */
function hashOfLink() {
  const config = JSON.parse(textOfRestart()),
    { preset } = state,
    known = leaves(JSON.parse(presets[preset] || "{}")),
    now = leaves(config);
  const parts = Object.entries(now)
    .filter(([path, json]) => known[path] !== json)
    .map(([path, json]) => `&${path}=${encodeURIComponent(json)}`);
  return preset && Object.keys(known).every((path) => path in now)
    ? `#preset=${preset}${parts.join("")}`
    : `#config=${encodeURIComponent(JSON.stringify(config))}`;
}
const link = () => location.href.split("#")[0] + hashOfLink();
/* Write this flock to the address `old`, unless the person has typed another one. */
const keepAddress = atMostOften((old) => {
  if (location.protocol !== "about:" && location.href === old)
    history.replaceState(null, "", link());
}, 500);

/* A CSV file: the step, also as the time, and these values of each row; join() makes an undefined one an empty field. */
function saveTable(name, columns, rows) {
  const { digits } = state.now.output,
    rounded = (value) => (typeof value === "number" ? Number(value.toPrecision(digits)) : value),
    lines = rows.map(([step, ...values]) => [step, step, ...values.map(rounded)]);
  const text = [["step", "time", ...columns], ...lines, ""].join("\n");
  save(name, new Blob([text], { type: "text/csv" }));
}

/* The boids as a frame that boids-plot reads, and the observables that are shown. */
async function saveBoids() {
  const { step, agents } = await ask({ call: "agents" });
  saveTable(
    `flock-${step}.csv`,
    ["id", "type", "x", "y", "vx", "vy"],
    Array.from(view.x, (_, i) => [
      step,
      String(i),
      i < view.scene.boids ? "boid" : "predator",
      ...agents.subarray(4 * i, 4 * i + 4),
    ]),
  );
}

function saveObservables() {
  const names = namesShown().split(","),
    rows = state.samples.map((sample) => [sample.step, ...names.map((name) => sample[name])]);
  saveTable("observables.csv", names, rows);
}

/* The page itself, which begins with this flock and the values that the sliders show, as its address does; the module is its end. */
function savePage() {
  const page = (SOURCE + byId("module").outerHTML).replace(
    /(<script id="start"[^>]*>)[^<]*/,
    "$1" + hashOfLink(),
  );
  save("flock.html", new Blob(["<!DOCTYPE html>\n", page], { type: "text/html" }));
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
    save(`flock.${mimeType.slice(6)}`, new Blob(parts, { type: mimeType }));
  };
  recorder.start(1000);
  byId("film").textContent = "End film";
  return play(true);
}

/* Read a file: a configuration, or a page that contains one: that of a player, or that of savePage(). */
async function openFile(file) {
  const refuse = (sentence) => say(`${file.name}${sentence}`);
  if (file.size > 1e8)
    return refuse(` has ${Math.round(file.size / 1e6)} MB; a configuration is smaller`);
  const encoded = new Uint8Array(await file.arrayBuffer()),
    text = new TextDecoder().decode(encoded);
  const [, id, found] =
    /<script id="(run|start)" type="[a-z/]*">(.*?)(<\/script>|$)/s.exec(text) || [];
  if (!id) return playIf(load(text, { file: file.name, encoded }));
  if (id === "start" && found) return goTo(found);
  if (found && !isJson(found))
    return refuse(": this page is damaged, so its configuration cannot be read; save it again");
  const config = found && JSON.parse(found)?.config;
  if (!config)
    return refuse(": this page contains no configuration; it was made from a file without one");
  return playIf(load(format(config), { file: file.name }));
}

const addressOf = () => location.hash || location.search || byId("start").textContent;

/* The JSON that the address names by #config=JSON, #preset=NAME or #preset=NAME&KEY=VALUE, also after ?, or the default preset; and the
 * name of a preset. */
function textOfAddress() {
  const address = addressOf(),
    [, kind, rest] = /^[#?](config|preset)=(.*)/s.exec(address) || [];
  if (!address) return [presets.murmuration];
  if (!kind)
    throw new Error(
      `the address of this page ends with ${address}; it must be #preset=NAME, #preset=NAME&KEY=VALUE or #config=JSON`,
    );
  if (kind === "config") return [decodeURIComponent(rest)];
  const [name, ...changes] = rest.split("&").map(decodeURIComponent);
  if (!Object.hasOwn(presets, name))
    throw new Error(`there is no preset "${name}"; choose one from the menu`);
  const texts = {};
  for (const change of changes) {
    const [, path, json] = /^([^=]*)=?(.*)/s.exec(change);
    texts[path] = path === "seed" ? textOfSeed(json) : textOf(json);
  }
  return [withTexts(presets[name], texts), name];
}

/* Start the flock of the address. If it is refused, its message is shown, and the current run continues; if there is no
 * run, the default preset starts, and the text box shows the text of the address. */
async function loadFromLink() {
  let text, preset, isGood;
  try {
    [text, preset] = textOfAddress();
    isGood = await load(text, { file: "link", preset });
  } catch (error) {
    const isCut = error instanceof URIError; /* inside a character such as %C3%A4 */
    say(isCut ? "the address of this page is damaged; copy the whole link again" : error.message);
  }
  /* A link has one long line. */
  if (isGood && location.hash.startsWith("#config="))
    state.base = state.text = byId("json").value = format(JSON.parse(text));
  if (state.now) return isGood;
  const sentence = message;
  await load(presets.murmuration);
  byId("json").value = text || presets.murmuration;
  say(sentence.replace("boids: ", ""));
  return false;
}
