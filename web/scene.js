/* What drawing.js draws: the world of the configuration, and the agents. */

function showScene(isSame) {
  const { world, flock, predators, obstacles, goals } = state.now,
    { margin } = world;
  const sides =
    typeof margin === "number"
      ? [margin, margin, margin, margin]
      : [margin.left, margin.right, margin.top, margin.bottom];
  const scene = {
    boids: flock.count,
    predators: predators.count,
    origin: [0, 0],
    size: [world.width, world.height],
    follows: true,
    isOpen: world.border === "open",
    wraps: world.border === "wrap",
    isTorus: world.border === "wrap" && world.distance === "torus",
    world: {
      width: world.width,
      height: world.height,
      isDisc: world.shape === "disc",
      margin: world.border === "bounce" ? sides : [0, 0, 0, 0],
    },
    down: world.y_axis === "down",
    circles: obstacles.circles,
    goals: goals.points,
    radius: flock.cohesion.radius,
    radii: [flock.separation, flock.alignment, flock.cohesion].map((rule) => rule.radius),
  };
  if (isSame) view.changeScene(scene);
  else view.setScene(scene);
  byId("about").textContent = countsOf(flock.count, predators.count) + ", " + state.now.arithmetic;
}

/* Copy the agents to the view; each has x, y, vx, vy. */
function placeAgents() {
  const { x, y, turn, speed } = view,
    all = state.agents;
  for (let i = 0; i < x.length; i++) {
    const vx = all[4 * i + 2],
      vy = all[4 * i + 3];
    x[i] = all[4 * i];
    y[i] = all[4 * i + 1];
    turn[i] = Math.atan2(vy, vx);
    speed[i] = Math.hypot(vx, vy);
  }
}
