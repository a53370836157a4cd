"""The five presets as the contract's table has them, so that configs/*.json can be held against it.

Only what the table says, or says by leaving it out, is here. Keys that a preset does not use (the margin
of a world that wraps, say) are the file's own business.
"""

PRESETS = {
    "adams": {
        "update": "sequential",
        "integrator": "semi-implicit",
        "world": {"width": 640, "height": 480, "border": "bounce", "margin": 100, "turn_factor": 0.2},
        "flock": {
            "count": 400,
            "min_speed": 3,
            "max_speed": 6,
            "limit": "after_border",
            "steering": "direct",
            "separation": {"radius": 8, "factor": 0.05, "form": "offset"},
            "alignment": {"radius": 40, "inner_radius": 8, "factor": 0.05, "form": "difference"},
            "cohesion": {"radius": 40, "inner_radius": 8, "factor": 0.0005},
        },
        "predators": {"count": 1, "radius": 100, "turn_factor": 0.5},
    },
    "castor": {
        "steps": 300,
        "update": "passes",
        "integrator": "semi-implicit",
        "world": {
            "width": 50,
            "height": 50,
            "border": "bounce",
            "margin": 2,
            "turn_factor": 1,
            # Its other border is this one; a flock that is switched to `wrap` must find it here.
            "wrap_to": "modulo",
            "distance": "plane",
        },
        "flock": {
            "count": 100,
            "min_speed": None,
            "max_speed": 1.5,
            "limit": "before_border",
            "steering": "direct",
            "separation": {"radius": 2, "factor": 0.05, "form": "offset"},
            "alignment": {"radius": 7.5, "inner_radius": 0, "factor": 0.10, "form": "mean"},
            "cohesion": {"radius": 8.5, "inner_radius": 0, "factor": 0.03},
            "init": {"velocity": "component", "speed": [-0.75, 0.75]},
        },
        "predators": {"count": 0},
    },
    "bees": {
        "update": "sequential",
        "integrator": "semi-implicit",
        "world": {"width": 640, "height": 480, "border": "bounce", "margin": 100, "turn_factor": 0.2},
        "flock": {
            "count": 200,
            "min_speed": 3,
            "max_speed": 6,
            "limit": "after_border",
            "steering": "direct",
            "separation": {"radius": 8, "factor": 0.05, "form": "offset"},
            "alignment": {"radius": 40, "inner_radius": 0, "factor": 0.05, "form": "difference"},
            "cohesion": {"radius": 40, "inner_radius": 0, "factor": 0.0005},
        },
        "predators": {"count": 0},
    },
    "fish": {
        "update": "sequential",
        "integrator": "semi-implicit",
        "world": {"width": 512, "height": 512, "border": "wrap", "wrap_to": "edge", "distance": "plane"},
        "flock": {
            "count": 50,
            "min_speed": None,
            "max_speed": 2,
            "steering": "direct",
            "separation": {"radius": 30, "factor": 0.8, "form": "unit"},
            "alignment": {"radius": 50, "inner_radius": 0, "factor": 0.1, "form": "mean"},
            "cohesion": {"radius": 50, "inner_radius": 0, "factor": 0.05},
            "init": {"velocity": "component", "speed": [-1, 1]},
        },
        "predators": {"count": 0},
    },
    "p5": {
        "update": "sequential",
        "integrator": "explicit",
        "world": {"width": 640, "height": 360, "border": "wrap", "wrap_to": "edge", "distance": "plane"},
        "flock": {
            "count": 100,
            "min_speed": None,
            "max_speed": 6,
            "max_force": 0.05,
            "steering": "reynolds",
            "separation": {"radius": 50, "factor": 1, "form": "inverse"},
            "alignment": {"radius": 50, "inner_radius": 0, "factor": 1, "form": "mean"},
            "cohesion": {"radius": 100, "inner_radius": 0, "factor": 1},
            "init": {"velocity": "heading", "speed": [2, 5]},
        },
        "predators": {"count": 0},
    },
}
