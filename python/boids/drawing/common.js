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

/* The bytes of a deflated text in Base64. */
async function inflate(text) {
  const letters = atob(text),
    packed = new Uint8Array(letters.length);
  for (let i = 0; i < packed.length; i++) packed[i] = letters.charCodeAt(i);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
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

/* By plain http, there is no clipboard, but a selection can be copied. */
async function copy(button, text) {
  await (navigator.clipboard?.writeText(text) ?? Promise.reject()).catch(() => {
    const area = make("textarea", { value: text });
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  });
  const { textContent } = button;
  button.textContent = "Copied";
  setTimeout(() => {
    button.textContent = textContent;
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

/* Call `buttons` by the id that was clicked, and `keys` by the key that was pressed. */
function listenTo(buttons, keys) {
  setTheme(prefers("color-scheme: light"));
  const all = {
    play: () => play(!state.isPlaying),
    trails: () => setTrails(!view.hasTrails),
    theme: () => setTheme(!view.isLight),
    full: fullScreen,
    ...buttons,
  };
  const allKeys = {
    " ": all.play,
    ArrowUp: () => choose("speed", 1),
    ArrowDown: () => choose("speed", -1),
    Escape: () => view.follow(-1),
    c: () => choose("colour", 1),
    t: all.trails,
    l: all.theme,
    ...keys,
  };
  for (const [id, call] of Object.entries(all)) byId(id).onclick = call;
  byId("speed").onchange = ({ target }) => {
    state.speed = Number(target.value);
  };
  byId("colour").onchange = ({ target }) => view.setColour(target.value);
  addEventListener("keydown", (event) => {
    const { key, target } = event,
      call = allKeys[key.length === 1 ? key.toLowerCase() : key],
      isOther = event.altKey || ((event.ctrlKey || event.metaKey) && key !== "z");
    if (!call || isOther || target.matches?.("select, textarea, input:not(#scrub)")) return;
    if (key === " " && target.tagName === "BUTTON") return;
    event.preventDefault();
    call(event);
  });
}
