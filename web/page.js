/* The page: its buttons, keys and lists, and how it starts. build.py joins core.js, run.js, scene.js, charts.js, controls.js, pointer.js,
 * files.js and this file to one script, which the page contains. */

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
const replay = () => load(byId("json").value, FILE, byId("json").value, true);
/* Begin again with the values that the sliders show. */
const restart = () =>
  Object.keys(state.moved).length ? inTurn(() => changeNow({}, "restart", true)) : replay();
const fullScreen = () => {
  const main = document.querySelector("main");
  if (!main.requestFullscreen) return say("this browser has no full screen");
  return document.fullscreenElement ? document.exitFullscreen() : main.requestFullscreen();
};

/* In full screen, the bar is hidden until the pointer moves. */
let idle = 0;
function wake() {
  document.body.classList.remove("idle");
  clearTimeout(idle);
  idle = setTimeout(() => document.body.classList.add("idle"), 2000);
}
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
  on("replay", replay);
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
    history.pushState(null, "", "#preset=" + event.target.value);
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
    typing = setTimeout(async () => {
      if (!(await replay())) byId("json").setAttribute("aria-invalid", "true");
    }, 400);
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
