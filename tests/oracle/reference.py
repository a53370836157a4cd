"""A flock step in plain Python, sentence by sentence from the contract of the physics.

The C program is compared with it, so it shares nothing with that program except the names and defaults of keys: no grid, no SIMD, no
special order of sums. Every boid is compared with every other boid, in double precision, and each rule is written as the
contract states it. Clarity is more important than speed.

A state is a pair (boids, predators). Each of the two is a list of [x, y, vx, vy] in id order: the index is the
id. `step` does not change its argument and returns the next state.

    config = resolve(load("configs/adams.json"))
    for _ in range(20):
        state = step(state, config)

Details that the contract leaves open:

- A boid further out than one world is wrapped, or mirrored, again and again until it is inside.
- Predators follow the same pipeline as boids without the rules: they obey `limit` and `integrator`.
- A coincident boid is a neighbour, so under `reynolds` it makes a zero yield, not a missing one.
- The "velocity from before step 1" is the one the boid had when the step began, in `passes` too.
"""

import copy
import json
import math
import os

import draws
from sums import sum


def leaves_of(schema, path=""):
    """(dotted key, its part of the JSON Schema) of each key."""
    for name, about in schema["properties"].items():
        if "properties" in about:
            yield from leaves_of(about, path + name + ".")
        else:
            yield path + name, about


def defaults_of(schema):
    return {
        name: defaults_of(about) if "properties" in about else about.get("default")
        for name, about in schema["properties"].items()
    }


def load(path):
    """Read a configuration file as it stands."""
    with open(path, encoding="utf-8") as file:
        return json.load(file)


SCHEMA = load(
    os.path.join(
        os.path.dirname(os.path.abspath(__file__)), "..", "..", "data", "boids.schema.json"
    )
)
DEFAULTS = defaults_of(SCHEMA)
CHOICES = {key: about["enum"] for key, about in leaves_of(SCHEMA) if "enum" in about}
SIDES = ("left", "right", "top", "bottom")


# The configuration ----------------------------------------------------------------------------------------


def override(config, key, value):
    """Return the configuration with one dotted key replaced, as `--set KEY=VALUE` does."""
    changed = copy.deepcopy(config)
    *sections, last = key.split(".")
    place = changed
    for name in sections:
        if name == "margin" and not isinstance(place.get(name), dict):
            # For a change of one side, a single number (given or default) becomes four first.
            place[name] = dict.fromkeys(SIDES, place.get(name, DEFAULTS["world"]["margin"]))
        place = place.setdefault(name, {})
    place[last] = value
    return changed


def resolve(config):
    """Fill in every default; an unknown key is an error. Returns a new dictionary."""
    full = merge(DEFAULTS, config, "")
    world = full["world"]
    world["margin"] = four_margins(world["margin"])
    if world["distance"] is None:
        world["distance"] = "torus" if world["border"] == "wrap" else "plane"
    return full


def merge(defaults, given, path):
    """Lay `given` over `defaults`, section by section; a key without a default is an error."""
    for key in given:
        if key not in defaults:
            raise KeyError("unknown key %s%s" % (path, key))
    merged = {}
    for key, default in defaults.items():
        if isinstance(default, dict):
            merged[key] = merge(default, given.get(key, {}), path + key + ".")
        else:
            merged[key] = copy.deepcopy(given.get(key, default))
    return merged


def four_margins(margin):
    """A single margin holds on all four sides; of an object, a missing side has the default."""
    if not isinstance(margin, dict):
        return dict.fromkeys(SIDES, margin)
    return {side: margin.get(side, DEFAULTS["world"]["margin"]) for side in SIDES}


# A step, in each order ------------------------------------------------------------------------------------


def step(state, config, number=0):
    """Advance boids and predators from frame `number` by one step; returns the new (boids, predators)."""
    boids, predators = state
    step_in_order = {
        "synchronous": step_synchronous,
        "sequential": step_sequential,
        "passes": step_passes,
        "shuffled": step_shuffled,
        "shuffled_velocities": step_shuffled_velocities,
    }
    # Boids read the positions of predators at the start of the step, so predators move last.
    moved_boids = step_in_order[config["update"]](boids, predators, config, number)
    moved_predators = [predator_turn(predator, moved_boids, config) for predator in predators]
    return moved_boids, moved_predators


