/* The page: its buttons, keys and lists, and how it starts. build.py joins core.js, run.js, scene.js, charts.js, controls.js, pointer.js,
 * files.js and this file to one script, which the page contains; hire.js comes before it. */

const middle = () => {
  const box = byId("view").getBoundingClientRect();
  return { clientX: box.left + box.width / 2, clientY: box.top + box.height / 2 };
};
const setSeed = (typed) => changeAll({ seed: textOfSeed(typed) });
const nextSeed = () => setSeed(String(BigInt(state.now.seed) + 1n));
const replay = () => beginAgain(byId("json").value);
const playIf = async (loading) => (await loading) && play(true);
const openLink = () => playIf(loadFromLink());
/* Go to an address, also to the present one, which is no change of the hash. */
function goTo(hash) {
  history.pushState(null, "", hash);
  return openLink();
}
/* In full screen, the bar is hidden until the pointer moves. */
let idle = 0;
function wake() {
  document.body.classList.remove("idle");
  clearTimeout(idle);
  idle = setTimeout(() => document.body.classList.add("idle"), 2000);
}

function listen() {
  const { canvas } = view;
  const tools = Array.from(byId("tool").options, ({ value }) => [value[0], () => useTool(value)]);
  const buttons = {
    one: stepOnce,
    again: () => inTurn(() => restart()),
    replay,
    reseed: nextSeed,
    undo,
    film,
    "save-page": savePage,
    "save-boids": saveBoids,
    "save-observables": saveObservables,
    /* Without an earlier value, the same file is a change, too. */
    open: () => Object.assign(byId("file"), { value: "" }).click(),
    "copy-json": ({ target }) => copy(target, byId("json").value),
    "copy-command": ({ target }) => copy(target, command()),
    "copy-link": ({ target }) => copy(target, link()),
    "save-json": () => save(FILE, new Blob([byId("json").value], { type: "application/json" })),
    "save-picture": () => savePicture("flock-" + state.step),
    message: showLine,
  };
  const changes = {
    seed: async (target) => target.setAttribute("aria-invalid", !(await setSeed(target.value))),
    file: ({ files }) => openFile(files[0]),
    preset: ({ value, selectedOptions: [{ dataset }] }) => goTo(`#preset=${value}${dataset.start}`),
    tool: ({ value }) => {
      state.tool = "";
      useTool(value);
    },
    choice: ({ value, checked }) => {
      byId("chart-" + value).hidden = !checked;
      look().then(redraw);
    },
  };
  const keys = {
    ...Object.fromEntries(tools),
    b: followNext,
    "+": () => view.zoomAt(middle(), 1.25),
    "-": () => view.zoomAt(middle(), 0.8),
    Escape: () => {
      useTool("follow");
      view.follow(-1);
    },
  };
  listenTo(buttons, changes, keys);
  byId("search").oninput = ({ target }) => search(target.value);
  let typing = 0;
  byId("json").oninput = () => {
    clearTimeout(typing);
    typing = setTimeout(async () => {
      if (!(await replay())) byId("json").setAttribute("aria-invalid", "true");
    }, 400);
  };
  on(window, "dragover dragleave drop", (event) => {
    const { type, relatedTarget, dataTransfer } = event,
      file = type === "drop" && dataTransfer.files[0];
    event.preventDefault();
    if (type !== "dragleave" || !relatedTarget)
      document.body.classList.toggle("dropping", type === "dragover");
    if (file) openFile(file);
  });
  on(window, "hashchange", openLink);
  on(window, "pointermove pointerdown keydown", wake);
  view.listen(click);
  on(canvas, "pointerdown pointermove", (event) => {
    if (isLeader()) leading.call(placeOf(event));
  });
  on(canvas, "keydown", moveCross);
  on(canvas, "pointerleave", () => leading.call(null));
  on(canvas, "blur", () => {
    byId("cross").hidden = true;
  });
}

/* Select the line in the text box that the message names; the text of a file that was refused is not in the box. */
function showLine() {
  const line = /^boids: (?:flock\.json|link):(\d+):/.exec(message)?.[1],
    box = byId("json");
  if (!line) return;
  const lines = box.value.split("\n"),
    begin = lines.slice(0, line - 1).join("\n").length + (line > 1);
  byId("text").open = true;
  box.setSelectionRange(begin, begin); /* focus() scrolls there */
  box.focus();
  box.setSelectionRange(begin, begin + lines[line - 1].length);
}

/* First the flock moves, for two pictures, then a worker is hired and the controls are made. The recording has fewer pixels and no
 * trails, because its pictures take the time that scripts need at first. */
const ready = (async () => {
  setTheme(prefers("color-scheme: light"));
  if (/^(.preset=murmuration)?$/.test(addressOf()))
    Object.assign(view, { detail: 0.5, hasTrails: false });
  else worker = await hireFirst();
  await loadFromLink();
  play(!prefers("reduced-motion: reduce"));
  if (worker === recording) {
    await nextFrame();
    await nextFrame();
    await goOnWith(await hireFirst());
  }
  byId("panel").hidden = false;
  makeControls(await ask({ call: "about" }));
  listen();
  state.hasNewRanges = true;
  showControls();
})().catch(tooOld);

/* Functions for tests and the console. load() and step() pause the page. step() makes `count` steps; both return the step number. */
async function paused(work) {
  await ready;
  play(false);
  if (!(await work())) throw new Error(message);
  return state.step;
}
window.boids = {
  load: (json) => paused(() => load(typeof json === "string" ? json : format(json))),
  step: (count = 1) => paused(() => inTurn(() => advance(count))),
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
