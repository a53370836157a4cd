"""Sums whose terms are added one by one, as the published programs do. Python's sum() corrects rounding errors since version 3.12."""

import functools
import operator


def sum(values):
    return functools.reduce(operator.add, values, 0)