def step_synchronous(boids, predators, config, number):
    """Every boid reads the flock as it was at the start of the step."""
    return [whole_turn(i, boids, predators, config, number) for i in range(len(boids))]


def step_sequential(boids, predators, config, number):
    """One boid after another, in place: later boids read the new state of earlier ones."""
    flock = copy.deepcopy(boids)
    for i in range(len(flock)):
        flock[i] = whole_turn(i, flock, predators, config, number)
    return flock


def shuffled(count, config, number):
    """The ids, ordered by the upper half of a draw per boid, then by id."""
    dice = [draws.draw(config["seed"], draws.ORDER, number, i) >> 32 for i in range(count)]
    return sorted(range(count), key=lambda i: (dice[i], i))


def step_shuffled(boids, predators, config, number):
    """Like sequential, but in random order."""
    flock = copy.deepcopy(boids)
    for i in shuffled(len(flock), config, number):
        flock[i] = whole_turn(i, flock, predators, config, number)
    return flock


def step_shuffled_velocities(boids, predators, config, number):
    """The rules and the goal of one boid after another, in random order; then the rest and the move of all."""
    flock = copy.deepcopy(boids)
    for i in shuffled(len(flock), config, number):
        flock[i][2:] = by_rules(i, flock, config, number)
    return [finish(i, boids[i], flock[i][2:], predators, config, number) for i in range(len(flock))]


def step_passes(boids, predators, config, number):
    """Rule after rule over the whole flock, each in id order and in place; then the rest; then the move.

    Velocities change in each pass, positions in the last one. Each rule reads the velocities after the earlier
    passes and, in the same pass, after the earlier boids.
    """
    flock = copy.deepcopy(boids)
    for rule in (separation, alignment, cohesion):
        for i, boid in enumerate(flock):
            dvx, dvy = rule(boid, everyone_else(i, flock, config), config)
            boid[2] += dvx
            boid[3] += dvy
    for i, boid in enumerate(flock):
        boid[2], boid[3] = seek(boid[2], boid[3], goal(boid, i, len(flock), number, config), config)
    for i, boid in enumerate(flock):
        boid[2], boid[3] = stray(boid[2], boid[3], i, number, config)
        boid[2], boid[3] = hold(
            boids[i][2], boids[i][3], boid[2], boid[3], config["flock"]["max_turn"]
        )
        boid[2], boid[3] = border_predators_limits(boid, predators, config, own_limits(i, config))
    return [move(new, old[2], old[3], config) for new, old in zip(flock, boids)]


def whole_turn(i, flock, predators, config, number):
    """The update of boid i: three rules, goal, noise, border, predators, limits, move. Returns its new state."""
    return finish(i, flock[i], by_rules(i, flock, config, number), predators, config, number)


def by_rules(i, flock, config, number):
    """The velocity of boid i after the three rules and the goal."""
    boid = flock[i]
    seen = everyone_else(i, flock, config)
    to_goal = goal(boid, i, len(flock), number, config)
    if config["flock"]["steering"] == "turn":
        return seek(*by_turns(boid, seen, config), to_goal, config)
    # All three rules are computed before any of them is added: they read the old velocity.
    apart, together = separation(boid, seen, config), cohesion(boid, seen, config)
    changes = [
        apart,
        alignment(boid, seen, config, last_own(boid, apart, together, config)),
        together,
    ]
    if config["flock"]["priority"] == "separation" and neighbours_of(
        boid, seen, "separation", config
    ):
        changes = changes[:1]
    return put_together(boid, changes, to_goal, config)


