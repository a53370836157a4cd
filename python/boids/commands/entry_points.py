"""These functions are the commands. pip installs them as boids-plot, boids-analyse, boids-sweep, boids-tracks and boids-fit; scripts/
starts them in a checkout. Each ends the process with its exit status."""

import atexit
import functools
import gc
import importlib
import os
import signal
import sys


def program() -> int:
    """Run the program boids, which pip cannot put on PATH itself."""
    from ..core.places import program_of_package

    path = program_of_package()
    if not path:
        sys.stderr.write(
            "boids: this package has no program boids; install a C compiler, make and cJSON, and build the package again\n"
        )
        return 1
    os.execv(path, ["boids", *sys.argv[1:]])


def start(module: str) -> int:
    """Run main() of a module of the commands, and end the process."""
    if (
        signal.getsignal(signal.SIGINT) is signal.default_int_handler
    ):  # so that Ctrl-C during the slow imports prints no traceback
        signal.signal(
            signal.SIGINT, signal.SIG_DFL
        )  # guard() in command_line.py sets the handler of Python again
    gc.set_threshold(
        100_000
    )  # objects; with Python's 700, collections take 7 per cent of the time of boids-analyse
    os.environ.setdefault(
        "OPENBLAS_NUM_THREADS", "1"
    )  # the matrices are so small that threads would only wait for each other
    try:
        main = importlib.import_module(module, __package__).main
    except ImportError as error:  # numpy
        from .command_line import missing_module
        from ..core.messages import print_note

        print_note(missing_module(error))
        return 1
    status = main(sys.argv[1:])
    # The interpreter would free each object of matplotlib and numpy before it ends, an eighth of the time of boids-analyse.
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


plot, analyse, tracks, fit, sweep, xdmf = (
    functools.partial(start, f".{name}")
    for name in ("plot", "analyse", "tracks", "fit", "sweep", "xdmf")
)
