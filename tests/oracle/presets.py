"""The presets in the table of the contract, for a comparison with configs/*.json.

Keys that a preset does not use (for example the margin of a world that wraps) are not in the table. Keys of `flock` have no prefix.
"""

import json

TABLE = """
adams
    update=sequential integrator=semi-implicit world.y_axis=down world.width=640 world.height=480 world.border=bounce world.margin=100
    world.turn_factor=0.2 count=400 min_speed=3 max_speed=6 limit=after_border steering=direct separation.radius=8
    separation.factor=0.05 separation.form=offset alignment.radius=40 alignment.inner_radius=8 alignment.factor=0.05
    alignment.form=difference cohesion.radius=40 cohesion.inner_radius=8 cohesion.factor=0.0005 predators.count=1
    predators.radius=100 predators.turn_factor=0.5
# wrap_to and distance: the border of the source that is not the default, for a flock that is switched to `wrap`.
castor
    steps=300 update=passes integrator=semi-implicit world.y_axis=up world.width=50 world.height=50 world.border=bounce world.margin=2
    world.turn_factor=1 world.wrap_to=modulo world.distance=plane count=100 min_speed=null max_speed=1.5 limit=before_border
    steering=direct separation.radius=2 separation.factor=0.05 separation.form=offset alignment.radius=7.5
    alignment.inner_radius=0 alignment.factor=0.1 alignment.form=mean cohesion.radius=8.5 cohesion.inner_radius=0
    cohesion.factor=0.03 init.velocity=component init.speed=[-0.75,0.75] predators.count=0
bees
    update=sequential integrator=semi-implicit world.y_axis=down world.width=640 world.height=480 world.border=bounce world.margin=100
    world.turn_factor=0.2 count=200 min_speed=3 max_speed=6 limit=after_border steering=direct separation.radius=8
    separation.factor=0.05 separation.form=offset alignment.radius=40 alignment.inner_radius=0 alignment.factor=0.05
    alignment.form=difference cohesion.radius=40 cohesion.inner_radius=0 cohesion.factor=0.0005 predators.count=0
fish
    update=sequential integrator=semi-implicit world.y_axis=down world.width=512 world.height=512 world.border=wrap world.wrap_to=edge
    world.distance=plane count=50 min_speed=null max_speed=2 steering=direct separation.radius=30 separation.factor=0.8
    separation.form=unit alignment.radius=50 alignment.inner_radius=0 alignment.factor=0.1 alignment.form=mean
    cohesion.radius=50 cohesion.inner_radius=0 cohesion.factor=0.05 init.velocity=component init.speed=[-1,1] predators.count=0
p5
    update=sequential integrator=explicit world.y_axis=down world.width=640 world.height=360 world.border=wrap world.wrap_to=edge
    world.distance=plane count=100 min_speed=null max_speed=6 max_force=0.05 steering=reynolds separation.radius=50
    separation.factor=1 separation.form=inverse alignment.radius=50 alignment.inner_radius=0 alignment.factor=1
    alignment.form=mean cohesion.radius=100 cohesion.inner_radius=0 cohesion.factor=1 init.velocity=heading init.speed=[2,5]
    predators.count=0
parker
    update=sequential integrator=semi-implicit world.width=1000 world.height=800 world.border=bounce world.margin=0
    world.turn_factor=10 count=100 min_speed=null max_speed=20 limit=after_border steering=direct separation.radius=100
    separation.factor=1 separation.form=offset alignment.radius=10000 alignment.inner_radius=0 alignment.factor=0.125
    alignment.form=difference cohesion.radius=10000 cohesion.inner_radius=0 cohesion.factor=0.01 predators.count=0
processing
    update=sequential integrator=semi-implicit world.width=644 world.height=364 world.border=wrap world.wrap_to=edge
    world.distance=plane count=150 min_speed=null max_speed=2 max_force=0.03 steering=reynolds separation.radius=25
    separation.factor=1.5 separation.form=inverse alignment.radius=50 alignment.inner_radius=0 alignment.factor=1
    alignment.form=mean cohesion.radius=50 cohesion.inner_radius=0 cohesion.factor=1 init.velocity=heading init.speed=[1,1]
    predators.count=0
# The literature's lengths times 100, so that fixed point has room for them.
vicsek
    update=synchronous integrator=semi-implicit world.width=500 world.height=500 world.border=wrap count=100 min_speed=3
    max_speed=3 steering=direct means=with_self inertia=0 noise.eta=2 noise.vector=0 separation.radius=0 alignment.radius=100
    alignment.inner_radius=0 alignment.factor=1 alignment.form=mean cohesion.radius=0 predators.count=0
chate
    update=synchronous integrator=semi-implicit world.width=1600 world.height=1600 world.border=wrap count=512 min_speed=50
    max_speed=50 steering=direct means=with_self inertia=0 noise.eta=0 noise.vector=30 separation.radius=0 alignment.radius=100
    alignment.inner_radius=0 alignment.factor=1 alignment.form=mean cohesion.radius=0 predators.count=0
mesa
    update=shuffled world.width=100 world.height=100 world.border=wrap count=100 min_speed=1 max_speed=1 separation.radius=2
    separation.factor=0.015 separation.form=offset separation.normalise=seen alignment.radius=10 alignment.factor=0.05
    alignment.form=mean cohesion.radius=10 cohesion.factor=0.03 init.velocity=component init.speed=[-1,1]
agents
    update=shuffled world.width=100 world.height=100 world.border=wrap count=100 min_speed=1.5 max_speed=1.5 separation.radius=2
    separation.factor=0.375 separation.form=offset separation.normalise=seen alignment.radius=5 alignment.factor=0.04
    alignment.form=mean cohesion.radius=5 cohesion.factor=0.15 init.velocity=component init.speed=[-1.5,1.5]
couzin
    update=synchronous world.width=800 world.height=800 world.border=open count=60 min_speed=30 max_speed=30 priority=separation
    max_turn=4 inertia=0 noise.eta=0.1732 separation.radius=100 separation.factor=1 separation.form=unit
    separation.normalise=unit alignment.radius=700 alignment.inner_radius=100 alignment.view=270
    alignment.factor=0.03333333333333333 alignment.form=mean alignment.normalise=sum cohesion.radius=2500
    cohesion.inner_radius=700 cohesion.view=270 cohesion.factor=1 cohesion.form=unit cohesion.normalise=sum
couzin_unit
    update=synchronous world.width=800 world.height=800 world.border=open count=60 min_speed=30 max_speed=30 priority=separation
    max_turn=4 inertia=0 noise.eta=0.1732 separation.radius=100 separation.factor=1 separation.form=unit
    separation.normalise=unit alignment.radius=250 alignment.inner_radius=100 alignment.view=270 alignment.factor=1
    alignment.form=mean alignment.normalise=unit cohesion.radius=2500 cohesion.inner_radius=250 cohesion.view=270
    cohesion.factor=1 cohesion.form=unit cohesion.normalise=unit
topological
    update=synchronous world.width=500 world.height=500 world.border=wrap count=100 min_speed=3 max_speed=3 means=with_self
    inertia=0 noise.eta=2 separation.radius=0 alignment.radius=null alignment.nearest=7 alignment.factor=1 alignment.form=mean
    cohesion.radius=0
eater
    update=sequential integrator=semi-implicit world.width=1000 world.height=800 world.border=bounce world.margin=200
    world.turn_factor=1 world.y_axis=down count=100 min_speed=null max_speed=15 limit=before_border means=with_self
    separation.radius=20 separation.factor=0.05 separation.form=offset alignment.radius=75 alignment.inner_radius=0
    alignment.factor=0.05 alignment.form=latest cohesion.radius=75 cohesion.inner_radius=0 cohesion.factor=0.005
    init.velocity=component init.speed=[-5,5] predators.count=0
mason
    update=shuffled world.width=150 world.height=150 world.border=wrap count=200 min_speed=0.7 max_speed=0.7 means=with_self
    noise.vector=0.05 separation.radius=10 separation.factor=400 separation.form=quartic separation.normalise=mean
    alignment.radius=10 alignment.factor=1 alignment.form=mean cohesion.radius=10 cohesion.factor=0.1 init.velocity=component
    init.speed=[0,0]
netlogo
    update=shuffled_velocities world.width=71 world.height=71 world.border=wrap count=300 min_speed=1 max_speed=1 steering=turn
    priority=separation separation.radius=1 separation.nearest=1 separation.factor=1 separation.form=headings
    separation.max_turn=1.5 alignment.radius=5 alignment.factor=1 alignment.form=mean alignment.max_turn=5 cohesion.radius=5
    cohesion.factor=1 cohesion.form=unit cohesion.max_turn=3
# K = 0.01 per step and sigma = 100: K / sigma^(2 beta) is 0.001.
cucker_smale
    integrator=explicit world.width=1000 world.height=1000 world.border=open count=100 min_speed=null max_speed=null
    separation.radius=0 alignment.radius=10000000.0 alignment.factor=0.001 alignment.normalise=sum alignment.falloff_scale=100
    alignment.falloff_exponent=0.25 cohesion.radius=0 init.velocity=component init.speed=[-2,8]
"""


def read(table):
    presets = {}
    for line in table.splitlines():
        if line.startswith(" "):
            for word in line.split():
                key, text = word.split("=")
                *sections, last = key.split(".")
                if sections[:1] not in (["world"], ["predators"]) and key not in ("update", "integrator", "steps"):
                    sections.insert(0, "flock")
                place = preset
                for section in sections:
                    place = place.setdefault(section, {})
                place[last] = text if text[0].isalpha() and text != "null" else json.loads(text)
        elif line and line[0] != "#":
            preset = presets[line] = {}
    return presets


PRESETS = read(TABLE)
