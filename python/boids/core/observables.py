"""The observables as attributes. scripts/observables.py writes this file from the table of observables."""

from typing import Any, NoReturn


class Observable:
    """An attribute of a flock or frame that is measured when it is read."""

    def __init__(self, text: str) -> None:
        self.__doc__ = text

    def __set_name__(self, _: Any, name: str) -> None:
        self._name = name

    def __get__(self, owner: Any, _: Any = None) -> float:
        return owner._observable(self._name) if owner is not None else self  # type: ignore[no-any-return]

    def __set__(self, owner: Any, value: NoReturn) -> None:
        raise AttributeError(f"{self._name} is measured; it cannot be set")


class Observables:
    """What boids measures; docs/observables.md has the formulas."""

    polarization = Observable("Length of the mean heading: 1 if all headings are equal.")
    milling = Observable(
        "Mean direction of rotation about the centre: 1 if all boids circle it in the same direction. NaN without "
        "a centre."
    )
    mean_speed = Observable("Mean speed of the boids. In world units per step.")
    nearest_neighbour_distance = Observable(
        "Mean distance of a boid from its nearest neighbour. In world units. NaN with one boid."
    )
    flocks = Observable(
        "Number of groups; two boids closer than the cohesion radius are in one group. NaN with a cohesion radius "
        "of 0 or null."
    )
    largest_flock = Observable(
        "Share of the boids in the largest group of boids (see flocks). NaN with a cohesion radius of 0 or null."
    )
    close_pairs = Observable(
        "Number of pairs of boids closer than the separation radius. NaN with a separation radius of 0 or null."
    )
    centre_x = Observable(
        "Mean x of the boids, on a torus the circular mean. In world units. NaN on a torus, if the boids are "
        "spread evenly."
    )
    centre_y = Observable(
        "Mean y of the boids, on a torus the circular mean. In world units. NaN on a torus, if the boids are "
        "spread evenly."
    )
    predator_distance = Observable(
        "Minimum distance of a predator from a boid. In world units. NaN without a predator."
    )
    speed_sd = Observable("Standard deviation of the boids' speeds. In world units per step.")
    nearest_neighbour_sd = Observable(
        "Standard deviation of the distances from each boid to its nearest neighbour. In world units. NaN with one "
        "boid."
    )
    predator_share = Observable(
        "Share of the boids with a predator within the predators' radius. NaN without a predator, or with a "
        "predators' radius of 0."
    )
    heading_x = Observable("x component of the mean heading.")
    heading_y = Observable("y component of the mean heading.")
    spread = Observable(
        "Root mean square distance of the boids from the centre. In world units. NaN without a centre."
    )
    elongation = Observable(
        "Root mean square extent of the flock along the mean heading, divided by the extent across it. NaN with "
        "one boid, without a centre or without a mean heading."
    )
    nematic_order = Observable(
        "Alignment along a common axis: 1 if all headings are equal or opposite."
    )
