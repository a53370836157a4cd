#!/usr/bin/env python3
"""An environment for reinforcement learning, with the interface of Gymnasium: an agent steers a predator through a flock.

The action is the direction of the predator, an angle in radians. The observation has the predator's position and the mean position and
velocity of the boids, relative to the predator and to the size of the world. The reward of a step is the number of boids that are
closer to the predator than CATCH. Without Gymnasium the class works, too, but lacks its spaces and its registration:

    python3 predator_env.py        # one episode with random actions
"""

import math

import numpy as np

import boids

try:
    import gymnasium
except ImportError:
    gymnasium = None

CATCH = 50.0  # world units


class PredatorEnv(gymnasium.Env if gymnasium else object):
    metadata = {"render_modes": ["rgb_array"]}

    def __init__(self, config="adams", boid_count=100, episode=500, speed=5.0, render_mode=None):
        self.config, self.changes = config, {"flock.count": boid_count, "predators.count": 1}
        self.episode, self.speed, self.render_mode = episode, speed, render_mode
        self.flock, self.chance = None, None
        if gymnasium:
            self.action_space = gymnasium.spaces.Box(-math.pi, math.pi, (1,), np.float64)
            self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (6,), np.float64)

    def reset(self, *, seed=None, options=None):
        if gymnasium:
            super().reset(seed=seed)
        if seed is not None or self.chance is None:
            self.chance = np.random.default_rng(
                seed
            )  # without a seed, each reset draws the next start from it
        self.close()
        self.flock = boids.Flock(
            self.config, self.changes, seed=int(self.chance.integers(2**53)), threads=1
        )
        world = self.flock.config["world"]
        self.size = np.array([world["width"], world["height"]])
        return self.observe(self.flock.positions), {}

    def observe(self, positions):
        predator = self.flock.predators[0]
        return np.concatenate(
            [
                predator / self.size,
                (positions.mean(axis=0) - predator) / self.size,
                self.flock.velocities.mean(axis=0) / self.speed,
            ]
        )

    def step(self, action):
        angle = float(np.asarray(action).reshape(-1)[0])
        self.flock.place(
            predator_velocities=[[self.speed * math.cos(angle), self.speed * math.sin(angle)]]
        ).step()
        positions = self.flock.positions
        reward = float((np.hypot(*(positions - self.flock.predators[0]).T) < CATCH).sum())
        return self.observe(positions), reward, False, self.flock.steps >= self.episode, {}

    def render(self):
        from io import BytesIO

        from matplotlib.image import imread

        return (imread(BytesIO(self.flock.show().data))[:, :, :3] * 255).astype(np.uint8)

    def close(self):
        if self.flock:
            self.flock.close()


if __name__ == "__main__":
    environment, chance, total, is_over = PredatorEnv(), np.random.default_rng(1), 0.0, False
    environment.reset(seed=1)
    while not is_over:
        _, reward, _, is_over, _ = environment.step(chance.uniform(-math.pi, math.pi, 1))
        total += reward
    print(f"reward of {environment.episode} random actions: {total:.0f}")
