"""What a make that a test starts is to know of the one that runs the tests: its variables alone, flags among them, or it
would build everything anew with others."""

import os


def environment():
    clean = {name: value for name, value in os.environ.items() if not name.startswith("MAKE") and name != "MFLAGS"}
    clean["MAKEFLAGS"] = "-- " + os.environ.get("MAKEFLAGS", "").partition("-- ")[2]
    return clean
