"""The commands that pip installs (pyproject.toml): each runs the script of its name beside this file."""

import os
import runpy
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def start(name):
    sys.path.insert(0, HERE)
    runpy.run_module(name, run_name="__main__")


def analyse():
    start("analyse")


def plot():
    start("plot")


def sweep():
    start("sweep")
