/* The player of a run (player.html): plays the frames that player.py has packed. It shares the scope of drawing.js. */
const run = JSON.parse(document.getElementById("run").textContent);
const byId = (id) => document.getElementById(id);
const canvas = byId("view"),
  view = new FlockView(canvas, run.rings, () => redraw());
const frames = run.steps.length,
  count = run.boids + run.predators;
const TRAIL = 24; // frames that are played again for the trails of a frame that was sought
const state = { at: 0, isPlaying: false, speed: 1, shown: -1 };
let places, headings, speeds; // of all agents and frames: [x, y], turns of 256, 256 to the fastest

// The numbers, as player.py packed them.

async function unpack() {
  const bytes = Uint8Array.from(atob(run.data), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  const all = new Uint8Array(await new Response(stream).arrayBuffer());
  const n = frames * count;
  const part = (k) => all.subarray(k * n, (k + 1) * n);
  places = [add(add(join(part(0), part(1)))), add(add(join(part(2), part(3))))];
  headings = add(part(4));
  speeds = add(part(5));
}

function join(low, high) {
  const values = new Uint16Array(low.length);
  for (let i = 0; i < low.length; i++) values[i] = low[i] | (high[i] << 8);
  return values;
}

// Undo a difference from frame to frame, in place; the arrays' own numbers wrap as those of Python did.
function add(values) {
  for (let i = count; i < values.length; i++) values[i] += values[i - count];
  return values;
}

// Frames.

const axis = (a, value) => run.origin[a] + (value - run.levels) * run.step;

// Where an agent is between two frames; one that jumped across the seam of a torus stays where it was.
function placeAt(agent, at) {
  const k = Math.min(Math.floor(at), frames - 1),
    part = at - k;
  const i = k * count + agent;
  const place = [places[0][i], places[1][i]];
  if (part > 0 && k + 1 < frames)
    for (const a of [0, 1]) {
      const hop = places[a][i + count] - place[a];
      if (Math.abs(hop) < run.levels / 4) place[a] += part * hop;
    }
  return [axis(0, place[0]), axis(1, place[1])];
}

// Put the agents of a time into the view, with the obstacles and goals as the schedule has left them.
function take(at) {
  const k = Math.min(Math.floor(at), frames - 1),
    stages = run.world ? run.world.stages : [];
  for (let i = 0; i < count; i++) {
    [view.x[i], view.y[i]] = placeAt(i, at);
    view.turn[i] = (headings[k * count + i] * Math.PI) / 128;
    view.speed[i] = (speeds[k * count + i] * run.fastest) / 255;
  }
  const [, circles, goals] = stages.filter(([from]) => from <= run.steps[k]).pop() ||
    stages[0] || [0, [], []];
  const config = run.config ?? {},
    key = "flock.cohesion.radius";
  const radius = (config.schedule ?? []).reduce(
    (now, { at: from, set }) => (from < run.steps[k] && key in set ? set[key] : now),
    config.flock?.cohesion?.radius,
  );
  if (view.scene.circles !== circles || view.scene.radius !== radius)
    view.changeScene({ circles, goals, radius });
}

function draw() {
  const { at, shown } = state,
    k = Math.min(Math.floor(at), frames - 1);
  const isNext = view.hasLast && at >= shown && at - shown <= 4;
  if (!isNext && view.hasTrails) {
    view.forget();
    for (let j = Math.max(0, k - TRAIL); j < k; j++) {
      take(j);
      view.skip();
    }
  }
  take(at);
  view.draw(isNext ? at - shown : 1);
  state.shown = at;
  byId("scrub").value = k;
  view.showLegend(byId("legend"));
  const here = places[0].subarray(k * count, k * count + run.boids).filter((x) => x < 65535).length;
  byId("now").textContent =
    "step " +
    run.steps[k] +
    (here < run.boids ? ", " + here + " of them" : "") +
    (view.followed < 0
      ? ""
      : view.followed < run.boids
        ? ", following boid " + view.followed
        : ", following predator " + (view.followed - run.boids));
}

// Time. What is drawn depends on the state alone, so it is drawn when that has changed.

let isAwaited = false,
  last = 0;
function tick(now) {
  isAwaited = false;
  if (state.isPlaying) {
    state.at += Math.min(0.25, (now - last) / 1000) * run.fps * state.speed;
    if (state.at > frames - 1) state.at = 0;
  }
  last = now;
  draw();
  if (state.isPlaying) redraw();
}
function redraw() {
  if (!isAwaited && places) {
    isAwaited = true;
    requestAnimationFrame(tick);
  }
}

function play(isPlaying) {
  state.isPlaying = isPlaying;
  last = performance.now();
  byId("play").textContent = isPlaying ? "Pause" : "Play";
  redraw();
}

function go(k) {
  state.at = Math.max(0, Math.min(frames - 1, k));
  play(false);
}

const isLight = () => view.isLight;
function light(isLight) {
  view.setTheme(isLight);
  byId("theme").textContent = isLight ? "Dark" : "Light";
}

function trails(hasTrails) {
  view.hasTrails = hasTrails;
  byId("trails").setAttribute("aria-pressed", hasTrails);
  view.forget();
  redraw();
}

function choose(id, by) {
  const list = byId(id),
    last = list.options.length - 1;
  list.selectedIndex =
    id === "colour"
      ? (list.selectedIndex + by) % (last + 1)
      : clamp(list.selectedIndex + by, 0, last);
  list.dispatchEvent(new Event("change"));
}

const fullScreen = () =>
  document.fullscreenElement
    ? document.exitFullscreen()
    : document.documentElement.requestFullscreen();

const keys = {
  " ": () => play(!state.isPlaying),
  ArrowLeft: (event) => go(Math.ceil(state.at) - (event.shiftKey ? 10 : 1)),
  ArrowRight: (event) => go(Math.floor(state.at) + (event.shiftKey ? 10 : 1)),
  ArrowUp: () => choose("speed", 1),
  ArrowDown: () => choose("speed", -1),
  Home: () => go(0),
  End: () => go(frames - 1),
  Escape: () => view.follow(-1),
  f: () => view.follow((view.followed + 1) % count),
  c: () => choose("colour", 1),
  t: () => trails(!view.hasTrails),
  l: () => light(!isLight()),
  s: fullScreen,
};

function savePicture() {
  canvas.toBlob((blob) => {
    const link = Object.assign(document.createElement("a"), {
      href: URL.createObjectURL(blob),
      download: byId("title").textContent + ".png",
    });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  });
}

function listen() {
  addEventListener("keydown", (event) => {
    const key = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!key || event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "SELECT")
      return;
    event.preventDefault();
    key(event);
  });
  byId("play").onclick = () => play(!state.isPlaying);
  byId("scrub").oninput = (event) => go(Number(event.target.value));
  byId("speed").onchange = (event) => {
    state.speed = Number(event.target.value);
  };
  byId("colour").onchange = (event) => {
    view.setColour(event.target.value);
  };
  byId("trails").onclick = () => trails(!view.hasTrails);
  byId("theme").onclick = () => light(!isLight());
  byId("full").onclick = fullScreen;
  byId("picture").onclick = savePicture;
  byId("copy").onclick = () => {
    getSelection().selectAllChildren(byId("config"));
    document.execCommand("copy");
    byId("copy").textContent = "Copied";
  };
  view.listen((event) => {
    take(state.at);
    view.follow(view.pick(event));
  });
}

