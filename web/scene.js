/* What drawing.js draws: the world of the configuration, and the agents. */

function showScene(isSame) {
  const { world, flock, predators, obstacles, goals } = state.now,
    { margin } = world,
    { left = margin, right = margin, top = margin, bottom = margin } = margin;
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
      ...world,
      isDisc: world.shape === "disc",
      margin: world.border === "bounce" ? [left, right, top, bottom] : [0, 0, 0, 0],
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

/* The agents of the last answer to the view. */
function placeAgents() {
  const { places } = state,
    count = places.length / 4;
  ["x", "y", "turn", "speed"].forEach((name, k) => {
    view[name] = places.subarray(k * count, (k + 1) * count);
  });
}