def by_turns(boid, seen, config):
    """The velocity after three turns, one after another, each towards the vector of a rule by at most its max_turn."""
    flock = config["flock"]
    vx, vy = boid[2:]
    for name, rule in (
        ("separation", separation),
        ("alignment", alignment),
        ("cohesion", cohesion),
    ):
        close = neighbours_of(boid, seen, name, config)
        if name == "separation" and flock[name]["form"] == "headings":
            # The sum of the velocities, mirrored at the own one.
            sum_x, sum_y = sum(other[2] for other in close), sum(other[3] for other in close)
            angle = 2 * math.atan2(vy, vx) - math.atan2(sum_y, sum_x)
            way = (math.cos(angle), math.sin(angle)) if close and (sum_x or sum_y) else (0.0, 0.0)
            way = [math.copysign(1, flock[name]["factor"]) * one for one in way]
        else:
            config_of_way = dict(
                config,
                flock=dict(
                    flock, steering="direct", alignment=dict(flock["alignment"], form="mean")
                ),
            )
            way = rule(boid, seen, config_of_way) if flock[name]["factor"] else (0.0, 0.0)
        length = math.hypot(*way)
        if length > 0 and flock[name]["factor"]:
            speed = math.hypot(vx, vy)
            vx, vy = hold(
                vx, vy, way[0] / length * speed, way[1] / length * speed, flock[name]["max_turn"]
            )
        if name == "separation" and close and flock["priority"] == "separation":
            break
    return vx, vy


def finish(i, boid, velocity, predators, config, number):
    """All after the rules and the goal: noise, the largest turn, border, predators, limits, move."""
    x, y, _, _ = boid
    vx, vy = velocity
    vx, vy = stray(vx, vy, i, number, config)
    vx, vy = hold(boid[2], boid[3], vx, vy, config["flock"]["max_turn"])
    vx, vy = border_predators_limits([x, y, vx, vy], predators, config, own_limits(i, config))
    return move([x, y, vx, vy], boid[2], boid[3], config)


def last_own(boid, apart, together, config):
    """The boid's own velocity in alignment: for `latest`, that after the other rules."""
    flock = config["flock"]
    if flock["alignment"]["form"] != "latest":
        return boid[2:]
    return [flock["inertia"] * boid[k + 2] + apart[k] + together[k] for k in range(2)]


def put_together(boid, changes, to_goal, config):
    """The new velocity: the old one times inertia, plus the changes; max_force limits the distance between the two."""
    flock = config["flock"]
    kept_x, kept_y = flock["inertia"] * boid[2], flock["inertia"] * boid[3]
    x, y = kept_x + sum(change[0] for change in changes), kept_y + sum(
        change[1] for change in changes
    )
    vx, vy = seek(x, y, to_goal, config)
    if flock["steering"] == "direct" and flock["max_force"] is not None:
        force_x, force_y = shorten(vx - kept_x, vy - kept_y, flock["max_force"])
        vx, vy = kept_x + force_x, kept_y + force_y
    if flock["inertia"] == 0 and vx == 0 and vy == 0:
        return boid[2], boid[3]
    return vx, vy


def shorten(x, y, most):
    """A vector, shortened to a maximum length."""
    length = math.sqrt(x * x + y * y)
    return (x / length * most, y / length * most) if length > most else (x, y)


def cross(ax, ay, bx, by):
    """Above 0 where b is to the left of a."""
    return ax * by - ay * bx


def edges(vx, vy, degrees):
    """A velocity turned to the left and to the right, by an angle that is rounded to 2^-32 of a turn."""
    c, s = draws.circle(math.floor(degrees / 360 * 2**32 + 0.5))
    return draws.turned(vx, vy, (c, s)), draws.turned(vx, vy, (c, -s))


def hold(old_vx, old_vy, vx, vy, most):
    """The velocity, turned from the old one by at most an angle in degrees; a boid that would reverse turns to the left."""
    if most is None or most >= 180:
        return vx, vy
    side = 1 if cross(old_vx, old_vy, vx, vy) >= 0 else -1
    edge = edges(old_vx, old_vy, most)[side < 0]
    is_round = cross(old_vx, old_vy, vx, vy) == 0 and old_vx * vx + old_vy * vy < 0
    if not (is_round or side * cross(*edge, vx, vy) > 0):
        return vx, vy
    length = math.sqrt(vx * vx + vy * vy) / math.sqrt(edge[0] * edge[0] + edge[1] * edge[1])
    return edge[0] * length, edge[1] * length


