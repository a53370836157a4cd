#!/usr/bin/env python3
"""Random sequences of operations of the package and the program on one flock and its files, against a model that numpy computes.

    tests/python/test_combinations.py [COUNT [FIRST]]       COUNT sequences from number FIRST on; without a number: the tests

After each operation, what is seen must be what the model predicts: states are those of the program for the same configuration,
observables are computed again with numpy, and files hold the frames that they were made from. What the model calls valid must not be
refused. A finding is printed with the number of its sequence and the operations that it needs.
"""

import copy
import faulthandler
import functools
import json
import operator
import os
import pickle
import random
import re
import subprocess
import sys
import tempfile
import traceback
import unittest
import warnings

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [TESTS, os.path.join(TESTS, "cli"), os.path.join(TESTS, "..", "python")]

from support import BOIDS, ROOT, SEED, by_level  # noqa: E402

BUILD = os.path.dirname(BOIDS)
BUILD = BUILD if BUILD != ROOT else os.path.join(ROOT, "build", "release")
os.environ.setdefault("BOIDS_LIBRARY", os.path.join(BUILD, "libboids.so.1"))
os.environ["MALLOC_PERTURB_"] = "165"  # memory of the program that was never written is no 0

import numpy as np  # noqa: E402
import pandas  # noqa: E402
import test_observables as oracle  # noqa: E402

import boids  # noqa: E402
import boids.tracks  # noqa: E402

LENGTH, PATIENCE = 16, 60
RADII = ("flock.cohesion.radius", "flock.separation.radius", "predators.radius")
SPEEDS = ("flock.min_speed", "flock.max_speed")
ROUNDED = ("milling", "elongation", "spread")  # nearly 0 / 0 with one boid or two
OPERATIONS = {}


def operation(weight=1):
    """Add a function to the table. One with the argument `film` is passed over as long as there is none."""

    def add(function):
        OPERATIONS[function.__name__] = function, weight
        return function

    return add


def same(what, found, right, rtol=0.0):
    found, right = np.asarray(found, float), np.asarray(right, float)
    is_same = found.shape == right.shape and np.allclose(
        found, right, rtol, 1e-9 * (rtol > 0), True
    )
    assert is_same, f"{what}: {found} must be {right}"


def changed(config, changes):
    """A copy of a nested configuration with other values of some keys."""
    config = json.loads(json.dumps(config))
    for key, value in changes.items():
        *sections, name = key.split(".")
        functools.reduce(operator.getitem, sections, config)[name] = value
    return config


def rules_at(config, step):
    """The rules that made the state of a step: with the changes of the schedule at earlier steps."""
    for entry in config["schedule"]:
        config = changed(config, entry["set"] if entry["at"] < step else {})
    return config


def chosen(steps, first, every):
    """The indices of the frames that an output has (docs/files.md)."""
    late = [k for k, step in enumerate(steps) if step >= first] or [len(steps) - 1]
    return [k for k in late if k in (late[0], len(steps) - 1) or steps[k] % every == 0]