// #step=120 shows that step and waits; without it the run begins at once, unless the reader wants little motion.
function begin() {
  const wanted = /(?:^#|&)step=(\d+)/.exec(location.hash),
    isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
  document.body.classList.toggle("embed", /(?:^#|&)embed(&|$)/.test(location.hash));
  if (!wanted) return play(frames > 1 && !isStill);
  const k = run.steps.findIndex((step) => step >= Number(wanted[1]));
  go(k < 0 ? frames - 1 : k);
}

function showAbout() {
  const plural = (n, word) => n.toLocaleString("en") + " " + word + (n === 1 ? "" : "s");
  const title = run.title || run.name;
  document.title = title;
  byId("title").textContent = title;
  byId("about").textContent =
    plural(run.boids, "boid") +
    (run.predators ? ", " + plural(run.predators, "predator") : "") +
    (view.hasMargin() ? "; beyond the dashes they turn back" : "");
  canvas.setAttribute("aria-label", "A flock: " + byId("about").textContent);
  byId("scrub").max = frames - 1;
  if (!run.config) return;
  byId("made").hidden = false;
  byId("config").textContent = format(run.config);
  byId("live").href = "boids.html#config=" + encodeURIComponent(JSON.stringify(run.config));
}

view.setScene({
  ...run,
  circles: [],
  goals: [],
  radii: ["separation", "alignment", "cohesion"].map((rule) => run.config?.flock?.[rule]?.radius),
});
byId("colour").append(
  ...COLOURS.map((colour) =>
    Object.assign(document.createElement("option"), { textContent: colour }),
  ),
);
showAbout();
unpack()
  .then(() => {
    listen();
    light(matchMedia("(prefers-color-scheme: light)").matches);
    trails(true);
    begin();
  })
  .catch((error) => {
    byId("said").hidden = false;
    byId("said").textContent =
      "This browser cannot unpack the run (" + error.message + "); one of 2023 or later can.";
  });
