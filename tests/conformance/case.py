"""Building blocks of the tables of conformance cases.

A family is a module cases_<family>.py with a function cases() that yields Case objects. gen_cases.py runs
each of them through TensorFlow and writes the results to a file.
"""

import dataclasses
import zlib

import numpy as np
from tensorflow.python.framework import dtypes

bfloat16 = dtypes.bfloat16.as_numpy_dtype

FLOATS = ("float", "double", "half", "bfloat16")
COMPLEX = ("complex64", "complex128")
SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
QUANTIZED = ("qint8", "quint8", "qint16", "quint16", "qint32")
REALS = FLOATS + SIGNED + UNSIGNED
NUMBERS = REALS + COMPLEX

NUMPY = {
    "float": np.float32, "double": np.float64, "half": np.float16, "bfloat16": bfloat16,
    "int8": np.int8, "int16": np.int16, "int32": np.int32, "int64": np.int64,
    "uint8": np.uint8, "uint16": np.uint16, "uint32": np.uint32, "uint64": np.uint64,
    "complex64": np.complex64, "complex128": np.complex128, "bool": np.bool_, "string": object,
    "qint8": dtypes.qint8.as_numpy_dtype, "quint8": dtypes.quint8.as_numpy_dtype,
    "qint16": dtypes.qint16.as_numpy_dtype, "quint16": dtypes.quint16.as_numpy_dtype,
    "qint32": dtypes.qint32.as_numpy_dtype,
}
NAMES = {np.dtype(v): k for k, v in NUMPY.items()}

# Tolerances for long formulas in low-precision types.
LOOSE = {"half": 1e-2, "bfloat16": 6e-2}


@dataclasses.dataclass
class Ref:
    """A Ref input: a variable with this value. Its final value is recorded, too."""
    value: np.ndarray


@dataclasses.dataclass
class Case:
    op: str
    inputs: list
    attrs: dict = dataclasses.field(default_factory=dict)
    # If true, gradients are computed for a made-up incoming gradient.
    grad: bool = False
    # Relative and absolute tolerances that differ from those of the dtype (see conformance_test.cc).
    tol: float | None = None
    atol: float | None = None
    grad_tol: float | None = None
    # The error that is expected instead of outputs: a part of TensorFlow's message.
    error: str | None = None
    # Ramet's message, if it differs on purpose.
    ramet_error: str | None = None
    # Gradients, or an error of a run, require static shapes in TensorFlow.
    static_only: bool = False


def generator(*key):
    return np.random.RandomState(zlib.crc32(repr(key).encode()) & 0x7FFFFFFF)


def eighths(dtype, shape, low=-2.0, high=2.0, key=0):
    """Returns made-up numbers with a short decimal form: multiples of 1/8 (integers for integer dtypes)."""
    rng = generator(dtype, shape, low, high, key)
    kind = NUMPY[dtype]
    if dtype == "bool":
        return rng.randint(0, 2, shape).astype(kind)
    if dtype in COMPLEX:
        return (eighths("double", shape, low, high, key) +
                1j * eighths("double", shape, low, high, (key, 1))).astype(kind)
    if dtype in FLOATS:
        return (np.asarray(rng.randint(round(low * 8), round(high * 8) + 1, shape)) / 8.0).astype(kind)
    low = 0 if dtype in UNSIGNED else int(low)
    return np.asarray(rng.randint(low, int(high) + 1, shape)).astype(kind)


def nonzero(x):
    """Returns x with zeros replaced by 1."""
    return np.where(x == 0, np.ones_like(x), x).astype(x.dtype)


def array(dtype, values):
    return np.asarray(values).astype(NUMPY[dtype])


def i32(*values):
    return np.asarray(values, np.int32)


def i64(*values):
    return np.asarray(values, np.int64)


def scalar(dtype, value):
    return np.asarray(value).astype(NUMPY[dtype]).reshape(())


def strings(values):
    return np.array(values, dtype=object)
