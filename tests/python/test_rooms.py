"""The rooms of the Python package have one direction: a module imports from its own room and from the rooms before it."""

import ast
import os
import re
import sys
import unittest

sys.path[0] += "/.."

from support import in_root, read  # noqa: E402

PACKAGE = in_root("python", "boids")
ROOMS = (
    "core",
    "files",
    "estimates",
    "analysis",
    "drawing",
    "runs",
    "animals",
    "commands",
)
# Public modules, which collect names. To import one of them is to import from the rooms behind it.
FACES = ("boids", "abc_smc", "analysis", "fit_targets", "plot", "tracks", "xdmf")


def nodes_of(node):
    """Yield the nodes below `node`, without those that only a type checker reads."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
            child = ast.Module(child.orelse, [])
        yield child
        yield from nodes_of(child)


def modules():
    """Return {module: its file}. The name of a package is that of its folder, and of the whole one `boids`."""
    names = {}
    for folder, _, files in os.walk(PACKAGE):
        for path in (os.path.join(folder, file) for file in files if file.endswith(".py")):
            name = re.sub(r"/?__init__$", "", os.path.relpath(path, PACKAGE)[:-3])
            names[name.replace("/", ".") or "boids"] = path
    return names


MODULES = modules()


def imports_of(module, text):
    """Return the modules of this package that the text of a module imports."""
    place = os.path.relpath(MODULES[module], os.path.dirname(PACKAGE)).split("/")
    found = set()
    for node in nodes_of(ast.parse(text)):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(
                [*place[: -node.level if node.level else 0], *filter(None, [node.module])]
            )
            found |= {f"{base}.{name.name}" for name in node.names}
    found = {name.removeprefix("boids.") for name in found if name.partition(".")[0] == "boids"}
    return {name if name in MODULES else name.rpartition(".")[0] or "boids" for name in found}


def imports():
    """Return {module: the modules that it imports}."""
    found = {}
    for module, path in MODULES.items():
        found[module] = imports_of(module, read(path))
    return found


IMPORTS = imports()


def backward(imports):
    """Return "module -> imported" of each import from a later room."""

    def last_room(module):
        if module in FACES:
            return max(map(last_room, imports[module]), default=0)
        return ROOMS.index(module.split(".")[0])

    return [
        f"{module} -> {other}"
        for module in sorted(set(imports) - {*FACES})
        for other in sorted(imports[module])
        if last_room(other) > last_room(module)
    ]


def circle(imports):
    """Return the modules of a circle of imports, or an empty list."""
    left = {module: set(others) for module, others in imports.items()}
    while True:
        free = [module for module, others in left.items() if not others & {*left}]
        if not free:
            return sorted(left)
        for module in free:
            del left[module]


class Rooms(unittest.TestCase):
    def test_imports_have_one_direction(self):
        self.assertEqual((backward(IMPORTS), circle(IMPORTS)), ([], []))

    def test_an_import_that_runs_back_or_around_is_found(self):
        for module, text, wrong in (
            ("core.space", "from ..drawing import charts", "core.space -> drawing.charts"),
            ("files.world", "def f():\n    import boids.runs.flock", "files.world -> runs.flock"),
            ("drawing.style", "from .. import plot", "drawing.style -> plot"),
            ("core.errors", "if TYPE_CHECKING:\n    from ..plot import frame", None),
        ):
            changed = {**IMPORTS, module: imports_of(module, text)}
            self.assertEqual(backward(changed), [wrong] if wrong else [])
        changed = {**IMPORTS, "drawing.style": imports_of("drawing.style", "from . import palette")}
        self.assertIn("drawing.palette", circle(changed))

    def test_the_documentation_has_the_rooms_in_this_order(self):
        self.assertEqual(
            tuple(re.findall(r"(?m)^\| `boids/(\w+)/` \|", read("docs", "architecture.md"))), ROOMS
        )
        self.assertLessEqual({module.split(".")[0] for module in MODULES}, {*ROOMS, *FACES})


if __name__ == "__main__":
    unittest.main()