class Film:
    """What a trajectory must hold: agents (T, n + m, 4), NaN if absent, and the observables in its file, `stored`."""

    is_sparse, is_whole, run = False, True, None

    def __init__(self, config, n, steps, agents, stored=()):
        self.config, self.n, self.agents, self.stored = config, n, np.array(agents), dict(stored)
        self.shift(steps)

    def shift(self, steps):
        self.steps, self.files, self.words = list(steps), [], None
        self.rules = [rules_at(self.config, step) for step in self.steps]

    def part(self, rows):
        film = copy.copy(self)
        film.files, film.agents, film.words = [], self.agents[rows], None
        film.steps, film.rules = ([some[k] for k in rows] for some in (self.steps, self.rules))
        film.stored = {name: values[rows] for name, values in self.stored.items()}
        return film

    def numbers(self):
        """{name: (T)} of the observables of the agents that are present."""
        rows = []
        for rules, agents in zip(self.rules, self.agents):
            flock, predators = (a[np.isfinite(a[:, 0])] for a in np.split(agents, [self.n]))
            rows.append(dict.fromkeys(oracle.MEASURES, np.nan))
            if len(flock):
                rows[-1] = oracle.measure(oracle.World(rules), flock, predators)
            if len(flock) < 3:
                rows[-1].update(dict.fromkeys(ROUNDED, np.nan))
        return {name: np.array([row[name] for row in rows]) for name in oracle.MEASURES}

    def check_numbers(self, what, found, right):
        for name in set(found) & set(right):
            values, wanted = np.ravel(found[name]), right[name]
            unknown = np.isnan(values) if self.is_sparse else np.zeros(len(wanted), bool)
            if name in ROUNDED:
                unknown |= np.isnan(wanted)
            same(f"{what} {name}", values[~unknown], wanted[~unknown], 1e-5)

    def check(self, run):
        """Compare a trajectory with this one."""
        same("steps", run.steps, self.steps)
        for k, agents in enumerate(self.agents):
            found = np.concatenate([run.frame(kind, k) for kind in ("boid", "predator")])
            same(f"{run.name}, frame {k}", found, agents)
        try:
            found = run.observables
        except boids.ConfigError:
            return
        self.check_numbers(f"{run.name}, stored", found, {**self.numbers(), **self.stored})


class Session:
    """One sequence: a flock with the model of its state, and films with their files."""

    def __init__(self, folder):
        self.folder, self.count, self.films, self.step = folder, 0, [], -1

    def path(self, ending):
        self.count += 1
        return os.path.join(self.folder, f"f{self.count}{ending}")

    def write(self, value):
        with open(self.path(".json"), "w", encoding="utf-8") as file:
            json.dump(value, file)
        return file.name

    def call(self, what, valid, function, *arguments, **more):
        """Call something that the model calls valid, invalid, or either (None); None if it was refused."""
        try:
            result = function(*arguments, **more)
        except boids.Error as error:
            assert not valid, (what, error)
            return None
        assert valid is not False, (what, "was not refused")
        return result

    def program(self, *words, valid=True):
        words = [BOIDS, "-q", *map(str, words)]
        done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE - 5)
        allowed = {True: (0,), False: (2,), None: (0, 2)}[valid]
        assert done.returncode in allowed and "\n" not in done.stderr[:-1], done
        return done

    def forecast(self, steps):
        """The states from here on, by the program, from a table or a saved flock: [(step, agents)]."""
        self.flock.frame().save(start := self.path(self.chance.choice((".csv", ".h5"))))
        words = "--init", start, "--keep-step", "-n", self.step + steps, "--digits", 17, "-o", "-"
        text = self.program("-c", self.write(self.config), *words).stdout
        frames = oracle.frames(text).items()
        return [(step, np.concatenate([a.reshape(-1, 4) for a in both])) for step, both in frames]

    def moved(self, step, agents):
        """The model after steps."""
        self.rules = self.rules if step == self.step else rules_at(self.config, step)
        self.step, self.agents = step, agents
        later = [entry for entry in self.config["schedule"] if entry["at"] > step]
        self.config = changed(rules_at(self.config, step + 1), {"schedule": later})

    def look(self):
        """The flock must be as the model says."""
        flock, film = self.flock, self.film([self.step], [self.agents], [self.rules])
        same("steps", flock.steps, self.step)
        same("state", [flock.read()], film.agents)
        self.config = changed(self.config, {"flock.init": flock["flock.init"]})  # follows speeds
        wrong = [key for key in self.config if flock.config[key] != self.config[key]]
        assert not wrong, [(flock.config[key], self.config[key]) for key in wrong]
        frame, right = flock.frame(True), film.numbers()
        for found in (
            frame.observables,
            frame.measure(),
            boids.Trajectory.from_frames([frame]).measure(),
            flock.record(0).measure(),
        ):
            film.check_numbers("the flock", found, right)

    def film(self, steps, states, rules):
        config = changed(self.flock.frame().config, {})  # with the whole schedule
        film = Film(config, len(self.flock), steps, states)
        film.rules[: len(rules)] = rules
        return film

    def keep(self, film, run=None, path=None):
        """Check a film that was made, in memory or in a file, and keep it."""
        film.run = boids.read(path) if path else run
        film.check(film.run)
        film.files += [path] if path else []
        self.films = [other for other in self.films[-4:] if other is not film] + [film]


