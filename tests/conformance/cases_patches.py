"""Patches of images, concatenated rows."""

import numpy as np
import tensorflow as tf

from case import LOOSE, NUMBERS, REALS, Case, eighths, strings


def attrs(size, stride, rate, padding):
    return {"ksizes": [1, *size, 1], "strides": [1, *stride, 1], "rates": [1, *rate, 1], "padding": padding}


def patches():
    op = "ExtractImagePatches"
    for dtype in NUMBERS:
        yield Case(op, [eighths(dtype, (2, 4, 5, 2))], attrs((2, 3), (2, 1), (1, 1), "SAME"))
    for padding in ("SAME", "VALID"):
        for size, stride, rate in (((2, 2), (1, 1), (1, 1)), ((3, 2), (2, 3), (1, 1)), ((2, 3), (1, 2), (2, 1)), ((1, 1), (2, 2), (1, 1)),
                                   ((4, 5), (3, 3), (1, 1)), ((2, 2), (5, 5), (3, 2))):
            for dtype in ("float", "double"):
                yield Case(op, [eighths(dtype, (2, 5, 6, 3))], attrs(size, stride, rate, padding), grad=True, static_only=True)
    yield Case(op, [eighths("float", (1, 3, 3, 1))], attrs((2, 2), (1, 1), (1, 1), "VALID"), grad=True, static_only=True)
    yield Case(op, [eighths("float", (0, 3, 3, 1))], attrs((2, 2), (1, 1), (1, 1), "VALID"))
    x = eighths("float", (1, 3, 3, 1))
    base = attrs((2, 2), (1, 1), (1, 1), "VALID")
    yield Case(op, [x[0]], base, error="input must be 4-dimensional[3,3,1]")
    yield Case(op, [x], attrs((5, 2), (1, 1), (1, 1), "VALID"), error="Computed output size would be negative: -1 [input_size: 3, effective_filter_size: 5, stride: 1]")
    for name, value, what in (("ksizes", [2, 2, 2, 1], "Only support ksizes across space."), ("strides", [1, 2, 2, 2], "Only support strides across space."),
                              ("rates", [1, 2, 2, 2], "Only support rates across space."), ("ksizes", [1, 0, 2, 1], "ksizes is out of range."),
                              ("strides", [1, 0, 2, 1], "strides is out of range."), ("rates", [1, 1, 0, 1], "rates is out of range.")):
        yield Case(op, [x], {**base, name: value}, error=what)


def volumes():
    op = "ExtractVolumePatches"

    def attrs(size, stride, padding):
        return {"ksizes": [1, *size, 1], "strides": [1, *stride, 1], "padding": padding}

    for dtype in REALS:
        yield Case(op, [eighths(dtype, (2, 3, 4, 3, 2))], attrs((2, 3, 1), (2, 1, 1), "SAME"))
    for padding in ("SAME", "VALID"):
        for size, stride in (((1, 1, 1), (1, 1, 1)), ((2, 2, 2), (1, 1, 1)), ((3, 1, 2), (1, 2, 3)), ((1, 2, 3), (3, 3, 2))):
            for dtype in ("float", "double"):
                yield Case(op, [eighths(dtype, (2, 4, 3, 5, 2))], attrs(size, stride, padding), grad=True, static_only=True)
    base = attrs((2, 2, 2), (1, 1, 1), "VALID")
    for shape in ((0, 3, 3, 2, 1), (1, 3, 3, 3, 0)):
        yield Case(op, [eighths("float", shape)], base)
    yield Case(op, [eighths("float", (1, 0, 3, 3, 2))], {**base, "padding": "SAME"})
    x = eighths("float", (1, 3, 3, 3, 1))
    yield Case(op, [x[0]], base, error="input must be 5-dimensional[3,3,3,1]")
    yield Case(op, [x], attrs((5, 2, 2), (1, 1, 1), "VALID"), error="Computed output size would be negative: -1 [input_size: 3, effective_filter_size: 5, stride: 1]")
    for name, value, what in (("ksizes", [2, 2, 2, 2, 1], "Only support ksizes across space."), ("strides", [1, 2, 2, 2, 2], "Only support strides across space."),
                              ("ksizes", [1, 0, 2, 2, 1], "ksizes is out of range."), ("strides", [1, 2, 2, 0, 1], "strides is out of range.")):
        yield Case(op, [x], {**base, name: value}, error=what)


def cases():
    yield from patches()
    yield from volumes()
