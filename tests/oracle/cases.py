"""Cases to compare: a preset, keys to set, a start state, a number of steps.

`all_cases` returns the whole list. A case is cheap to make; compare.py runs it. Names go from the general to
the special, so that `--only castor` or `--only /torus` selects cases.
"""

import itertools
import json

import states
from reference import CHOICES, override, resolve

PRESET_NAMES = ("adams", "castor", "bees", "fish", "p5", "parker", "processing")

# Presets of the literature and of related programs. They do not allow `reynolds` and `passes`, which the cases of the others use.
LITERATURE_NAMES = (
    "vicsek",
    "chate",
    "mesa",
    "agents",
    "couzin",
    "couzin_unit",
    "topological",
    "eater",
    "mason",
    "cucker_smale",
    "netlogo",
)


def rows(text):
    """[(name, {key: value})] of a table; its values are JSON without spaces."""
    found = []
    for line in text.strip().splitlines():
        name, *words = line.split()
        pairs = (word.split("=") for word in words)
        found.append((name, {key: json.loads(value) for key, value in pairs}))
    return found


BORDERS = dict(
    rows(
        """
        bounce world.border="bounce" world.margin=60 world.turn_factor=0.3
        reflect world.border="reflect"
        open world.border="open"
        modulo-torus world.border="wrap" world.wrap_to="modulo" world.distance="torus"
        modulo-plane world.border="wrap" world.wrap_to="modulo" world.distance="plane"
        edge-torus world.border="wrap" world.wrap_to="edge" world.distance="torus"
        edge-plane world.border="wrap" world.wrap_to="edge" world.distance="plane"
        """
    )
)


def nth_border(n):
    return list(BORDERS.values())[n % len(BORDERS)]


