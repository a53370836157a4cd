/* The pointer: a click follows a boid or places something; a pointer that is a predator or an attractor leads the flock. */

const placeOf = (event) => view.toWorld(event).map((value) => Number(value.toPrecision(5)));

function click(event) {
  const [x, y] = placeOf(event),
    { size } = view.scene;
  if (state.tool === "follow") return view.follow(view.pick(event));
  if (isLeader()) return lead([x, y]);
  const isGoal = state.tool === "goal",
    path = isGoal ? "goals.points" : "obstacles.circles",
    list = valueOf(state.now, path);
  const radius = Number((0.04 * Math.min(...size)).toPrecision(2)),
    reach = (14 * view.unit) / view.lens().scale;
  const rest = list.filter(([a, b, r]) => Math.hypot(a - x, b - y) > (r || reach));
  return changeKey(
    path,
    JSON.stringify(rest.length < list.length ? rest : [...list, isGoal ? [x, y] : [x, y, radius]]),
  );
}

const isLeader = () => state.tool === "predator" || state.tool === "attractor";

/* Move the goal that represents the pointer: a predator is a goal that repels the boids near it. The schedule records its path. */
const lead = (place) =>
  inTurn(async () => {
    if (!isLeader() || (!state.led && state.step === 0 && !(await advance(1)))) return;
    const { world, flock, goals } = state.now,
      near = Math.min(world.width, world.height) / 5,
      isPredator = state.tool === "predator";
    const push =
      (flock.max_speed ?? flock.min_speed ?? 1) /
      (isPredator ? 10 : 30) /
      (goals.form === "offset" ? near : 1);
    const points = { "goals.points": JSON.stringify([place]) },
      changes = {
        ...points,
        "goals.factor": String(Number((isPredator ? -push : push).toPrecision(3))),
        "goals.radius": String(isPredator ? near : null),
        "goals.direction": "null",
      };
    const before = textsOf(changes);
    if (await changeNow(state.led ? points : changes, "pointer")) state.led = before;
  });

const leading = atMostOften((place) => (place ? lead(place) : letGo()));

/* Restore the goals. */
const letGo = () =>
  inTurn(async () => {
    if (state.led && (await changeNow(state.led, "pointer"))) state.led = null;
  });

function useTool(tool) {
  letGo();
  state.tool = state.tool === tool ? "follow" : tool;
  byId("tool").value = state.tool;
  view.isHeld = isLeader();
  view.moveBy(0, 0);
}

/* On the canvas, the arrow keys move a cross and Enter clicks at it, except with the tool that follows a boid. */
function moveCross(event) {
  const by = {
    ArrowLeft: [-1, 0],
    ArrowRight: [1, 0],
    ArrowUp: [0, -1],
    ArrowDown: [0, 1],
    Enter: [0, 0],
  }[event.key];
  if (!by || state.tool === "follow") return;
  event.preventDefault();
  event.stopPropagation();
  const box = byId("view").getBoundingClientRect(),
    part = event.shiftKey ? 0.1 : 0.02,
    { clientX: x, clientY: y } = state.cross ?? middle(),
    clientX = clamp(x + part * by[0] * box.width, box.left, box.right),
    clientY = clamp(y + part * by[1] * box.height, box.top, box.bottom);
  state.cross = { clientX, clientY };
  byId("cross").hidden = false;
  byId("cross").style.translate = `${clientX}px ${clientY}px`;
  if (event.key === "Enter") click(state.cross);
  else if (isLeader()) leading.call(placeOf(state.cross));
}
