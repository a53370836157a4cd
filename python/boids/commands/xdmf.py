"""The command line of boids-xdmf."""

from typing import List

from ..files.xdmf import write
from .command_line import Parser, guard


def main(arguments: List[str]) -> int:
    """Run the command and return its exit status."""

    def work() -> None:
        parser = Parser(
            "Example:\n  boids-xdmf flock.h5        writes flock.xdmf beside it\n\n",
            {},
            description="Write an XDMF sidecar for ParaView beside a trajectory.",
        )
        parser.add_argument("trajectory", help="an HDF5 file that boids wrote")
        write(parser.parse(arguments).trajectory)

    return guard(work)