def begin(s):
    """A small flock; the program resolves its configuration to the same one."""
    border = s.chance.choice(("wrap", "bounce", "reflect"))
    size = s.chance.randrange(50, 120)
    world = {"width": size, "height": size, "border": border, "margin": 10}
    s.start = {
        "seed": s.chance.randrange(1000),
        "arithmetic": s.chance.choice(("float32", "float64", "float64", "fixed")),
        "world": {**world, "distance": "torus" if border == "wrap" else "plane"},
        "flock": {"count": s.chance.choice((1, 2, 5, 9, 30, 70)), "noise": {"eta": 0.5}},
        "predators": {"count": s.chance.randrange(3), "radius": 20},
        "output": {"precision": s.chance.choice(("native", "float32"))},
        "schedule": [
            {"at": at, "set": {s.chance.choice(RADII): s.chance.randrange(3, 40)}}
            for at in sorted(s.chance.sample(range(1, 20), 2))
        ],
    }
    s.flock = boids.Flock(s.start, threads=s.chance.choice((1, 2)))
    s.config = json.loads(s.program("-c", s.write(s.start), "--print-config").stdout)
    s.moved(0, s.flock.read())


@operation()
def step(s):
    states = s.forecast(s.chance.randrange(6))
    s.flock.step(states[-1][0] - s.step)
    s.moved(*states[-1])


@operation()
def change(s):
    """Keys, alone or as a pair that is valid together; nothing changes if they are refused."""
    low = s.chance.randrange(1, 12)
    keys = s.chance.sample((*SPEEDS, s.chance.choice(RADII)), 3)
    changes = {**dict.fromkeys(keys, low), SPEEDS[1]: low + s.chance.choice((2, 2, -1))}
    changes = {key: changes[key] for key in keys}
    valid = changes[SPEEDS[1]] > low
    s.call(changes, valid, s.flock.config.update, changes)
    if valid:
        s.config, s.rules = (changed(c, changes) for c in (s.config, s.rules))


@operation()
def place(s):
    """Positions in an array of some kind, and a step."""
    at, hole = s.flock.positions[:, ::-1].copy(), np.eye(len(s.flock), 2) > 0
    step = s.step + s.chance.choice((0, 3, -9))
    given, valid = s.chance.choice(
        (
            (pandas.DataFrame(at), True),
            (np.ma.masked_array(at), True),
            (np.ma.masked_array(at, hole), False),
            (np.where(hole, np.nan, at), False),
            (np.where(hole, np.inf, at), False),
            (at.astype(complex), False),
        )
    )
    if step >= s.step or step < 0:
        valid = valid and step >= 0
        s.call((given, step), valid, s.flock.place, given, step=step)
        if valid:
            s.moved(
                step,
                np.concatenate([np.hstack([at, s.agents[: len(at), 2:]]), s.agents[len(at) :]]),
            )


@operation()
def copies(s):
    """A copy, a pickle, a saved flock or a fork; the sequence goes on with it."""
    kind, seed, old = s.chance.randrange(4), s.chance.choice((5, 2**64 - 1)), s.flock
    old.save(path := s.path(".h5"))
    makers = old.copy, lambda: pickle.loads(pickle.dumps(old)), lambda: boids.load(path)
    s.flock = (*makers, lambda: old.fork(seed))[kind]()
    assert s.flock.hash == old.hash
    if kind == 3:
        assert int(s.flock["seed"]) == seed
        s.config = changed(s.config, {"seed": s.flock["seed"]})
    s.keep(s.film([s.step], [s.agents], [s.rules]), path=path)


@operation()
def reading_rule(s):
    """A rule that reads its flock and returns no change changes nothing."""
    states, seen, flock = s.forecast(s.chance.randrange(1, 4)), [], s.flock
    nothing = s.chance.choice((None, np.zeros((len(flock), 2))))

    def rule(frame):
        seen.append((frame.step, flock.steps, flock.read()))
        same("positions in a rule", frame.positions, flock.positions)
        return nothing

    flock.rule(rule).step(len(states) - 1).rule(None)
    for (step, agents), given in zip(states, seen):
        same("steps in a rule", given[:2], [step, step])
        same("state in a rule", given[2], agents)
    s.moved(*states[-1])


