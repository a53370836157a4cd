/* The page: its buttons, keys and lists, and how it starts. build.py joins core.js, run.js, scene.js, charts.js, controls.js, pointer.js,
 * files.js and this file to one script, which the page contains. */

const middle = () => {
  const box = byId("view").getBoundingClientRect();
  return { clientX: box.left + box.width / 2, clientY: box.top + box.height / 2 };
};
const setSeed = (typed) => changeAll({ seed: textOfSeed(typed) });
const nextSeed = () => setSeed(String(BigInt(state.now.seed) + 1n));
const replay = () => load(byId("json").value, FILE, byId("json").value, true);
/* In full screen, the bar is hidden until the pointer moves. */
let idle = 0;
function wake() {
  document.body.classList.remove("idle");
  clearTimeout(idle);
  idle = setTimeout(() => document.body.classList.add("idle"), 2000);
}

function listen() {
  addEventListener("keydown", moveCross); /* before the other keys */
  const again = () => inTurn(() => restart()),
    tools = { o: "obstacle", g: "goal", p: "predator", a: "attractor" };
  const buttons = {
    one: stepOnce,
    again,
    replay,
    reseed: nextSeed,
    undo,
    film,
    open: () => byId("file").click(),
    "copy-json": ({ target }) => copy(target, byId("json").value),
    "copy-command": ({ target }) => copy(target, command()),
    "copy-link": ({ target }) => copy(target, link()),
    "save-json": () => save(FILE, new Blob([byId("json").value], { type: "application/json" })),
    "save-page": savePage,
    "save-picture": () => savePicture("flock-" + state.step),
    "save-boids": saveBoids,
    "save-observables": saveObservables,
    message: showLine,
  };
  listenTo(buttons, {
    ...Object.fromEntries(Object.entries(tools).map(([key, tool]) => [key, () => useTool(tool)])),
    ArrowRight: stepOnce,
    r: again,
    n: nextSeed,
    f: fullScreen,
    z: undo,
    b: followNext,
    "+": () => view.zoomAt(middle(), 1.25),
    "-": () => view.zoomAt(middle(), 0.8),
    Escape: () => {
      useTool("follow");
      view.follow(-1);
    },
  });
  const onChange = {
    seed: ({ value }) => setSeed(value),
    file: ({ files }) => files[0] && openFile(files[0]),
    preset: async ({ value, selectedOptions: [{ dataset }] }) => {
      history.pushState(null, "", "#preset=" + value + dataset.start);
      if (await loadFromLink()) play(true);
    },
    tool: ({ value }) => {
      state.tool = "";
      useTool(value);
    },
  };
  for (const [id, call] of Object.entries(onChange))
    byId(id).onchange = ({ target }) => call(target);
  byId("search").oninput = ({ target }) => search(target.value);
  let typing = 0;
  byId("json").oninput = () => {
    clearTimeout(typing);
    typing = setTimeout(async () => {
      if (!(await replay())) byId("json").setAttribute("aria-invalid", "true");
    }, 400);
  };
  for (const name of ["dragover", "dragleave", "drop"])
    addEventListener(name, (event) => {
      const file = name === "drop" && event.dataTransfer.files[0];
      event.preventDefault();
      if (name !== "dragleave" || !event.relatedTarget)
        document.body.classList.toggle("dropping", name === "dragover");
      if (file) openFile(file);
    });
  addEventListener("hashchange", async () => {
    if (await loadFromLink()) play(true);
  });
  for (const name of ["pointermove", "pointerdown", "keydown"]) addEventListener(name, wake);
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

function makeCharts() {
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
    const label = make("label", { title: sentence }, box, " " + nameOf(name));
    label.dataset.about = `${name} ${sentence}`;
    byId("choice").append(label);
  }
}

const ready = start()
  .catch(tooOld)
  .then(async () => {
    makeCharts();
    makeFirstControls();
    listen();
    await loadFromLink();
    play(!prefers("reduced-motion: reduce"));
    /* First the flock, then all keys. */
    while (state.isPlaying && state.drawn === 0) await new Promise(requestAnimationFrame);
    makeControls();
    state.hasNewRanges = true;
    showControls();
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