def stray(vx, vy, i, number, config):
    """Changes by a rule of the caller (config["changes"], a pair per boid), then noise: turn by a random angle, then add a vector of random
    direction."""
    if "changes" in config:
        vx, vy = vx + config["changes"][i][0], vy + config["changes"][i][1]
    noise = config["flock"]["noise"]
    bits = draws.draw(config["seed"], draws.NOISE, number, i)
    if noise["eta"]:
        vx, vy = draws.turned(vx, vy, draws.within(bits, noise["eta"]))
    if noise["vector"]:
        c, s = draws.anywhere(bits)
        vx, vy = vx + noise["vector"] * c, vy + noise["vector"] * s
    return vx, vy


def predator_turn(predator, boids, config):
    """Predators obey no flock rule and no predator: they hunt boids that have moved; border, limits of their own, move."""
    x, y, vx, vy = predator
    dvx, dvy = hunt(x, y, boids, config)
    limits = [
        config["flock"][key] if config["predators"][key] == "flock" else config["predators"][key]
        for key in ("min_speed", "max_speed")
    ]
    vx, vy = border_predators_limits([x, y, vx + dvx, vy + dvy], [], config, limits)
    return move([x, y, vx, vy], predator[2], predator[3], config)


def hunt(x, y, boids, config):
    """The change of a predator's velocity towards the nearest boid, or towards the mean of the nearest images of all."""
    rule = config["predators"]
    if rule["hunt"] == "none":
        return 0.0, 0.0
    images = [nearest_image(boid[0], boid[1], x, y, config) for boid in boids]
    if rule["hunt"] == "nearest":
        # Of two boids at the same distance, min() takes the one with the lower id.
        there_x, there_y = min(images, key=lambda image: distance(x, y, *image))
    else:
        there_x = sum(image[0] for image in images) / len(images)
        there_y = sum(image[1] for image in images) / len(images)
    d = distance(x, y, there_x, there_y)
    if d == 0:
        return 0.0, 0.0
    return rule["factor"] * (there_x - x) / d, rule["factor"] * (there_y - y) / d


# Neighbours -----------------------------------------------------------------------------------------------


def everyone_else(i, flock, config):
    """All boids except boid i: a list of (x, y, vx, vy, d) with the distance d from boid i.

    On a torus the positions are those of the nearest images, so rules need no special case for it.
    """
    is_torus = config["world"]["distance"] == "torus"
    here_x, here_y = flock[i][0], flock[i][1]
    seen = []
    for j, (x, y, vx, vy) in enumerate(flock):
        if j != i:
            if is_torus:
                x, y = nearest_image(x, y, here_x, here_y, config)
            seen.append((x, y, vx, vy, distance(here_x, here_y, x, y)))
    return seen


def nearest_image(x, y, here_x, here_y, config):
    """The image of the point (x, y) that is nearest to (here_x, here_y): the point itself on a plane."""
    world = config["world"]
    if world["distance"] == "plane":
        return x, y
    return nearest_along(x, here_x, world["width"]), nearest_along(y, here_y, world["height"])


def nearest_along(there, here, size):
    """One coordinate of the nearest image. A difference of exactly half the world is unchanged."""
    while there - here > size / 2:
        there -= size
    while there - here < -size / 2:
        there += size
    return there


def distance(ax, ay, bx, by):
    """The distance of two points. Not math.hypot, because its last digit differs between versions of Python."""
    return math.sqrt((ax - bx) * (ax - bx) + (ay - by) * (ay - by))


# The three rules: each returns a change of velocity -------------------------------------------------------


