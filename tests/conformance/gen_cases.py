#!/usr/bin/env python3
"""Writes tests/data/conformance/<family>.json: real TensorFlow's results for the cases in
cases_<family>.py. Run with a Python that has TensorFlow:

  gen_cases.py            all families
  gen_cases.py math nn    some

Each line of the file is a case, an object with
  op, attrs, in        the operation; a tensor is text "dtype[dims] values", a Ref input or a
                       resource variable is {"ref": tensor}
  out                  its outputs, or
  error                a part of the expected error message
  grad_ys, grads       incoming gradients, and the gradients of the inputs (null for an input without one)
  refs                 the final values of Ref inputs
  tol, atol, grad_tol  tolerances that differ from those of the dtype
  static_only          gradients require static shapes
"""

import glob
import importlib
import json
import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
# Some oneDNN kernels give different results (QuantizeV2, Dequantize).
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")

import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python.framework import dtypes
from tensorflow.python.framework import op_def_library
from tensorflow.python.framework import op_def_registry
from tensorflow.python.framework import test_util

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import case as case_lib  # pylint: disable=wrong-import-position

DATA = os.path.join(os.path.dirname(HERE), "data", "conformance")


def number(x, kind):
    if kind in (np.float32, np.float64):
        text = str(x) if np.isfinite(x) else {True: "nan"}.get(bool(np.isnan(x)), "inf" if x > 0 else "-inf")
        return text[:-2] if text.endswith(".0") else text
    return str(int(x))


def token(x, name):
    if name == "string":
        raw = x if isinstance(x, bytes) else str(x).encode()
        return "'" + "".join(chr(b) if 0x21 <= b < 0x7F and b != 0x25 else "%%%02x" % b for b in raw)
    if name in ("half", "bfloat16"):
        return number(np.float32(x), np.float32)
    if name.startswith("complex"):
        real = np.float32 if name == "complex64" else np.float64
        return number(real(x.real), real) + " " + number(real(x.imag), real)
    if name in case_lib.QUANTIZED:
        return str(x[0])
    return number(x, type(x))


def named(x, dtype):
    """Returns the result of a run, with its dtype restored if it is quantized."""
    return np.asarray(x).view(dtype.as_numpy_dtype) if dtype.is_quantized else x


def tensor_text(x):
    x = np.asarray(x, object if isinstance(x, bytes) else None)
    name = case_lib.NAMES.get(x.dtype, "string")
    dims = ",".join(str(d) for d in x.shape)
    return " ".join(["%s[%s]" % (name, dims)] + [token(v, name) for v in x.flatten()])


def attr_json(value):
    if isinstance(value, tf.DType):
        return {"type": case_lib.NAMES[np.dtype(value.as_numpy_dtype)]}
    if isinstance(value, tf.TensorShape):
        return {"shape": None if value.rank is None else [-1 if d is None else d for d in value.as_list()]}
    if isinstance(value, (list, tuple)):
        return [attr_json(v) for v in value]
    if isinstance(value, float):
        return {"float": value}
    return value


def full_attrs(op_def, attrs):
    """Returns `attrs` with the defaults that the registry's wrapper requires explicitly."""
    fields = {"bool": "b", "int": "i", "float": "f", "string": "s", "tensor": "tensor"}
    full = {}
    for a in op_def.attr:
        if a.HasField("default_value") and a.type in fields:
            full[a.name] = getattr(a.default_value, fields[a.type])
        elif a.HasField("default_value") and a.type == "list(int)":
            full[a.name] = list(a.default_value.list.i)
        elif a.HasField("default_value") and a.type == "list(float)":
            full[a.name] = list(a.default_value.list.f)
    full.update(attrs)
    return full


def build(c, static):
    """Builds the op on placeholders or variables. Returns (outputs, input tensors, feeds, variables)."""
    op_def = op_def_registry.get(c.op)
    if op_def.deprecation.version:
        test_util.set_producer_version(tf.get_default_graph(), op_def.deprecation.version - 1)
    tensors, feeds, variables = [], {}, []
    for k, value in enumerate(c.inputs):
        if isinstance(value, case_lib.Ref):
            by_handle = op_def.input_arg[k].type == dtypes.resource.as_datatype_enum
            variables.append(tf.compat.v1.get_variable("v%d" % k, initializer=value.value, use_resource=by_handle))
            tensors.append(variables[-1].handle if by_handle else variables[-1]._ref())
            continue
        known = static and not np.issubdtype(value.dtype, np.inexact) and value.dtype != object
        if known and case_lib.NAMES[value.dtype] not in ("half", "bfloat16"):
            tensors.append(tf.constant(value, name="c%d" % k))
        else:
            kind = tf.string if value.dtype == object else value.dtype
            tensors.append(tf.placeholder(kind, value.shape if static else None, name="x%d" % k))
            feeds[tensors[-1]] = value
    keywords, left = {}, list(tensors)
    attrs = full_attrs(op_def, c.attrs)
    spare = len(tensors) - len(op_def.input_arg)
    for arg in op_def.input_arg:
        if arg.number_attr or arg.type_list_attr:
            count = c.attrs.get(arg.number_attr or arg.type_list_attr, spare + 1)
            count = count if isinstance(count, int) else len(count)
            attrs.pop(arg.number_attr or arg.type_list_attr, None)
            spare -= count - 1
            keywords[arg.name], left = left[:count], left[count:]
        else:
            keywords[arg.name] = left.pop(0)
    y = op_def_library.apply_op(c.op, name="op", **keywords, **attrs)
    if isinstance(y, tf.Operation):
        outputs = []
    elif isinstance(y, (list, tuple)):
        outputs = tf.nest.flatten(list(y))
    else:
        outputs = [y]
    return outputs, tensors, feeds, variables