@operation()
def bad_rule(s):
    """A rule that changes its flock or returns no changes is refused, and the flock stays as it was."""
    flock, push = s.flock, np.full((len(s.flock), 2), 0.5)
    use = s.chance.choice(
        (
            flock.close,
            flock.step,
            lambda: flock.place(step=0),
            lambda: flock.config.update({RADII[0]: 3}),
            lambda: flock.rule(len),
            lambda: flock.record(2),
            lambda: push * 1j,
            lambda: np.ma.masked_array(push, np.eye(*push.shape)),
            lambda: push.astype("datetime64[s]"),
            lambda: push[:, 0],
        )
    )
    try:
        flock.rule(lambda _: use()).step(2)
    except (boids.Error, ValueError):
        flock.rule(None)
    else:
        raise AssertionError("a rule was not refused")


@operation()
def record(s):
    """Frames are those of the program; to a file or in memory, with or without observables."""
    states, every = s.forecast(s.chance.randrange(8)), s.chance.randrange(1, 4)
    to = s.chance.choice((None, ".h5", ".csv", ".xyz"))
    names = s.chance.choice(((), ("polarization", "flocks"), True))
    path, steps = to and s.path(to), len(states) - 1
    film = s.film(
        *zip(*(states[k] for k in range(steps + 1) if k % every == 0 or k == steps)), [s.rules]
    )
    valid = not names or to in (None, ".h5") or None
    run = s.call(to, valid, s.flock.record, steps, every, names, to=path)
    if run is not None:
        s.moved(*states[-1])
        s.keep(film, run, path)


@operation(3)
def arrays(s, film):
    """Agents that are absent, own observables, steps and arrays of all kinds."""
    film, wild = copy.copy(film), np.random.default_rng(s.chance.randrange(10**9))
    film.agents, shape = film.agents.copy(), film.agents.shape[:2]
    absent = wild.random(shape) < s.chance.choice((0, 0, 0.3))
    absent[s.chance.choice((0, -1, np.s_[:]))] |= wild.random(shape[1]) < s.chance.choice(
        (0, 0, 0.3, 2)
    )
    film.agents[absent], film.is_whole = np.nan, True
    film.config = changed(film.config, {"output.boids": "all", "flock.count": film.n})
    film.shift(np.add(film.steps, s.chance.choice((0, 0, 3, -9))))
    names = s.chance.choice(([], ["temperature"], ["polarization", "b"], ["a/b"], ["a\0"]))
    film.stored = {name: wild.random(shape[0]) for name in names}
    way = s.chance.choice(("plain", "mask", "complex", "pandas"))
    steps = pandas.array(film.steps, dtype=s.chance.choice(("int32", "float64", "Int64")))
    given = film.agents
    if way == "mask":
        given = np.ma.masked_array(np.where(np.isnan(given), 7, given), np.isnan(given))
    if way == "complex":
        given = given.astype(complex)
    halves = [half for a in np.split(given, [film.n], axis=1) for half in np.split(a, 2, axis=2)]
    # Names that HDF5 cannot hold, masks and steps below 0 may be refused.
    is_odd = film.steps[0] < 0 or way == "mask" or {"a/b", "a\0"} & set(names)
    more = {"config": film.config, "observables": film.stored}
    valid = way != "complex" and (not is_odd or None)
    run = s.call((way, steps, names), valid, boids.Trajectory.from_arrays, steps, *halves, **more)
    if run is not None and way == "pandas":
        table = run.to_pandas().sample(frac=1, random_state=1).astype({"step": steps.dtype})
        rows = table.dropna()
        is_full = all(set(rows[name]) == set(table[name]) for name in ("step", "id"))
        film.stored = {}
        run = boids.Trajectory.from_pandas(rows if is_full else table, config=film.config)
    if run is not None:
        s.keep(film, run)
        save(s, film)