def neighbours_of(boid, seen, name, config):
    """The neighbours for a rule: within the ring and in view, and the nearest of these. `seen` is sorted by id, and sorting is
    stable."""
    rule = config["flock"][name]
    inner, outer = (
        rule.get("inner_radius", 0),
        math.inf if rule["radius"] is None else rule["radius"],
    )
    ring = [other for other in seen if inner <= other[4] < outer]
    count = [other for other in ring if is_in_view(boid, other, rule["view"])]
    if rule["nearest"] is None:
        return count
    square = lambda other: (other[0] - boid[0]) ** 2 + (other[1] - boid[1]) ** 2
    return sorted(count, key=square)[: rule["nearest"]]


def is_in_view(boid, other, view):
    """True strictly between the edges of the view. A boid at rest has no restriction; a boid at the same position is not in view."""
    _, _, vx, vy = boid
    if view == 360 or (vx == 0 and vy == 0):
        return True
    x, y = other[0] - boid[0], other[1] - boid[1]
    left, right = edges(vx, vy, view / 2)
    is_right_of_left, is_left_of_right = cross(*left, x, y) < 0, cross(*right, x, y) > 0
    if view <= 180:
        return is_right_of_left and is_left_of_right
    return is_right_of_left or is_left_of_right


def separation(boid, seen, config):
    """Away from all boids within the radius."""
    rule = config["flock"]["separation"]
    close = neighbours_of(boid, seen, "separation", config)
    if not close:
        return 0.0, 0.0
    sum_x = sum_y = 0.0
    for x, y, _, _, d in close:
        weight = {"offset": 1.0, "unit": d, "inverse": d * d, "quartic": d**4 + 1}[rule["form"]]
        if d > 0:  # A boid at the same position adds zero, but counts in the mean.
            sum_x += (boid[0] - x) / weight
            sum_y += (boid[1] - y) / weight
    usually = "mean" if rule["form"] == "inverse" else "sum"
    sight = widest(config)
    in_sight = sum(1 for other in seen if other[4] < sight)
    sum_x, sum_y = normalise(sum_x, sum_y, len(close), rule, usually, in_sight)
    return steer(sum_x, sum_y, boid, rule["factor"], config)


def widest(config):
    """The widest radius of any rule, with any factor."""
    return max(
        config["flock"][name]["radius"] or 0 for name in ("separation", "alignment", "cohesion")
    )


def normalise(sum_x, sum_y, count, rule, usually, in_sight=None):
    """Normalise a sum over `count` neighbours."""
    how = usually if rule["normalise"] == "by_form" else rule["normalise"]
    if how == "unit":
        length = math.sqrt(sum_x * sum_x + sum_y * sum_y)
        return (sum_x / length, sum_y / length) if length > 0 else (0.0, 0.0)
    divisor = {"sum": 1, "mean": count, "seen": in_sight}[how]
    return sum_x / divisor, sum_y / divisor


def alignment(boid, seen, config, own=None):
    """The difference to the mean velocity of the neighbours, or that mean itself (`mean`); `own` replaces the boid's velocity."""
    own = own or boid[2:]
    rule = config["flock"]["alignment"]
    around = neighbours_of(boid, seen, "alignment", config)
    terms = [(vx, vy, falloff(d, rule)) for _, _, vx, vy, d in around]
    if config["flock"]["means"] == "with_self" and rule["radius"] != 0:
        terms.append((*own, 1.0))
    if not terms:
        return 0.0, 0.0
    if rule["form"] != "mean":
        # The mean of differences is the difference of means, and so it is with sums.
        terms = [(vx - own[0], vy - own[1], weight) for vx, vy, weight in terms]
    sum_vx, sum_vy = sum(vx * weight for vx, _, weight in terms), sum(
        vy * weight for _, vy, weight in terms
    )
    yield_x, yield_y = normalise(sum_vx, sum_vy, len(terms), rule, "mean")
    return steer(yield_x, yield_y, [*boid[:2], *own], rule["factor"], config)


def falloff(d, rule):
    """The weight of a neighbour at the distance d."""
    scale = rule["falloff_scale"]
    return 1.0 if scale is None else (1 + (d / scale) ** 2) ** -rule["falloff_exponent"]


