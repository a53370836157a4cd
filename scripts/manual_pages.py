#!/usr/bin/env python3
"""Write the manual pages of the commands in Python, man/boids-plot.1 and so on, from their parsers. `make schema` calls it.

    python3 scripts/manual_pages.py [FOLDER]
"""

import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "python"))
COMMANDS = ("analyse", "fit", "plot", "sweep", "tracks", "xdmf")


class Found(BaseException):
    """Carries the parser of a command."""


def parser_of(name):
    """Return the parser of a command, which is made before it reads the arguments."""
    sys.argv[0] = f"boids-{name}"
    for module in [module for module in sys.modules if module.startswith("boids")]:
        del sys.modules[module]  # their texts contain the name of the command
    from boids.commands import command_line

    def parse(parser, *_):
        raise Found(parser)

    command_line.Parser.parse = command_line.Parser.parse_known_args = parse
    try:
        module = __import__(f"boids.commands.{name}", fromlist=["main"])
        module.main([])
    except Found as found:
        return found.args[0]


def roff(text):
    """Return a text in which roff sees no requests and no hyphens of its own."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join("\\&" + line if line[:1] in ".'" else line for line in text.split("\n"))


def page_of(name):
    """Return the manual page of a command."""
    parser = parser_of(name)
    example, _, rest = parser.example.strip().partition("\n\n")
    about = " ".join((rest or parser.description or "").split())
    lines = [
        f'.TH BOIDS\\-{name.upper()} 1 "" boids "User commands"',
        ".SH NAME",
        roff(f"boids-{name} - {about.partition('. ')[0].partition(':')[0].rstrip('.')}"),
        ".SH SYNOPSIS",
        roff(" ".join(parser.format_usage().removeprefix("usage: ").split())),
        ".SH DESCRIPTION",
        roff(about),
        ".SH OPTIONS",
    ]
    formatter = parser._get_formatter()
    for action in parser._actions:
        if action.help == "==SUPPRESS==":
            continue
        # Python 3.13 writes -o, --output PATH, and earlier versions -o PATH, --output PATH.
        *names, last = formatter._format_action_invocation(action).split(", ")
        words = ", ".join([*(name.partition(" ")[0] for name in names), last])
        lines += [".TP", ".B " + roff(words), roff(formatter._expand_help(action))]
    lines += [".SH EXAMPLES", ".nf", *map(roff, example.split("\n")[1:]), ".fi"]
    others = ", ".join(f"boids\\-{other}(1)" for other in COMMANDS if other != name)
    page = "\n".join([*lines, ".SH SEE ALSO", f"boids(1), {others}", ""])
    return page.replace("\\&./boids", "boids").replace(
        "./boids", "boids"
    )  # as a command is called in a checkout


folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "man")
for command in COMMANDS:
    with open(os.path.join(folder, f"boids-{command}.1"), "w", encoding="utf-8") as file:
        file.write(page_of(command))
