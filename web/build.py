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


PARTS = ("core", "run", "scene", "charts", "controls", "pointer", "files", "page")


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


def main():
    module, page = sys.argv[1:]
    with open(module, "rb") as file:
        packed = zlib.compress(file.read(), 9)
    names = sorted(
        name[:-5] for name in os.listdir(os.path.join(ROOT, "configs")) if name.endswith(".json")
    )
    parts = {
        "PRESETS": as_script_text(
            json.dumps({name: read("configs", name + ".json") for name in names})
        ),
        "MENU": menu(),
        "OBSERVABLES": as_script_text(
            json.dumps(json.loads(read("data", "observables.json")), separators=(",", ":"))
        ),
        "MODULE": base64.b64encode(packed).decode(),
        "WORKER": read("web", "worker.js"),
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
