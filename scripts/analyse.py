#!/usr/bin/env python3
"""Statistics of a flock's trajectory: pair and velocity correlation, displacement, groups, number fluctuations.

This file only starts; analysis/ does the work, and its __init__.py says how it is laid out.
"""

import signal
import sys

if __name__ == "__main__":
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends the slow imports quietly; see guard()
    try:
        from analysis.command import main
    except ImportError as error:  # numpy
        from plotting.command import missing_module
        from plotting.errors import note
        note(missing_module(error))
        sys.exit(1)
    sys.exit(main(sys.argv[1:]))
