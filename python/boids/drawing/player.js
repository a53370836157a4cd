/* The player of a run (player.html): plays the frames that player.py has packed. It shares the scope of drawing.js and common.js. */

const run = JSON.parse(byId("run").textContent),
  frames = run.steps.length,
  count = run.boids + run.predators;
const ABSENT = 65535; /* the place of an agent that is absent */
const TRAIL = 24; /* frames that are played again for the trails of a frame that was sought */
const state = { at: 0, isPlaying: false, shown: -1 };
let places,
  headings,
  speeds; /* of all agents and frames: [x, y], turns of 256, 256 to the fastest */

/* The numbers, as player.py packed them. */
async function unpack() {
  const all = new Uint8Array(await inflate(run.data).arrayBuffer()),
    n = frames * count;
  const part = (k) => all.subarray(k * n, (k + 1) * n);
  const join = (low, high) => Uint16Array.from(low, (value, i) => value | (high[i] << 8));
  places = [0, 2].map((k) => add(add(join(part(k), part(k + 1)))));
  headings = add(part(4));
  speeds = add(part(5));
}

/* Undo a difference from frame to frame, in place; the arrays' own numbers wrap as those of Python did. */
function add(values) {
  for (let i = count; i < values.length; i++) values[i] += values[i - count];
  return values;
}

/* Where an agent is between two frames, NaN if it is absent; one that jumped across the seam of a torus stays where it was. */
function placeAt(agent, at) {
  const k = Math.floor(at),
    i = k * count + agent;
  return places.map((values, a) => {
    const from = values[i],
      hop = values[i + count] - from,
      way = Math.abs(hop) < run.levels / 4 ? (at - k) * hop : 0;
    return from < ABSENT ? run.origin[a] + (from + way - run.levels) * run.step : NaN;
  });
}

/* Put the agents of a time into the view, with the obstacles and goals as the schedule has left them. An absent one has no speed, NaN. */
function take(at) {
  const k = Math.floor(at),
    { world, steps, linkRadii, radii } = run,
    stages = world?.stages ?? [[0, [], []]];
  for (let i = 0; i < count; i++) {
    [view.x[i], view.y[i]] = placeAt(i, at);
    view.turn[i] = (headings[k * count + i] * Math.PI) / 128;
    view.speed[i] = (speeds[k * count + i] * run.fastest) / 255 + 0 * view.x[i];
  }
  const [, circles, goals] = stages.findLast(([from]) => from <= steps[k]) ?? stages[0];
  Object.assign(view.scene, { radius: linkRadii[k], radii: radii[k] });
  if (view.scene.circles !== circles) view.changeScene({ circles, goals });
}

function draw() {
  const { at, shown } = state,
    { followed } = view,
    k = Math.floor(at),
    isNext = view.hasLast && at >= shown && at - shown <= 4;
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
  const here = view.x.subarray(0, run.boids).filter(isFinite).length,
    isBoid = followed < run.boids;
  byId("now").textContent =
    `step ${run.steps[k]}` +
    (here < run.boids ? `, ${here} of them` : "") +
    (followed < 0
      ? ""
      : `, following ${isBoid ? "boid" : "predator"} ${followed - (isBoid ? 0 : run.boids)}`);
}

/* Time. What is drawn depends on the state alone, so it is drawn when that has changed. */

let last = 0;
function tick(now) {
  if (state.isPlaying) {
    state.at +=
      clamp((now - last) / 1000, 0, 0.25) * run.fps * speed(); /* `now` may be before play() */
    if (state.at > frames - 1) state.at = 0;
  }
  last = now;
  draw();
  if (state.isPlaying) redraw();
}
function redraw() {
  if (speeds) awaitTick();
}

function play(isPlaying) {
  state.isPlaying = isPlaying;
  last = performance.now();
  byId("play").textContent = isPlaying ? "Pause" : "Play";
  redraw();
}

function go(k) {
  state.at = clamp(k, 0, frames - 1);
  play(false);
}

function listen() {
  const buttons = {
    picture: () => savePicture(byId("title").textContent),
    copy: ({ target }) => copy(target, byId("config").textContent),
  };
  const keys = {
    ArrowLeft: ({ shiftKey }) => go(Math.ceil(state.at) - (shiftKey ? 10 : 1)),
    ArrowRight: ({ shiftKey }) => go(Math.floor(state.at) + (shiftKey ? 10 : 1)),
    Home: () => go(0),
    End: () => go(frames - 1),
    f: followNext,
  };
  listenTo(buttons, {}, keys);
  byId("scrub").oninput = ({ target }) => go(Number(target.value));
  view.listen((event) => {
    take(state.at);
    view.follow(view.pick(event));
  });
}

/* #step=120 shows that step and waits; without it the run begins at once. If the reader wants little motion, the last step is shown. */
function begin() {
  const wanted = /(?:^#|&)step=(\d+)/.exec(location.hash);
  document.body.classList.toggle("embed", /(?:^#|&)embed(&|$)/.test(location.hash));
  if (!wanted) return prefers("reduced-motion: reduce") ? go(frames - 1) : play(frames > 1);
  go(run.steps.filter((step) => step < wanted[1]).length);
}

function showAbout() {
  const about =
    countsOf(run.boids, run.predators) +
    (view.hasMargin() ? "; beyond the dashes they turn back" : "");
  byId("about").textContent = about;
  view.canvas.setAttribute("aria-label", "A flock: " + about);
  byId("scrub").max = frames - 1;
  if (!run.config) return;
  byId("made").hidden = false;
  byId("config").textContent = format(run.config);
  byId("live").href = "boids.html#config=" + encodeURIComponent(JSON.stringify(run.config));
}

view.setScene({ ...run, circles: [], goals: [] });
showAbout();
setTheme(prefers("color-scheme: light"));
unpack()
  .then(() => {
    listen();
    setTrails(true);
    begin();
  })
  .catch(tooOld);
