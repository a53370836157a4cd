"""The observables as attributes. scripts/observables.py writes this file from the table of observables."""


class Observables:
    """What boids measures; docs/observables.md has the formulas."""

    def _measure(self, name: str) -> float:
        raise NotImplementedError

    @property
    def polarization(self) -> float:
        """Length of the mean heading: 1 if all headings are equal."""
        return self._measure("polarization")

    @property
    def milling(self) -> float:
        """Mean direction of rotation about the centre: 1 if all boids circle it in the same direction. NaN without a centre."""
        return self._measure("milling")

    @property
    def mean_speed(self) -> float:
        """Mean speed of the boids. In world units per step."""
        return self._measure("mean_speed")

    @property
    def nearest_neighbour_distance(self) -> float:
        """Mean distance of a boid from its nearest neighbour. In world units. NaN with one boid."""
        return self._measure("nearest_neighbour_distance")

    @property
    def flocks(self) -> float:
        """Number of groups; two boids closer than the cohesion radius are in one group. NaN with a cohesion radius of 0."""
        return self._measure("flocks")

    @property
    def largest_flock(self) -> float:
        """Share of the boids in the largest group of boids (see flocks). In share of the boids. NaN with a cohesion radius of 0."""
        return self._measure("largest_flock")

    @property
    def close_pairs(self) -> float:
        """Number of pairs of boids closer than the separation radius. NaN with a separation radius of 0."""
        return self._measure("close_pairs")

    @property
    def centre_x(self) -> float:
        """Mean x of the boids, on a torus the circular mean. In world units. NaN on a torus, if the boids are spread evenly."""
        return self._measure("centre_x")

    @property
    def centre_y(self) -> float:
        """Mean y of the boids, on a torus the circular mean. In world units. NaN on a torus, if the boids are spread evenly."""
        return self._measure("centre_y")

    @property
    def predator_distance(self) -> float:
        """Minimum distance of a predator from a boid. In world units. NaN without a predator."""
        return self._measure("predator_distance")

    @property
    def speed_sd(self) -> float:
        """Standard deviation of the boids' speeds. In world units per step."""
        return self._measure("speed_sd")

    @property
    def nearest_neighbour_sd(self) -> float:
        """Standard deviation of the distances from each boid to its nearest neighbour. In world units. NaN with one boid."""
        return self._measure("nearest_neighbour_sd")

    @property
    def predator_share(self) -> float:
        """Share of the boids with a predator within the predators' radius. In share of the boids. NaN without a predator, or with
        a predators' radius of 0."""
        return self._measure("predator_share")

    @property
    def heading_x(self) -> float:
        """Mean of the headings along x."""
        return self._measure("heading_x")

    @property
    def heading_y(self) -> float:
        """Mean of the headings along y."""
        return self._measure("heading_y")

    @property
    def spread(self) -> float:
        """Root mean square distance of the boids from the centre. In world units. NaN without a centre."""
        return self._measure("spread")

    @property
    def elongation(self) -> float:
        """Root mean square extent of the flock along the mean heading, divided by the extent across it. NaN with one boid, without
        a centre or without a mean heading."""
        return self._measure("elongation")

    @property
    def nematic_order(self) -> float:
        """Alignment along a common axis: 1 if all headings are equal or opposite."""
        return self._measure("nematic_order")
