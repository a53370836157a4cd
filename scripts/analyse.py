#!/usr/bin/env python3
"""Statistics of a flock's trajectory: pair and velocity correlation, displacement, groups, number fluctuations.

This file only starts; analysing/ does the work, and its __init__.py says how it is laid out.
"""

import signal
import sys

if __name__ == "__main__":
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends the slow imports quietly; see guard()
    from analysing.command import main
    sys.exit(main(sys.argv[1:]))