def cohesion(boid, seen, config):
    """Towards the mean position of the neighbours."""
    rule = config["flock"]["cohesion"]
    around = neighbours_of(boid, seen, "cohesion", config)
    if not around:
        return 0.0, 0.0
    sum_x = sum_y = 0.0
    for x, y, _, _, d in around:
        length = d if rule["form"] == "unit" else 1.0
        if length > 0:
            sum_x += (x - boid[0]) / length * falloff(d, rule)
            sum_y += (y - boid[1]) / length * falloff(d, rule)
    # The boid itself has the offset zero, but counts.
    count = len(around) + (config["flock"]["means"] == "with_self")
    yield_x, yield_y = normalise(sum_x, sum_y, count, rule, "mean")
    return steer(yield_x, yield_y, boid, rule["factor"], config)


def is_informed(i, count, config):
    """True if the goals or the direction apply to boid i: the lowest ids, up to the share."""
    rule = config["goals"]
    is_on = rule["factor"] != 0 or rule["form"] == "balanced"
    has_goal = is_on and (rule["points"] or rule["direction"] is not None)
    return has_goal and (rule["share"] == 1 or i < math.floor(rule["share"] * count + 0.5))


def seek(x, y, to_goal, config):
    """A velocity plus the change towards the goal. With the form `balanced`, the velocity of a boid that has a way to its goal is scaled
    to length 1 before."""
    (dvx, dvy), has_way = to_goal
    length = math.sqrt(x * x + y * y)
    if config["goals"]["form"] == "balanced" and has_way and length > 0:
        x, y = x / length, y / length
    return x + dvx, y + dvy


