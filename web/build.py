#!/usr/bin/env python3
"""Write the page: page.html with the drawing, the script, the presets and the compiled core inside.

    web/build.py page.wasm boids build/page/boids.html

The program boids records the first steps of the default preset.
"""

import base64
import csv
import json
import os
import re
import struct
import subprocess
import sys
import zlib

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "python"))

from boids.drawing.player import as_script_text, fill  # noqa: E402


PARTS = ("worker", "hire", "core", "run", "scene", "charts", "controls", "pointer", "files", "page")
SHOWN = ("polarization", "milling")  # at first


def read(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read()


def preset(name):
    return read("configs", name + ".json")


def packed(data):
    return base64.b64encode(zlib.compress(data, 9)).decode()


def menu():
    """Return the presets of configs/presets.txt as entries of a list, by group."""
    parts = []
    for line in read("configs", "presets.txt").splitlines():
        if line.startswith("= "):
            parts.append(f'<optgroup label="{line[2:]}">')
        elif " | " in line and not line.startswith("#"):
            name, _, sentence, *start = line.split(" | ")
            title = json.loads(preset(name))["title"]
            sentence += "".join(f" The page begins with {key}." for key in start)
            start = "".join("&amp;" + key for key in start)
            parts.append(
                f'<option value="{name}" data-start="{start}" title="{sentence}">{name}: {title}'
            )
    return "".join(parts)


def observables():
    """Return the charts of all observables, and a box for each one that shows its chart."""
    charts, boxes = [], []
    for key, about in json.loads(read("data", "observables.json")).items():
        name, is_shown = key.replace("_", " "), key in SHOWN
        charts.append(
            f'<div class="chart" id="chart-{key}" data-name="{key}" data-unit="{about["unit"]}" data-undefined="{about["undefined"]}"'
            f'{" data-share=1" * about["is_share"]}{" hidden" * (not is_shown)}><h2>{name}<span></span></h2>'
            f'<svg role="img" aria-label="{name}"></svg></div>'
        )
        boxes.append(
            f'<label title="{about["sentence"]}" data-about="{key} {about["sentence"]}">'
            f'<input type="checkbox" id="show-{key}" value="{key}"{" checked" * is_shown}> {name}</label>'
        )
    return "".join(charts), "".join(boxes)


def record(boids, name="murmuration", last=6):
    """Return the first steps of a preset: how it begins, and a word per agent: its place at step 0, and thirds of its way per step."""

    def run(*words):
        command = [boids, "-c", os.path.join(ROOT, "configs", name + ".json"), "-q", *words]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    config = json.loads(run("--print-config"))
    size = [config["world"][side] for side in ("width", "height")]
    every = ("-n", str(last), "--every", str(last), "-o")
    agents = list(csv.DictReader(run(*every, "-").splitlines()))
    begins = next(csv.DictReader(run(*every, "none", "--observables", "-").splitlines()))
    words = []
    for agent, after in zip(agents, agents[len(agents) // 2 :]):
        x, y = (int(float(agent[axis])) for axis in "xy")
        dx, dy = (
            round(((float(after[axis]) - at + side / 2) % side - side / 2) * 3 / last)
            for axis, at, side in zip("xy", (x, y), size)
        )
        if not (x < 2048 and y < 1024 and max(abs(dx), abs(dy)) < 16):
            raise ValueError("a number of the recording is too large for its bits")
        words.append(dy << 27 | (dx & 31) << 22 | y << 11 | x)
    sample = {"step": 0, **{key: float(begins[key]) for key in SHOWN}}
    dense = {"separators": (",", ":")}
    return json.dumps(
        {
            "width": size[0],
            "height": size[1],
            "last": last,
            "words": base64.b64encode(struct.pack(f"<{len(words)}i", *words)).decode(),
            "text": preset(name),
            "answer": {
                "isGood": True,
                "message": "",
                "numbers": json.dumps({"sample": sample}, **dense),
                "config": json.dumps({"now": config, "blocked": {}}, **dense),
            },
        },
        **dense,
    )


def main():
    module, boids, page = sys.argv[1:]
    with open(module, "rb") as file:
        module = packed(file.read())
    names = sorted(
        name[:-5] for name in os.listdir(os.path.join(ROOT, "configs")) if name.endswith(".json")
    )
    charts, choice = observables()
    parts = {
        "CHARTS": charts,
        "CHOICE": choice,
        "PRESETS": packed(json.dumps({name: preset(name) for name in names}).encode()),
        "MENU": menu(),
        "RECORDING": as_script_text(record(boids)),
        "MODULE": module,
        "SCRIPT": "\n".join(read("web", part + ".js") for part in PARTS),
    }
    # Without the spaces and the comments that begin a line.
    text = re.sub(r"(?ms)^ +|^\s*/\*.*?\*/\n", "", fill(read("web", "page.html"), parts))
    with open(page, "w", encoding="utf-8") as file:
        file.write(text)
    print(f"{page}: {len(text.encode()) // 1000} kB")


if __name__ == "__main__":
    main()
