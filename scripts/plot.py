#!/usr/bin/env python3
"""Draw a flock: a window, a film, a picture, a contact sheet, or charts of what was measured.

This file only starts; plotting/ does the work, and its __init__.py says how it is laid out.
"""

import signal
import sys

if __name__ == "__main__":
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends the slow imports quietly; see main()
    from plotting.command import main
    sys.exit(main(sys.argv[1:]))
