"""The command line of boids-xdmf."""

import argparse
import sys

from ..errors import ConfigError, RunError
from ..plotting.sanitize import tidy
from ..xdmf import write


class Parser(argparse.ArgumentParser):
    """A parser whose help begins with an example."""

    def format_help(self):
        return "Example:\n  boids-xdmf flock.h5        writes flock.xdmf beside it\n\n" + super().format_help()


def main():
    parser = Parser(description="Write an XDMF sidecar for ParaView beside a trajectory.")
    parser.add_argument("trajectory", help="an HDF5 file that boids wrote")
    parser.error = lambda message: argparse.ArgumentParser.error(parser, tidy(message))
    try:
        write(parser.parse_args().trajectory)
    except (ConfigError, RunError) as error:
        print(f"xdmf.py: {tidy(error)}", file=sys.stderr)
        return 2 if isinstance(error, ConfigError) else 1
    return 0