@operation()
def save(s, film):
    """A trajectory is written and read again."""
    path = s.path(s.chance.choice((".h5", ".h5", ".csv", ".xyz")))
    is_odd = film.steps[0] < 0 or "a/b" in film.stored
    s.call(path, not is_odd or None, film.run.save, path, film.config)
    if os.path.exists(path):
        s.keep(film, path=path)


@operation()
def measure(s, film):
    """Observables of all frames, and parts of a trajectory."""
    if film.is_whole:
        film.check_numbers("measure()", film.run.measure(config=film.config), film.numbers())
    every = s.chance.choice((1, 2, -1))
    film.part(list(range(len(film.steps))[::every])).check(
        pickle.loads(pickle.dumps(film.run[::every]))
    )


@operation(4)
def convert(s, film, path):
    """The program writes the chosen frames in another format, copies observables, or measures those that are present."""
    output, table, out = (
        film.config["output"],
        s.path(".csv"),
        s.path(s.chance.choice((".h5", ".csv", ".xyz"))),
    )
    asked, every = s.chance.choice((0, 0, 4)), output["every"] * s.chance.choice((1, 1, 2, 3))
    first, rounds = max(asked, output["first"]), s.chance.random() < 0.3
    words = ["--convert", path, "-o", out, "--digits", 17, "--every", every]
    words += ["-s", "output.precision=float32"] if rounds else []
    words += ["--first", asked] if asked else []
    words += ["-c", s.write(film.config)] if path.endswith(".csv") else []
    words += ["--observables", table] if film.is_whole else []
    valid = not (asked and first > film.steps[-1]) and (film.steps[0] >= 0 or None)
    if s.program(*words, valid=valid).returncode:
        return
    new = film.part(chosen(film.steps, first, every))
    new.is_sparse |= asked > 0 or every > 1
    new.config = changed(film.config, {"output.every": every, "output.first": first})
    # If one is missing in the file, all are measured.
    is_copied = path.endswith(".h5") and set(film.stored).issuperset(oracle.MEASURES)
    right = {**new.numbers(), **(new.stored if is_copied or not film.is_whole else {})}
    if film.is_whole:
        found = pandas.read_csv(table).set_index("step").reindex(new.steps)
        new.check_numbers("--observables", found, right)
    new.stored = right if out.endswith(".h5") else {}
    if out.endswith(".h5"):
        s.program("--verify", out)
        new.config = json.loads(json.dumps(boids.read(out).config))
        if rounds or output["precision"] == "float32":
            new.agents = np.float64(np.float32(new.agents))
    s.keep(new, path=out)


@operation()
def verify(s, film, path):
    """No file is damaged, and each file of a film has the same frames."""
    said = s.program("--verify", path, valid=None).stderr
    assert "0.1.0" not in said, said
    others = [other for other in film.files if not other.endswith(".xyz")]
    if film.steps[0] >= 0:
        s.program("--diff", path, s.chance.choice(others))


def make_run(s, path, steps, words):
    """Make a run with the program, or continue it; the states are those of the package at the same steps."""
    every, first, *more = words
    words = ["--every", every, "-s", f"output.first={first}", *more, "--digits", 17]
    command = ["-c", s.write(s.start), "-n", steps, *words]
    config = json.loads(s.program(*command, "--print-config").stdout)
    flock = boids.Flock(s.start)
    film = Film(
        config, len(flock), range(steps + 1), [flock.step(k > 0).read() for k in range(steps + 1)]
    )
    film.stored = film.numbers() if path.endswith(".h5") else {}
    film = film.part(chosen(film.steps, first, every))
    if film.stored and config["output"]["precision"] == "float32":
        film.agents = np.float64(np.float32(film.agents))
    if more:
        rows = [*range(0, film.n, 2), *range(film.n, film.agents.shape[1])]
        film.agents, film.n, film.is_whole = film.agents[:, rows], (film.n + 1) // 2, False
    film.words, film.is_sparse = (every, first, *more), first % every > 0
    s.program(
        *(["--resume", path, "-n", steps] if os.path.exists(path) else [*command, "-o", path])
    )
    s.keep(film, path=path)
    if film.stored:
        s.program("--verify", path)


