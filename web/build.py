#!/usr/bin/env python3
"""Write the page: page.html with the drawing, the script, the presets and the compiled core inside.

    web/build.py page.wasm build/page/boids.html
"""

import base64
import json
import os
import re
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


def menu():
    """Return the presets of configs/presets.txt as entries of a list, by group."""
    parts = []
    for line in read("configs", "presets.txt").splitlines():
        if line.startswith("= "):
            parts.append(f'<optgroup label="{line[2:]}">')
        elif " | " in line and not line.startswith("#"):
            name, _, sentence, *start = line.split(" | ")
            title = json.loads(read("configs", name + ".json"))["title"]
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


def main():
    module, page = sys.argv[1:]
    with open(module, "rb") as file:
        packed = zlib.compress(file.read(), 9)
    names = sorted(
        name[:-5] for name in os.listdir(os.path.join(ROOT, "configs")) if name.endswith(".json")
    )
    charts, choice = observables()
    parts = {
        "CHARTS": charts,
        "CHOICE": choice,
        "PRESETS": as_script_text(
            json.dumps({name: read("configs", name + ".json") for name in names})
        ),
        "MENU": menu(),
        "MODULE": base64.b64encode(packed).decode(),
        "SCRIPT": "\n".join(read("web", part + ".js") for part in PARTS),
    }
    text = re.sub(
        "(?m)^ +", "", fill(read("web", "page.html"), parts)
    )  # no text of the page begins with spaces
    with open(page, "w", encoding="utf-8") as file:
        file.write(text)
    print(f"{page}: {len(text.encode()) // 1000} kB")


if __name__ == "__main__":
    main()