def goal(boid, i, count, number, config):
    """Towards the nearest goal, or towards the current one (`every`), from within its radius; or in a direction. The second result
    is False for a boid without a way: above the share, outside the radius, or at the goal."""
    rule = config["goals"]
    points = rule["points"]
    if not is_informed(i, count, config):
        return (0.0, 0.0), False
    if rule["direction"] is not None:
        angle = math.radians(rule["direction"])
        return steer(math.cos(angle), math.sin(angle), boid, rule["factor"], config), True
    if rule["every"] > 0:
        points = [points[number // rule["every"] % len(points)]]
    images = [nearest_image(x, y, boid[0], boid[1], config) for x, y in points]
    # Of two goals at the same distance, min() takes the first.
    x, y = min(images, key=lambda image: distance(boid[0], boid[1], *image))
    d = distance(boid[0], boid[1], x, y)
    if rule["radius"] is not None and not d < rule["radius"]:
        return (0.0, 0.0), False
    way_x, way_y = x - boid[0], y - boid[1]
    if rule["form"] != "offset" and d > 0:
        way_x, way_y = way_x / d, way_y / d
    return steer(way_x, way_y, boid, rule["factor"], config), d > 0


def steer(yield_x, yield_y, boid, factor, config):
    """Convert the yield of a rule into a change of velocity. Only called for rules with a neighbour, or a goal."""
    flock = config["flock"]
    if flock["steering"] != "reynolds":
        return factor * yield_x, factor * yield_y
    length = math.sqrt(yield_x * yield_x + yield_y * yield_y)
    if length > 0:
        # A zero yield stays zero, so the boid brakes: the desired velocity is zero.
        yield_x = yield_x / length * flock["max_speed"]
        yield_y = yield_y / length * flock["max_speed"]
    force_x, force_y = shorten(yield_x - boid[2], yield_y - boid[3], flock["max_force"])
    return factor * force_x, factor * force_y


# Border, predators, limits, move --------------------------------------------------------------------------


def own_limits(i, config):
    """The smallest and the largest speed of boid i."""
    flock = config["flock"]
    unit = (draws.draw(config["seed"], draws.SPEED, 0, i) >> 11) / 2**53
    factor = 1 + flock["speed_spread"] * (2 * unit - 1)
    return [
        None if flock[key] is None else flock[key] * factor for key in ("min_speed", "max_speed")
    ]


def border_predators_limits(agent, predators, config, limits):
    """Steps 2 to 4 of the pipeline, in the configured order. Returns the new velocity."""
    x, y, vx, vy = agent
    low, high = limits
    if config["flock"]["limit"] == "before_border":
        vx, vy = limit(vx, vy, low, high)
    vx, vy = bounce(x, y, vx, vy, config)
    vx, vy = avoid(x, y, vx, vy, config)
    vx, vy = flee(x, y, vx, vy, predators, config)
    if config["flock"]["limit"] == "after_border":
        vx, vy = limit(vx, vy, low, high)
    return vx, vy


def bounce(x, y, vx, vy, config):
    """Add turn_factor towards the inside in a margin; if margins overlap, in both of them."""
    world = config["world"]
    if world["border"] != "bounce":
        return vx, vy
    margin, turn = world["margin"], world["turn_factor"]
    if world["shape"] == "disc":
        out_x, out_y, d, radius = from_centre(x, y, world)
        is_in_margin = d > max(0, radius - margin["left"])
        return (vx - turn * out_x, vy - turn * out_y) if is_in_margin else (vx, vy)
    if x < margin["left"]:
        vx += turn
    if x > world["width"] - margin["right"]:
        vx -= turn
    if y < margin["top"]:
        vy += turn
    if y > world["height"] - margin["bottom"]:
        vy -= turn
    return vx, vy


def from_centre(x, y, world):
    """(x, y, d, radius): the unit vector from the centre of a disc, the distance from there, and the radius."""
    radius = world["width"] / 2
    d = distance(x, y, radius, radius)
    return (x - radius) / d if d > 0 else 0.0, (y - radius) / d if d > 0 else 0.0, d, radius


def avoid(x, y, vx, vy, config):
    """Turn aside from the first obstacle that the boid would come too near to on a straight path."""
    rule = config["obstacles"]
    speed = math.sqrt(vx * vx + vy * vy)
    if speed == 0:
        return vx, vy
    heading_x, heading_y = vx / speed, vy / speed
    met = []
    for centre_x, centre_y, radius in rule["circles"]:
        there_x, there_y = nearest_image(centre_x, centre_y, x, y, config)
        way_x, way_y = there_x - x, there_y - y
        along = way_x * heading_x + way_y * heading_y
        side = heading_x * way_y - heading_y * way_x
        reach = radius + rule["clearance"]
        if along > 0 and side * side < reach * reach:
            until = along - math.sqrt(reach * reach - side * side)
            if until < rule["look_ahead"] * speed:
                met.append((until, side))
    if not met:
        return vx, vy
    # Of two obstacles at the same distance, min() takes the first.
    _, side = min(met, key=lambda obstacle: obstacle[0])
    if side > 0:
        return vx + rule["turn_factor"] * heading_y, vy - rule["turn_factor"] * heading_x
    return vx - rule["turn_factor"] * heading_y, vy + rule["turn_factor"] * heading_x


def leave_obstacles(x, y, vx, vy, config):
    """A boid inside an obstacle is moved to its edge, and the inward part of its velocity is mirrored.

    With `wrap_to` "edge" it is wrapped before, because it may land in an obstacle. On a torus it is then replaced by its image
    within the world, also with "edge": a circle may cross the border.
    """
    is_moved = False
    if config["world"]["border"] == "wrap" and config["world"]["wrap_to"] == "edge":
        x, y = wrap(x, config["world"]["width"], "edge"), wrap(y, config["world"]["height"], "edge")
    for centre_x, centre_y, radius in config["obstacles"]["circles"]:
        here_x, here_y = nearest_image(x, y, centre_x, centre_y, config)
        d = distance(here_x, here_y, centre_x, centre_y)
        if not d < radius:
            continue
        is_moved = True
        if d > 0:
            out_x, out_y = (here_x - centre_x) / d, (here_y - centre_y) / d
        else:
            # From the exact centre it moves against its velocity, or along +x if it is at rest.
            speed = math.sqrt(vx * vx + vy * vy)
            out_x, out_y = (-vx / speed, -vy / speed) if speed > 0 else (1.0, 0.0)
        x, y = centre_x + radius * out_x, centre_y + radius * out_y
        outward = vx * out_x + vy * out_y
        if outward < 0:
            vx, vy = vx - 2 * outward * out_x, vy - 2 * outward * out_y
    world = config["world"]
    if is_moved and world["border"] == "wrap" and world["distance"] == "torus":
        x, y = wrap(x, world["width"], "modulo"), wrap(y, world["height"], "modulo")
    return x, y, vx, vy


def flee(x, y, vx, vy, predators, config):
    """Turn away once from the sum of all predators in range."""
    rule = config["predators"]
    sum_dx = sum_dy = 0.0
    for predator in predators:
        there_x, there_y = nearest_image(predator[0], predator[1], x, y, config)
        if distance(x, y, there_x, there_y) < rule["radius"]:
            sum_dx += x - there_x
            sum_dy += y - there_y
    # Without a predator in range both sums are zero, and the velocity is unchanged.
    length = math.sqrt(sum_dx * sum_dx + sum_dy * sum_dy)
    if rule["form"] == "unit" and length > 0:
        return (
            vx + rule["turn_factor"] * sum_dx / length,
            vy + rule["turn_factor"] * sum_dy / length,
        )
    return vx + rule["turn_factor"] * sign(sum_dx), vy + rule["turn_factor"] * sign(sum_dy)


def sign(value):
    """1, -1 or 0."""
    return (value > 0) - (value < 0)


def limit(vx, vy, low, high):
    """Keep the speed within its limits. A boid at rest has no heading and stays at rest."""
    speed = math.sqrt(vx * vx + vy * vy)
    if speed == 0:
        return vx, vy
    if low is not None and speed < low:
        return vx / speed * low, vy / speed * low
    if high is not None and speed > high:
        return vx / speed * high, vy / speed * high
    return vx, vy


def move(agent, old_vx, old_vy, config):
    """Move by the new velocity, or by the one from before step 1 (`explicit`), and with the wind; leave obstacles; wrap or reflect."""
    x, y, vx, vy = agent
    world = config["world"]
    wind_x, wind_y = world["wind"]
    if config["integrator"] == "explicit":
        x, y = x + old_vx + wind_x, y + old_vy + wind_y
    else:
        x, y = x + vx + wind_x, y + vy + wind_y
    x, y, vx, vy = leave_obstacles(x, y, vx, vy, config)
    if world["border"] == "wrap":
        x = wrap(x, world["width"], world["wrap_to"])
        y = wrap(y, world["height"], world["wrap_to"])
    if world["border"] == "reflect" and world["shape"] == "disc":
        out_x, out_y, d, radius = from_centre(x, y, world)
        # Along its diameter, as between two walls.
        outward = vx * out_x + vy * out_y
        mirrored, mirrored_speed = reflect(d + radius, outward, 2 * radius)
        if d > radius:
            x, y = radius + (mirrored - radius) * out_x, radius + (mirrored - radius) * out_y
            vx, vy = (
                vx + (mirrored_speed - outward) * out_x,
                vy + (mirrored_speed - outward) * out_y,
            )
    elif world["border"] == "reflect":
        x, vx = reflect(x, vx, world["width"])
        y, vy = reflect(y, vy, world["height"])
    return [x, y, vx, vy]


def wrap(x, size, wrap_to):
    """Wrap a coordinate. At exactly 0 or `size` a boid has not left the world."""
    if wrap_to == "edge":
        if x < 0:
            return size
        return 0.0 if x > size else x
    while x < 0:
        x += size
    while x > size:
        x -= size
    return x


def reflect(x, vx, size):
    """Mirror position and velocity at the walls until the boid is inside."""
    while x < 0 or x > size:
        x = -x if x < 0 else 2 * size - x
        vx = -vx
    return x, vx