def differentiable(dtype):
    return dtype.base_dtype in (tf.float32, tf.float64, tf.float16, tf.bfloat16, tf.complex64, tf.complex128)


def incoming(c, outputs, values):
    """Returns a made-up gradient for each output that can have one."""
    grads = []
    for k, (t, v) in enumerate(zip(outputs, values)):
        name = case_lib.NAMES.get(np.asarray(v).dtype)
        grads.append(case_lib.eighths(name, np.shape(v), key=(c.op, k)) if differentiable(t.dtype) else None)
    return grads


def gradients_json(c, session, outputs, tensors, feeds, values):
    grad_ys = incoming(c, outputs, values)
    ys = [t for t, g in zip(outputs, grad_ys) if g is not None]
    xs = [t for t in tensors if differentiable(t.dtype)]
    grads = iter(tf.gradients(ys, xs, grad_ys=[tf.constant(g) for g in grad_ys if g is not None]))
    result = []
    for t in tensors:
        g = next(grads) if differentiable(t.dtype) else None
        if isinstance(g, tf.IndexedSlices):
            dense = tf.convert_to_tensor(g)
            result.append(tensor_text(session.run(dense, feeds)))
        else:
            result.append(None if g is None else tensor_text(session.run(g, feeds)))
    return {"grad_ys": [None if g is None else tensor_text(g) for g in grad_ys], "grads": result}


def input_json(value):
    if isinstance(value, case_lib.Ref):
        return {"ref": tensor_text(value.value)}
    return tensor_text(value)


def run(c):
    line = {"op": c.op, "in": [input_json(v) for v in c.inputs]}
    if c.attrs:
        line["attrs"] = {k: attr_json(v) for k, v in c.attrs.items()}
    if c.error is not None:
        check_error(c)
        line["error"] = c.ramet_error or c.error
        return line
    with tf.Graph().as_default(), tf.Session() as session:
        outputs, tensors, feeds, variables = build(c, static=True)
        session.run(tf.global_variables_initializer())
        values = session.run(outputs if outputs else tensors[0].graph.get_operation_by_name("op"), feeds)
        values = values if outputs else []
        line["out"] = [tensor_text(named(v, t.dtype)) for v, t in zip(values, outputs)]
        if variables:
            line["refs"] = [tensor_text(v) for v in session.run(variables)]
        if c.grad:
            line.update(gradients_json(c, session, outputs, tensors, feeds, values))
    for key in ("tol", "atol", "grad_tol", "static_only"):
        value = getattr(c, key)
        if value is not None and value is not False:  # a tolerance of 0 is recorded, too
            line[key] = value
    return line


def check_error(c):
    with tf.Graph().as_default(), tf.Session() as session:
        outputs, tensors, feeds, _ = build(c, static=c.static_only)
        session.run(tf.global_variables_initializer())
        try:
            session.run(outputs if outputs else tensors[0].graph.get_operation_by_name("op"), feeds)
        except tf.errors.OpError as e:
            if c.error not in str(e):
                raise AssertionError("%s: expected the error %r, got %s" % (c.op, c.error, e)) from e
            return
    raise AssertionError("%s: expected the error %r, got none" % (c.op, c.error))


def main():
    tf.disable_eager_execution()
    families = sys.argv[1:] or sorted(os.path.basename(p)[6:-3] for p in glob.glob(os.path.join(HERE, "cases_*.py")))
    os.makedirs(DATA, exist_ok=True)
    failures = 0
    for family in families:
        lines = []
        for c in importlib.import_module("cases_" + family).cases():
            try:
                lines.append(json.dumps(run(c), separators=(",", ":")))
            except Exception as e:  # pylint: disable=broad-except
                failures += 1
                print("%s\n  %s: %s" % (c, type(e).__name__, str(e)[:300]), file=sys.stderr)
        path = os.path.join(DATA, family + ".json")
        with open(path, "w", encoding="ascii") as f:
            f.write("\n".join(lines) + "\n")
        print("%s: %d cases, %d bytes" % (path, len(lines), os.path.getsize(path)))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