@operation(2)
def run(s):
    """A run of the program has the states of the package, in the chosen frames and boids."""
    more = s.chance.choice(([], [], ["--boids", '{"every": 2}']))
    words = s.chance.randrange(1, 4), s.chance.choice((0, 0, 5)), *more
    make_run(
        s, s.path(s.chance.choice((".h5", ".h5", ".csv", ".xyz"))), s.chance.randrange(12), words
    )


@operation()
def resume(s, film, path):
    """A run is continued to that of more steps; what is no whole run is refused, or continued to an undamaged file."""
    steps = film.steps[-1] + s.chance.randrange(1, 6)
    film.files.remove(path)
    if film.words and film.is_whole and path.endswith(".h5") and not film.files:
        make_run(s, path, steps, film.words)
    elif not s.program("--resume", path, "-n", steps, valid=None).returncode:
        s.program("--verify", path)


@operation(2)
def start(s, film, path):
    """A flock begins with the agents that are present in a frame of a file."""
    k = s.chance.randrange(len(film.steps))
    flock, predators = (a[np.isfinite(a[:, 0])] for a in np.split(film.agents[k], [film.n]))
    valid = (
        film.steps[0] >= 0 and len(flock) > 0 and len(predators) == film.agents.shape[1] - film.n
    )
    config = changed(
        film.config, {"flock.count": len(flock) or 1, "predators.count": len(predators)}
    )
    words = (
        "-c",
        s.write({**config, "output": {"digits": 17}}),
        "-n",
        film.steps[k],
        "--keep-step",
        "-o",
        "-",
    )
    if film.is_whole and film.steps[k] >= 0:
        done = s.program(*words, "--init", f"{path}@{film.steps[k]}", valid=valid or None)
        for both in oracle.frames(done.stdout).values():
            found = np.concatenate([a.reshape(-1, 4) for a in both])
            rounded = film.config["output"]["precision"] == "float32"  # the file has both states
            same("the initial state", found, [*flock, *predators], 1e-6 * rounded)


@operation()
def sweep(s):
    """A sweep has a row for each run of its call, with the hash and the observables of the same flock in Python."""
    key, values = s.chance.choice(
        (
            ("flock.init.file", [s.path(".h5"), s.path(".h5")]),
            (RADII[0], [6, 20.5]),
            (SPEEDS, [(1, 2), (7, 9)]),
        )
    )
    files = values if key == "flock.init.file" else []
    for seed, file in enumerate(files):
        boids.Flock(s.start, seed=seed).save(file)
    seeds, steps, table = [3, 2**64 - 1], s.chance.randrange(1, 6), s.path(".csv")
    boids.sweep(s.start, {key: values[:1]}, [9], steps=steps, table=table, program=BOIDS)
    found = boids.sweep(s.start, {key: values}, seeds, steps=steps, table=table, program=BOIDS)
    right = []
    for value in values:
        for seed in seeds:
            changes = {} if files else dict(zip(key, value)) if key == SPEEDS else {key: value}
            flock = boids.Flock(s.start, changes, seed=seed)
            flock.place(*([boids.read(value)[0]] if files else [])).step(steps)
            right.append((str(seed), flock.hash, f"{flock.polarization:.4f}"))
    rows = zip(found["seed"], found["state_hash"], found["final_polarization"])
    rows = sorted((str(seed), state, f"{value:.4f}") for seed, state, value in rows)
    assert rows == sorted(right), (key, rows, right)


