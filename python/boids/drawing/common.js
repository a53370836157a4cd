/* What the player (player.html) and the live page (web/page.html) have in common: elements, files, buttons and keys. */

const byId = (id) => document.getElementById(id);
const view = new FlockView(byId("view"), RINGS, () => redraw());

const make = (tag, properties, ...children) => {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
};

/* A number with a comma per thousand; toLocaleString() takes 20 ms at first. */
const grouped = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, ",");
const plural = (n, word) => `${grouped(n)} ${word}${n === 1 ? "" : "s"}`;
const countsOf = (boids, predators) =>
  plural(boids, "boid") + (predators ? ", " + plural(predators, "predator") : "");

const bytesOf = (base64) =>
  Uint8Array.fromBase64?.(base64) ?? Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));

/* What a deflated text in Base64 contains, with the type that the compiler of a module asks for. */
function inflate(text) {
  return new Response(
    new Response(bytesOf(text)).body.pipeThrough(new DecompressionStream("deflate")),
    { headers: { "Content-Type": "application/wasm" } },
  );
}

function tooOld(error) {
  byId("message").textContent =
    `This browser cannot run the page (${error.message}); one of 2023 or later can.`;
  throw error;
}

/* `message` begins as those of the program do. */
let message = "";
function say(sentence) {
  message = sentence && "boids: " + sentence;
  byId("message").textContent = message;
}

function save(name, blob) {
  const link = make("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
const savePicture = (name) => view.canvas.toBlob((blob) => save(name + ".png", blob));

/* By plain http, there is no clipboard, but a selection can be copied. The first click keeps the name of the button. */
async function copy(button, text) {
  await (navigator.clipboard?.writeText(text) ?? Promise.reject()).catch(() => {
    const area = make("textarea", { value: text });
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  });
  const name = (button.dataset.name ??= button.textContent);
  button.textContent = "Copied";
  setTimeout(() => {
    button.textContent = name;
  }, 900);
}

/* Choose the next entry of a list; after the last colour comes the first one. */
function choose(id, by) {
  const list = byId(id),
    { length } = list.options,
    next = list.selectedIndex + by;
  list.selectedIndex = id === "colour" ? next % length : clamp(next, 0, length - 1);
  list.dispatchEvent(new Event("change"));
}

const speed = () => Number(byId("speed").value);

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

function fullScreen() {
  const stage = document.querySelector(".stage");
  if (!stage.requestFullscreen) return say("this browser has no full screen");
  return document.fullscreenElement ? document.exitFullscreen() : stage.requestFullscreen();
}

const followNext = () => view.follow((view.followed + 1) % view.x.length);

const prefers = (what) => matchMedia(`(prefers-${what})`).matches;

/* Call tick() before the next picture of the screen. */
let isAwaited = false;
function awaitTick() {
  if (isAwaited) return;
  isAwaited = true;
  requestAnimationFrame((now) => {
    isAwaited = false;
    tick(now);
  });
}

/* Call `buttons` by the id that was clicked, `changes` by the id whose value has changed, and `keys` by the key that was pressed. A
 * button with data-key is also clicked by this key. */
function listenTo(buttons, changes, keys) {
  const clicks = {
      play: () => play(!state.isPlaying),
      trails: () => setTrails(!view.hasTrails),
      theme: () => setTheme(!view.isLight),
      full: fullScreen,
      ...buttons,
    },
    all = { colour: ({ value }) => view.setColour(value), ...changes };
  const allKeys = {
    ArrowUp: () => choose("speed", 1),
    ArrowDown: () => choose("speed", -1),
    Escape: () => view.follow(-1),
    c: () => choose("colour", 1),
    ...keys,
  };
  for (const button of document.querySelectorAll("[data-key]"))
    allKeys[button.dataset.key] = () => button.click();
  for (const [id, call] of Object.entries(clicks)) byId(id).onclick = call;
  for (const [id, call] of Object.entries(all)) byId(id).onchange = ({ target }) => call(target);
  on(window, "keydown", (event) => {
    const { key, target } = event,
      call = allKeys[key.length === 1 ? key.toLowerCase() : key],
      isOther = event.altKey || ((event.ctrlKey || event.metaKey) && key !== "z");
    if (!call || isOther || target.matches?.("select, textarea, input:not(#scrub)")) return;
    if (key === " " && target.matches?.("button, summary")) return;
    event.preventDefault();
    call(event);
  });
}
