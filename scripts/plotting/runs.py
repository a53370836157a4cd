"""A trajectory that was read as a whole."""

KINDS = ("boid", "predator")


class TableTrajectory:
    """Frames held in memory."""

    def __init__(self, name, steps, agents):
        self.name = name
        self.steps = steps  # int64 [T]
        self.agents = agents  # {kind: float64 [T, n, 4]}
        self.counts = {kind: array.shape[1] for kind, array in agents.items()}
        self.world = None

    def frame(self, kind, k):
        """x, y, vx, vy, float64 [n, 4], of frame k."""
        return self.agents[kind][k]

    def keep(self, frames):
        """Forget all frames but those with these indices, int [T]."""
        self.steps = self.steps[frames]
        self.agents = {kind: array[frames] for kind, array in self.agents.items()}
