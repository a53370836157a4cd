"""The environment for a make that a test starts: only the variables of the outer make, including flags, because with other flags it
would rebuild everything, and this python, lest the inner make searches for one again."""

import os
import re
import sys


def environment():
    clean = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("MAKE") and name not in ("MFLAGS", "SUITES")
    }
    settings = os.environ.get("MAKEFLAGS", "").partition("-- ")[2]
    clean["MAKEFLAGS"] = "-- " + re.sub(r"\bSUITES=(\\.|\S)*", "", settings)
    return {**clean, "PYTHON": sys.executable}