def nth(text, n):
    """The settings of case n. A line has a key, the number of cases for which it stays, and its values, in turn."""
    found = {}
    for line in text.strip().splitlines():
        key, period, *values = line.split()
        found[key] = json.loads(values[n // int(period) % len(values)])
    return found


# Steps after which rounding errors are still below TOLERANCE. Parker's boids push each other away with all their offsets, and
# double a difference in each step.
STEPS = {"parker": 8}

UPDATES = ("synchronous", "sequential", "passes")

RULES_OFF = {
    "flock.separation.radius": 0,
    "flock.alignment.radius": 0,
    "flock.alignment.inner_radius": 0,
    "flock.cohesion.radius": 0,
    "flock.cohesion.inner_radius": 0,
}


class Case:
    """One comparison. `given` is the preset as its file has it, `sets` the dotted keys laid over it."""

    def __init__(self, name, preset, given, sets, make_state, steps=20, quick=True):
        self.name, self.preset, self.sets, self.quick = name, preset, dict(sets), quick
        self.steps = min(steps, STEPS.get(preset, steps))
        for key, value in self.sets.items():
            given = override(given, key, value)
        self.config = resolve(given)
        self.state = make_state(self.config)
        # Ids and the order of rows in the initial file; a few cases have gaps and disorder.
        boids, predators = self.state
        self.boid_ids = list(range(len(boids)))
        self.predator_ids = list(range(len(boids), len(boids) + len(predators)))
        self.row_order = list(range(len(boids) + len(predators)))


class Book:
    """Collects cases, so that the functions below read as lists of what they add."""

    def __init__(self, presets):
        self.presets, self.cases = presets, []

    def add(self, name, preset, sets, make_state, **how):
        """Add a case of a preset, and return it."""
        self.cases.append(
            Case(preset + "/" + name, preset, self.presets[preset], sets, make_state, **how)
        )
        return self.cases[-1]

    def add_nth(self, n, name, sets, seed, every=3, predators=1):
        """Add a case of adams in the nth border; every third one or so is quick."""
        make = flock(40, predators, seed=seed + n)
        self.add(name, "adams", {**sets, **nth_border(n)}, make, quick=n % every == 0)

    def own_update(self, preset):
        """The update order that the preset comes with."""
        return resolve(self.presets[preset])["update"]

    def own_border(self, preset):
        """The preset's border under its name in BORDERS."""
        world = resolve(self.presets[preset])["world"]
        return (
            world["wrap_to"] + "-" + world["distance"]
            if world["border"] == "wrap"
            else world["border"]
        )


def all_cases(presets):
    """Every case, given the presets as their files have them."""
    book = Book(presets)
    for add in (
        add_presets,
        add_updates,
        add_borders,
        add_discs,
        add_thresholds,
        add_combinations,
        add_predators,
        add_small_tori,
        add_few,
        add_outside,
        add_limits,
        add_radii,
        add_margins,
        add_rows,
        add_wind,
        add_goals,
        add_obstacles,
        add_hunts,
        add_literature,
        add_sums,
        add_falloff,
        add_noise,
        add_views,
        add_nearest,
        add_turns,
    ):
        add(book)
    return book.cases


def flock(n, predators=0, kind=states.spread, **how):
    """A maker of random flocks of this size, for Case."""
    return lambda config: kind(n, config, predators=predators, **how)


# The presets as they are ----------------------------------------------------------------------------------


def add_presets(book):
    """Each preset, in its own order and in synchronous order, sparse and dense."""
    for preset in PRESET_NAMES:
        for update in (book.own_update(preset), "synchronous"):
            for n in (50, 200):
                for kind in (states.spread, states.clumped):
                    predators = 1 if preset == "adams" else 0
                    name = "%s/%s-%d" % (update, kind.__name__, n)
                    make = flock(n, predators, kind)
                    quick = n == 50 and kind is states.clumped
                    book.add(name, preset, {"update": update}, make, quick=quick)


def add_updates(book):
    """Each preset in the order that is neither its own nor synchronous."""
    for preset in PRESET_NAMES:
        for update in UPDATES[1:]:
            if update != book.own_update(preset):
                for kind in (states.spread, states.clumped):
                    name = "%s/%s-40" % (update, kind.__name__)
                    quick = kind is states.clumped
                    book.add(name, preset, {"update": update}, flock(40, kind=kind), quick=quick)


def add_borders(book):
    """Each preset with every border except its own."""
    for preset in PRESET_NAMES:
        for border, sets in BORDERS.items():
            if border == book.own_border(preset):
                continue
            for update in (book.own_update(preset), "synchronous"):
                if preset == "bees" and update == "synchronous":
                    continue  # At a border, bees are Adams' boids.
                sets = dict(sets, update=update)
                quick = update == "synchronous" and preset in ("castor", "p5")
                book.add("%s/%s" % (border, update), preset, sets, flock(40), quick=quick)


def add_discs(book):
    """Walls and margins of a disc, for boids and predators, in every order, also from far outside."""
    for n, (border, update) in enumerate(
        itertools.product(("bounce", "reflect"), CHOICES["update"])
    ):
        sets = dict(
            BORDERS[border],
            update=update,
            integrator=("semi-implicit", "explicit")[n % 2],
            **{"world.shape": "disc", "world.width": 150, "world.height": 150},
        )
        book.add("disc-%s/%s" % (border, update), "adams", sets, flock(40, 3), quick=n % 3 == 0)
        if update in UPDATES:
            make = flock(20, 2, states.outside)
            book.add(
                "disc-%s/outside/%s" % (border, update),
                "adams",
                sets,
                make,
                steps=10,
                quick=n % 3 == 1,
            )
    wide = dict(
        BORDERS["bounce"],
        **{"world.shape": "disc", "world.width": 150, "world.height": 150, "world.margin": 200},
    )
    book.add("disc-margin-everywhere", "adams", wide, flock(40))


# Exactly on the thresholds --------------------------------------------------------------------------------


def add_thresholds(book):
    """Each preset from states exactly on its radii, margins, edges and limits."""
    spacings = {
        "adams": (8,),
        "bees": (8,),
        "castor": (2, 1.5, 0.5),
        "fish": (10,),
        "p5": (10,),
        "parker": (50,),
        "processing": (5,),
    }
    for preset in PRESET_NAMES:
        for update in (book.own_update(preset), "synchronous"):
            sets = {"update": update}
            for spacing in spacings[preset]:
                # Bind the spacing now: the loop variable changes before the call.
                book.add(
                    "thresholds/lattice-%g/%s" % (spacing, update),
                    preset,
                    sets,
                    lambda config, spacing=spacing: states.lattice(config, spacing),
                )
            # These pairs are on their threshold in frame 0 only.
            add_roomy(book, "thresholds/rims/%s" % update, preset, sets, states.rims, steps=8)
            add_roomy(book, "thresholds/speeds/%s" % update, preset, sets, states.speeds)
            add_roomy(book, "thresholds/coincident/%s" % update, preset, sets, states.coincident)
            add_roomy(book, "thresholds/hunted/%s" % update, preset, sets, states.hunted)
    for preset in PRESET_NAMES:
        book.add("thresholds/walls", preset, RULES_OFF, states.walls, steps=5)
    for n, (border, sets) in enumerate(BORDERS.items()):
        # With `passes` and `explicit`, a border could use the wrong position or velocity.
        sets = dict(RULES_OFF, update="passes", integrator="explicit", **sets)
        quick = n % 2 == 1
        book.add("thresholds/walls-%s" % border, "adams", sets, states.walls, steps=4, quick=quick)
    for form in ("unit", "inverse", "quartic"):
        sets = {"flock.separation.form": form, "flock.separation.radius": 10}
        add_roomy(book, "thresholds/rims-%s" % form, "adams", sets, states.rims, steps=8)
        for update in UPDATES:
            name = "thresholds/coincident-%s/%s" % (form, update)
            add_roomy(book, name, "adams", dict(sets, update=update), states.coincident)
    oblique = {"flock.min_speed": 2.5, "flock.max_speed": 5}
    add_roomy(book, "thresholds/speeds-oblique", "adams", oblique, states.speeds)


def add_roomy(book, name, preset, sets, make, **how):
    """Add a case of a state that also defines the size of its world."""
    config = book.presets[preset]
    for key, value in sets.items():
        config = override(config, key, value)
    state, width, height = make(resolve(config))
    sets = dict(sets, **{"world.width": width, "world.height": height})
    return book.add(name, preset, sets, lambda config: state, **how)


# Every form with every other ------------------------------------------------------------------------------


def add_combinations(book):
    """All combinations of forms, steerings, limit orders and integrators, with alternating update orders and borders."""
    forms = ("offset", "unit", "inverse", "quartic")
    axes = (
        forms,
        ("difference", "mean"),
        ("direct", "reynolds"),
        ("after_border", "before_border"),
    )
    integrators = ("semi-implicit", "explicit")
    for n, (form, mean, steering, limit, integrator) in enumerate(
        itertools.product(*axes, integrators)
    ):
        update = UPDATES[n % 3]
        border = list(BORDERS)[n % len(BORDERS)]
        sets = {
            "update": update,
            "integrator": integrator,
            "world.width": 150,
            "world.height": 120,
            "flock.limit": limit,
            "flock.steering": steering,
            "flock.max_force": 0.2 if steering == "reynolds" else None,
            "flock.min_speed": 1,
            "flock.max_speed": 4,
            "flock.separation.form": form,
            "flock.separation.radius": 12,
            "flock.alignment.form": mean,
            "flock.alignment.inner_radius": 6,
            "flock.cohesion.inner_radius": 9,
            "flock.cohesion.factor": 0.01,
            "predators.radius": 30,
            "predators.turn_factor": 0.4,
        }
        # What `direct` adds is in units of the yield, and the three forms yield very different lengths.
        sets["flock.separation.factor"] = {
            "offset": 0.05,
            "unit": 0.4,
            "inverse": 2,
            "quartic": 40,
        }[form]
        sets.update(BORDERS[border])
        name = "mix/" + "-".join((form, mean, steering, limit, integrator, update, border))
        book.add(name, "adams", sets, flock(24, 2, seed=100 + n), quick=n % 4 == 0)


# Predators ------------------------------------------------------------------------------------------------


def add_predators(book):
    """None, one and several predators, with every border and with the limit before the border."""
    for update in ("sequential", "synchronous"):
        for predators in (0, 1, 5):
            name = "predators-%d/%s" % (predators, update)
            quick = predators == 5
            book.add(name, "adams", {"update": update}, flock(50, predators), quick=quick)
    for preset, reach in (("castor", 10), ("bees", 100), ("fish", 60), ("p5", 100)):
        for update in (book.own_update(preset), "synchronous"):
            sets = {"update": update, "predators.radius": reach, "predators.turn_factor": 0.3}
            book.add(
                "predators-3/%s" % update, preset, sets, flock(40, 3), quick=preset == "castor"
            )
    for n, (border, sets) in enumerate(BORDERS.items()):
        sets = dict(sets, update=UPDATES[n % 3])
        book.add("predators-4/%s" % border, "adams", sets, flock(40, 4), quick=n % 2 == 0)
    late = {"flock.limit": "before_border", "predators.turn_factor": 2}
    book.add("predators-3/before_border", "adams", late, flock(40, 3))
    book.add("predators-3/explicit", "adams", {"integrator": "explicit"}, flock(40, 3))
    book.add("predators-3/radius-0", "adams", {"predators.radius": 0}, flock(40, 3))
    book.add("predators-3/no-rules", "adams", RULES_OFF, flock(40, 3))


# Worlds that a grid finds hard ----------------------------------------------------------------------------


def add_small_tori(book):
    """Tori of fewer than three cells, radii larger than half the world and than the world."""
    torus = BORDERS["modulo-torus"]
    sizes = ((100, 100, 25), (60, 64, 20), (48, 400, 30), (400, 48, 30), (32, 16, 8))
    for (width, height, n), update in itertools.product(sizes, UPDATES):
        sets = dict(torus, update=update, **{"world.width": width, "world.height": height})
        name = "torus-%gx%g/%s" % (width, height, update)
        quick = update == "synchronous"
        book.add(name + "/random", "adams", sets, flock(n, 2), quick=quick)
        # On the border, min_speed would magnify sums that nearly cancel; see the traps in states.py.
        sets = dict(sets, **{"flock.min_speed": None})
        book.add(name + "/seam", "adams", sets, states.seam, steps=10, quick=quick)
    for preset, form in itertools.product(("castor", "fish", "p5"), ("modulo", "edge")):
        sets = dict(torus, **{"world.width": 64, "world.height": 56, "world.wrap_to": form})
        book.add("torus-64x56/%s" % form, preset, sets, flock(8))
    sets = dict(torus, **{"world.width": 12, "world.height": 10})
    book.add("torus-12x10/two", "adams", sets, flock(2))
    book.add("torus-12x10/one", "adams", sets, flock(1))


def add_few(book):
    """One boid and two boids."""
    for preset in PRESET_NAMES:
        for update in (book.own_update(preset), "synchronous"):
            for n in (1, 2):
                # Two boids in a clump are neighbours.
                make = flock(n, kind=states.clumped)
                book.add("alone-%d/%s" % (n, update), preset, {"update": update}, make)


def add_outside(book):
    """Flocks that begin so far outside the world that no grid covers them."""
    for border, sets in BORDERS.items():
        for update in ("synchronous", "sequential"):
            name = "outside/%s/%s" % (border, update)
            make = flock(40, 2, states.outside)
            book.add(name, "adams", dict(sets, update=update), make, quick=update == "synchronous")
    for preset in ("castor", "fish", "p5"):
        book.add("outside", preset, {}, flock(40, kind=states.outside))
    book.add("outside/far", "adams", {}, flock(30, 2, states.outside, worlds=20))
    # The largest radius is tiny in a huge world, so there would be too many cells of its size.
    tiny = dict(RULES_OFF, **{"world.width": 100000, "world.height": 80000})
    tiny["flock.separation.radius"] = 1 / 1024
    for update in UPDATES:
        book.add("huge-world/%s" % update, "adams", dict(tiny, update=update), states.close_pairs)


# Keys at their ends ---------------------------------------------------------------------------------------


def add_table(book, title, text, make):
    """Add a case of each row, with alternating update orders."""
    for n, (name, sets) in enumerate(rows(text)):
        sets = dict(sets, update=UPDATES[n % 3])
        book.add("%s-%s" % (title, name), "adams", sets, make, quick=n % 2 == 0)


LIMITS = """
none flock.min_speed=null flock.max_speed=null
only-min flock.max_speed=null
only-max flock.min_speed=null
equal flock.min_speed=4 flock.max_speed=4
spread flock.speed_spread=0.4
spread-before-only-max flock.speed_spread=1 flock.min_speed=null flock.limit="before_border"
zero flock.min_speed=0 flock.max_speed=0
before flock.limit="before_border"
"""
RADII = """
none flock.separation.radius=0 flock.alignment.radius=0 flock.alignment.inner_radius=0 flock.cohesion.radius=0 flock.cohesion.inner_radius=0
no-separation flock.separation.radius=0
no-alignment flock.alignment.radius=0 flock.alignment.inner_radius=0
no-cohesion flock.cohesion.radius=0 flock.cohesion.inner_radius=0
empty-ring flock.alignment.inner_radius=40 flock.cohesion.inner_radius=40
narrow-rings flock.alignment.inner_radius=30 flock.cohesion.inner_radius=35
unequal flock.separation.radius=55 flock.alignment.radius=25
no-factors flock.separation.factor=0 flock.cohesion.factor=0
negative flock.separation.factor=-0.02 flock.cohesion.factor=-0.001
everyone flock.alignment.radius=2000 flock.cohesion.radius=2000
"""
MARGINS = """
four world.margin={"left":20,"right":200,"top":150,"bottom":40}
missing-sides world.margin={"left":200}
one-of-four world.margin.left=250
none world.margin=0
meet world.margin=320
overlap world.margin={"left":400,"right":400,"top":300,"bottom":300}
swallow world.margin=1000
no-turn world.turn_factor=0
"""


def add_limits(book):
    """Speed limits that are absent, equal, zero."""
    add_table(book, "limits", LIMITS, flock(40, 1))
    for preset in ("castor", "fish"):
        book.add("limits-none", preset, {"flock.max_speed": None}, flock(30))
    for preset in ("adams", "castor"):
        book.add("at-rest", preset, {}, lambda config: states.still(60, config), quick=False)


def add_radii(book):
    """Rules off, rings without room, factors of zero and below."""
    add_table(book, "radii", RADII, flock(40, kind=states.clumped))


def add_margins(book):
    """Four different margins, margins that meet, overlap and swallow the world."""
    add_table(book, "margins", MARGINS, flock(40, 1))


def add_rows(book):
    """Initial files whose ids have gaps and whose rows are in disorder: a flock is in id order regardless."""
    for update in UPDATES:
        sets = {"update": update}
        mixed = book.add("rows/shuffled/%s" % update, "adams", sets, flock(40, 2), quick=False)
        mixed.row_order = sorted(mixed.row_order, key=lambda row: row * 29 % 42)
        gaps = book.add("rows/gaps/%s" % update, "adams", sets, flock(40, 2))
        gaps.boid_ids = [7 * i + 100 for i in gaps.boid_ids]
        # Predators may have the lowest ids; they are written after the boids all the same.
        gaps.predator_ids = [3, 5]
        gaps.row_order = gaps.row_order[::-1]


# Beyond the flock -----------------------------------------------------------------------------------------


def add_wind(book):
    """A wind with every border, in every order, also for predators."""
    for n, (border, sets) in enumerate(BORDERS.items()):
        sets = dict(sets, update=UPDATES[n % 3], **{"world.wind": [1.25, -0.75]})
        book.add("wind/%s" % border, "adams", sets, flock(40, 2), quick=n % 2 == 0)
    book.add("wind/explicit", "p5", {"world.wind": [-3, 0]}, flock(40), quick=False)


GOALS = """
unit
offset goals.form="offset" goals.factor=0.001
away goals.factor=-0.2
balanced goals.form="balanced" goals.factor=0.5 goals.share=0.6
radius goals.radius=200 goals.factor=0.5
balanced-radius goals.form="balanced" goals.factor=0.5 goals.radius=150
balanced-off goals.form="balanced" goals.factor=0
every goals.every=3 goals.factor=0.3
far goals.points=[[-20000,9000]]
share goals.share=0.3 goals.factor=0.5
direction goals.points=[] goals.direction=180 goals.factor=0.4 goals.share=0.45
"""


def add_goals(book):
    """Near and far goals, in both forms and steerings, one after another and all at once."""
    near = [[100, 100], [500, 420], [620, 30]]
    for n, ((name, sets), update) in enumerate(itertools.product(rows(GOALS), UPDATES)):
        sets = dict({"goals.points": near, "update": update}, **sets)
        sets.update(nth_border(n))
        book.add("goals-%s/%s" % (name, update), "adams", sets, flock(40, 1), quick=n % 3 == 0)
    for form in ("unit", "offset"):
        sets = {"goals.points": near, "goals.form": form, "goals.factor": 1}
        book.add("goals-%s" % form, "p5", sets, flock(40), quick=False)
    for n, force in enumerate((None, 0.3)):
        sets = {
            "goals.direction": 90,
            "goals.form": "balanced",
            "goals.factor": 0.5,
            "goals.share": 0.3,
            "flock.inertia": 0.25,
            "flock.max_force": force,
        }
        book.add("goals-balanced-direction/%d" % n, "adams", sets, flock(40, 1))
    # Boids exactly on a goal, and half-way between two.
    still = dict(RULES_OFF, **{"goals.points": [[64, 64], [192, 64]], "flock.min_speed": None})
    for update in UPDATES:
        book.add(
            "goals-ties/%s" % update, "adams", dict(still, update=update), states.between_goals
        )


def add_obstacles(book):
    """Circles on the path, with every border, in every order; also without looking ahead, and for predators."""
    rocks = [[320, 240, 60], [100, 100, 30], [500, 400, 45], [630, 240, 30]]
    for n, ((border, sets), update) in enumerate(itertools.product(BORDERS.items(), UPDATES)):
        sets = dict(sets, update=update, **{"obstacles.circles": rocks})
        name = "obstacles-%s/%s" % (border, update)
        book.add(name, "adams", sets, flock(40, 2, seed=200 + n), quick=n % 4 == 0)
    blind = {"obstacles.circles": rocks, "obstacles.turn_factor": 0, "world.wind": [2, 0]}
    for update in UPDATES:
        book.add("obstacles-blind/%s" % update, "adams", dict(blind, update=update), flock(60, 3))
    near = {"obstacles.circles": rocks, "obstacles.look_ahead": 2, "obstacles.clearance": 0}
    for preset in ("p5", "fish", "castor"):
        book.add("obstacles-near", preset, near, flock(40), quick=False)
    book.add("obstacles-explicit", "adams", dict(near, integrator="explicit"), flock(40, 1))
    alone = dict(RULES_OFF, **{"obstacles.circles": [[128, 128, 32]], "flock.min_speed": None})
    for border in ("open", "modulo-torus"):
        sets = dict(alone, **BORDERS[border])
        book.add("obstacles-ties/%s" % border, "adams", sets, states.on_obstacles, steps=10)


def add_hunts(book):
    """Predators that hunt, with their own speed limits, with every border and in every order; boids that flee straight."""
    for n, ((border, sets), update) in enumerate(itertools.product(BORDERS.items(), UPDATES)):
        kind = ("nearest", "centre")[n % 2]
        sets = dict(
            sets,
            update=update,
            **{"predators.hunt": kind, "predators.form": ("unit", "axes")[n % 3 == 0]},
        )
        if n % 2:
            sets.update(
                {"predators.min_speed": None, "predators.max_speed": 8, "predators.factor": 1}
            )
        book.add(
            "hunt-%s/%s/%s" % (kind, border, update),
            "adams",
            sets,
            flock(40, 3, seed=300 + n),
            quick=n % 4 == 0,
        )
    sets = {"predators.hunt": "nearest", "integrator": "explicit", "flock.limit": "before_border"}
    book.add("hunt-nearest/explicit", "adams", sets, flock(40, 3))
    # One predator has two boids at the same distance, one is on a boid, one is in the middle of all.
    still = dict(RULES_OFF, **{"flock.min_speed": None, "predators.radius": 0})
    for kind in ("nearest", "centre"):
        book.add(
            "hunt-ties/%s" % kind,
            "adams",
            dict(still, **{"predators.hunt": kind}),
            states.hunters,
            steps=1,
        )


# The literature's keys ------------------------------------------------------------------------------------


def add_literature(book):
    """Each preset of the literature, in its own order and in others, sparse and dense, with every border."""
    for preset in LITERATURE_NAMES:
        for update in dict.fromkeys(
            (book.own_update(preset), "synchronous", "sequential", "shuffled")
        ):
            for kind in (states.spread, states.dense):
                name = "%s/%s-60" % (update, kind.__name__)
                book.add(
                    name,
                    preset,
                    {"update": update},
                    flock(60, kind=kind),
                    quick=kind is states.spread,
                )
            book.add("alone/%s" % update, preset, {"update": update}, flock(1))
        # In a pair, the mate of the first turtle is exactly behind it, so rounding decides the side of its turn.
        few = 120 if preset == "netlogo" else 40
        for border, sets in BORDERS.items():
            book.add(border, preset, sets, flock(few), quick=border == "reflect")
        book.add("explicit", preset, {"integrator": "explicit"}, flock(40))
        book.add("other-seed", preset, {"seed": 20261122}, flock(40))


TURNS = """
flock.steering 1 "turn"
flock.separation.max_turn 1 null 8 30
flock.alignment.max_turn 1 10 null
flock.cohesion.max_turn 2 4 40
flock.separation.factor 1 -1 1 1 1
flock.separation.nearest 3 null 2
flock.cohesion.form 1 "offset" "unit"
flock.means 1 "without_self" "with_self"
flock.priority 2 "none" "separation"
flock.noise.eta 4 0 0.5
goals.points 1 [] [[100,100]] [] [] []
"""


def add_turns(book):
    """Turns by rule: with and without limits, away from positions and headings, with priority and goals, in every update order."""
    updates = [update for update in CHOICES["update"] if update != "passes"]
    for n, (update, form) in enumerate(
        itertools.product(updates, ("headings", "offset", "inverse"))
    ):
        sets = {
            "update": update,
            "flock.separation.form": form,
            **nth(TURNS, n),
            **nth_border(n),
        }
        book.add(
            "turns/%s-%s" % (update, form),
            "adams",
            sets,
            flock(60, 1, seed=900 + n, kind=states.dense),
            quick=n % 2 == 0,
            steps=8,
        )  # away from headings, small differences of headings double in each step


SUMS = """
update 1 "synchronous" "sequential" "passes"
world.width 1 150
world.height 1 120
flock.means 1 "without_self" "with_self"
flock.min_speed 1 1
flock.max_speed 1 4
flock.separation.radius 1 12
flock.separation.factor 1 0.05
flock.alignment.form 2 "difference" "mean"
flock.alignment.normalise 1 "mean" "unit" "by_form" "sum"
flock.alignment.factor 1 0.02
flock.cohesion.normalise 1 "unit" "by_form" "sum" "mean"
flock.cohesion.factor 1 0.002
"""


def add_sums(book):
    """Sums, means and directions, with and without the boid itself, in every form, steering and update order."""
    ways = ("sum", "mean", "unit", "by_form", "seen")
    forms = ("offset", "unit", "inverse")
    for n, (way, form, steering) in enumerate(
        itertools.product(ways, forms, ("direct", "reynolds"))
    ):
        sets = {
            "flock.steering": steering,
            "flock.max_force": 0.2 if steering == "reynolds" else None,
            "flock.separation.form": form,
            "flock.separation.normalise": way,
            **nth(SUMS, n),
        }
        about = (way, form, steering, sets["flock.means"], sets["update"])
        name = "sums/%s-%s-%s-%s/%s" % about
        book.add(name, "adams", sets, flock(24, 1, seed=300 + n), quick=n % 3 == 0)
    for inertia, force in ((0, None), (0.5, None), (1.25, None), (1, 0.3), (0.5, 0.3)):
        for update in ("synchronous", "sequential"):
            sets = {"flock.inertia": inertia, "flock.max_force": force, "update": update}
            book.add(
                "sums/inertia-%g-force-%s/%s" % (inertia, force, update), "adams", sets, flock(40)
            )
    # `latest` alignment reads the velocity after the other rules.
    for n, (update, means) in enumerate(
        itertools.product(("synchronous", "sequential", "shuffled"), ("without_self", "with_self"))
    ):
        for how in (
            {},
            {"flock.alignment.normalise": "sum"},
            {"flock.inertia": 0.5, "flock.max_force": 0.3},
            {"flock.priority": "separation"},
            {"flock.steering": "reynolds", "flock.max_force": 0.2},
        ):
            sets = dict(
                {"update": update, "flock.means": means, "flock.alignment.form": "latest"}, **how
            )
            name = "sums/latest-%s-%s/%s" % (
                "-".join(key[6:] for key in how) or "alone",
                means,
                update,
            )
            book.add(name, "adams", sets, flock(40, seed=600 + n), quick=n % 2 == 0)
    # A boid without neighbours keeps its velocity, also without inertia.
    book.add(
        "sums/inertia-0-still",
        "adams",
        {"flock.inertia": 0},
        lambda config: states.still(40, config),
        steps=5,
    )


FALLOFF = """
flock.means 2 "without_self" "with_self"
flock.alignment.form 3 "difference" "mean"
flock.alignment.normalise 1 "by_form" "sum" "unit"
flock.alignment.factor 1 0.05 0.02
flock.alignment.nearest 1 4 null null null null
flock.cohesion.form 1 "offset" "unit"
flock.cohesion.view 1 250 360 360
"""


def add_falloff(book):
    """Weights that fall off with the distance: each part of an exponent, in every form, sum and update order."""
    for n, (exponent, update) in enumerate(
        itertools.product((0.25, 0.5, 0.75, 1, 2.25, 4), CHOICES["update"])
    ):
        sets = {
            "update": update,
            **nth(FALLOFF, n),
            "flock.alignment.falloff_scale": (None, 5, 30)[n % 3] if exponent < 1 else 12,
            "flock.alignment.falloff_exponent": exponent,
            "flock.cohesion.falloff_scale": 20 if n % 4 or exponent < 1 else None,
            "flock.cohesion.falloff_exponent": exponent,
        }
        book.add_nth(n, "falloff/%g-%d/%s" % (exponent, n, update), sets, seed=800)
    for update in UPDATES:
        sets = {
            "update": update,
            "flock.alignment.falloff_scale": 5,
            "flock.cohesion.falloff_scale": 5,
        }
        add_roomy(book, "falloff/coincident/%s" % update, "adams", sets, states.coincident)


def add_noise(book):
    """Noise in every update order, with each border, and with predators, which have no noise."""
    for n, update in enumerate(UPDATES):
        for eta, vector in ((0.5, 0), (0, 0.75), (6.283185307179586, 1)):
            sets = {"update": update, "flock.noise.eta": eta, "flock.noise.vector": vector}
            sets.update(list(BORDERS.values())[n])
            book.add(
                "noise/%g-%g/%s" % (eta, vector, update),
                "adams",
                sets,
                flock(40, 2),
                quick=vector == 1,
            )
    late = {"flock.noise.eta": 1, "flock.limit": "before_border", "integrator": "explicit"}
    book.add("noise/before_border-explicit", "adams", late, flock(40, 2))


def add_views(book):
    """Views of every width, directions of cohesion, priority and largest turns, in every update order."""
    for n, (view, update) in enumerate(
        itertools.product((60, 180, 181, 270, 359.5), CHOICES["update"])
    ):
        sets = {
            "update": update,
            "flock.%s.view" % ("separation", "alignment", "cohesion")[n % 3]: view,
            "flock.alignment.view": 300,
            "flock.cohesion.form": ("offset", "unit")[n % 2],
            "flock.cohesion.factor": 0.002 if n % 2 == 0 else 0.05,
            "flock.max_turn": (None, 10, 90, 180)[n % 4],
            "flock.priority": ("none", "separation")[n // 2 % 2] if update != "passes" else "none",
            "flock.separation.form": ("offset", "unit", "inverse")[n % 3],
        }
        book.add_nth(n, "views/%g-%d/%s" % (view, n, update), sets, seed=400)
    at_rest = {"flock.alignment.view": 90, "flock.cohesion.view": 90, "flock.min_speed": None}
    book.add("views/still", "adams", at_rest, lambda config: states.still(40, config), steps=8)


def add_nearest(book):
    """The nearest of each rule alone and of all together, in every update order."""
    for n, (k, update) in enumerate(itertools.product((1, 3, 7, 32), CHOICES["update"])):
        sets = {"update": update, "flock.alignment.nearest": k}
        if n % 2:
            sets.update(
                {"flock.separation.nearest": 2, "flock.cohesion.nearest": k + 1 if k < 32 else 5}
            )
        book.add_nth(n, "nearest/%d-%d/%s" % (k, n, update), sets, seed=500)
    # At any distance.
    for n, update in enumerate(CHOICES["update"]):
        sets = {"update": update, "flock.alignment.nearest": 4, "flock.alignment.radius": None}
        if n % 2:
            sets.update(
                {
                    "flock.cohesion.nearest": 9,
                    "flock.cohesion.radius": None,
                    "flock.separation.radius": 0,
                }
            )
        book.add_nth(n, "nearest/any-%d/%s" % (n, update), sets, every=2, predators=2, seed=700)
    # All neighbours: only the order of a sum changes.
    sets = {"flock.alignment.nearest": 32, "flock.cohesion.nearest": 32}
    book.add("nearest/all", "adams", sets, flock(33, kind=states.clumped))