@operation()
def tracks(s, film):
    """Positions of a film as a table of a tracker, and the trajectory that boids.tracks makes of it."""
    at = film.agents[:, : film.n, :2]
    there = np.isfinite(at[..., 0])
    near = np.pad(there, ((1, 1), (0, 0)))
    there &= near[:-2] | near[2:]  # others are left out, with a note
    frames = np.flatnonzero(there.any(axis=1))
    if not there.any(axis=0).all():
        return
    rows = [(k + 7, i, *at[k, i]) for k, i in zip(*np.nonzero(there))]
    pandas.DataFrame(rows, columns=["frame", "id", "x", "y"]).to_csv(
        table := s.path(".csv"), index=False
    )
    at = np.where(there[..., None], at, np.nan)[frames[0] : frames[-1] + 1]
    radii = {RADII[0]: 12, RADII[1]: 5}
    boids.tracks.convert([table], path := s.path(".h5"), max_gap=0, min_likelihood=0, changes=radii)
    run = boids.read(path)
    found, ways = np.asarray(run.positions), np.asarray(run.velocities)
    same("positions of tracks", found, at - np.nanmin(at, axis=(0, 1)), 1e-9)
    same("presence of tracks", np.isfinite(ways), np.isfinite(found))
    config = json.loads(json.dumps(run.config))
    s.keep(Film(config, film.n, range(len(at)), np.concatenate([found, ways], axis=2)), path=path)


# The sequences, each in a process of its own.


def play(number, skipped, report):
    """Run a sequence without the operations of some indices; write each operation, and a finding, to `report`."""
    warnings.simplefilter("ignore")
    weights = [weight for _, weight in OPERATIONS.values()]
    names = random.Random(number).choices(list(OPERATIONS), weights, k=LENGTH)
    with tempfile.TemporaryDirectory() as folder:
        session = Session(folder)
        for k, name in enumerate(["begin", *names]):
            function = OPERATIONS[name][0] if k else begin
            session.chance = random.Random(f"{number}.{k}")
            needs = function.__code__.co_varnames[: function.__code__.co_argcount]
            ends = (".h5", ".csv") if "path" in needs else ""
            films = [(film, path) for film in session.films for path in film.files or [""]]
            films = [both for both in films if both[1].endswith(ends)]
            if k in skipped or len(needs) > 1 and not films:
                continue
            print(f"{k} {name}", file=report, flush=True)
            faulthandler.dump_traceback_later(PATIENCE, exit=True, file=report)
            try:
                given = session.chance.choice(films[-2:] + films or [()])  # often the newest
                function(session, *given[: len(needs) - 1])
                session.look()
            except BaseException as error:
                lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__)]
                said = f"{error!r} at lines {lines}"
                return print("!", " ".join(said.split())[-1500:], file=report, flush=True)
    return None


def attempt(number, skipped=()):
    """Run a sequence in a child; its operations, and the finding or ""."""
    with tempfile.TemporaryFile("w+") as report:
        child = os.fork()
        if not child:
            os.dup2(report.fileno(), 2)
            play(number, skipped, report)
            os._exit(0)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        report.seek(0)
        text = report.read()
    found = re.findall(r"^! (.*)", text, re.MULTILINE) + ([f"status {status}"] if status else [])
    return re.findall(r"^\d+ \w+$", text, re.MULTILINE), " ".join(found)


def reduced(number, done, found):
    """Leave out operations as long as the last one still ends in a finding."""
    skipped = set()
    for line in done[-2:0:-1]:
        tried = attempt(number, skipped | {int(line.split()[0])})
        if tried[1] and tried[0][-1] == done[-1]:
            skipped.add(int(line.split()[0]))
            done, found = tried
    return f"sequence {number}: {', '.join(done)}: {found}"


def fuzz(count, first):
    """Run sequences; the findings, as texts."""
    findings, operations = [], 0
    for number in range(first, first + count):
        done, found = attempt(number)
        operations += len(done)
        findings += [reduced(number, done, found)] if found else []
        print(*(findings[-1:] if found else []), end="\n" if found else "", flush=True)
    print(f"{count} sequences, {operations} operations, {len(findings)} findings")
    return findings


class Combinations(unittest.TestCase):
    def test_operations_on_one_flock_and_its_files_agree(self):
        self.assertEqual(fuzz(by_level(4, 30, 1500), 100000 * SEED), [])


if __name__ == "__main__":
    if sys.argv[1:] and sys.argv[1] != "-v":
        sys.exit(bool(fuzz(*map(int, [*sys.argv[1:], 0][:2]))))
    unittest.main()
