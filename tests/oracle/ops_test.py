"""Symptom: the definition, dtypes or existence of a gradient of an op differs from TensorFlow.

Every op in Ramet's registry is compared with the op of the same name in TensorFlow: the definition (arguments,
attrs, defaults, flags), the dtypes of its CPU kernels, and whether it has a gradient. Intentional differences
are listed in ops_exceptions.py with the reasons. An exception that is not needed is an error too.
Needs tensorflow, the package ramet on the path and the program `ramet` (RAMET_CLI, or build/bin).
"""

import json
import os
import subprocess
import unittest

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
os.environ.setdefault('CUDA_VISIBLE_DEVICES', '')

import tensorflow.compat.v1 as tf
from tensorflow.core.framework import op_def_pb2
from tensorflow.python.framework import kernels, op_def_registry, ops

import ops_exceptions
from ramet import _core

tf.disable_v2_behavior()

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
CLI = os.environ.get('RAMET_CLI', os.path.join(ROOT, 'build', 'bin', 'ramet'))


def ramet_ops():
    text = subprocess.run([CLI, 'ops', '--json'], check=True, capture_output=True, text=True).stdout
    return {op['name']: op for op in json.loads(text)}


def plain(definition):
    """Returns a definition as text, without documentation and without the order of attrs and allowed values."""
    op = op_def_pb2.OpDef()
    op.CopyFrom(definition)
    for part in (op, *op.input_arg, *op.output_arg, *op.attr):
        part.ClearField('description')
    op.ClearField('summary')
    op.ClearField('deprecation')
    for arg in (*op.input_arg, *op.output_arg):
        arg.ClearField('experimental_full_type')
        arg.ClearField('handle_data')
    for field in ('control_output', 'is_distributed_communication'):
        op.ClearField(field)
    for attr in op.attr:
        if attr.default_value.HasField('tensor'):
            values = tf.make_ndarray(attr.default_value.tensor)
            attr.default_value.s = f'{values.dtype}{values.shape} {values.tolist()}'.encode()
        attr.allowed_values.list.type[:] = sorted(attr.allowed_values.list.type)
        attr.allowed_values.list.s[:] = sorted(attr.allowed_values.list.s)
        if not attr.allowed_values.list.ByteSize():
            attr.ClearField('allowed_values')
    attrs = sorted(op.attr, key=lambda a: a.name)
    op.ClearField('attr')
    op.attr.extend(attrs)
    return str(op)


def name_of(number):
    return {'float32': 'float', 'float64': 'double', 'float16': 'half'}.get(
        tf.as_dtype(number).name, tf.as_dtype(number).name)


def cpu_dtypes(name):
    """Returns {attr: dtypes} of TensorFlow's CPU kernels, restricted to those that the definition allows."""
    allowed = {a.name: {name_of(t) for t in a.allowed_values.list.type}
               for a in op_def_registry.get(name).attr if a.type == 'type'}
    found = {}
    for kernel in kernels.get_registered_kernels_for_op(name).kernel:
        if kernel.device_type not in ('CPU', 'DEFAULT') or kernel.label:
            continue
        limited = {c.name: {name_of(t) for t in c.allowed_values.list.type}
                   for c in kernel.constraint}
        for attr in allowed:
            dtypes = limited.get(attr, allowed[attr])
            found.setdefault(attr, set()).update(dtypes & allowed[attr] if allowed[attr] else dtypes)
    return found


def gradient_of(name):
    try:
        return 'none' if ops._gradient_registry.lookup(name) is None else 'yes'
    except LookupError:
        return 'no'


class OpsTest(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.ops = ramet_ops()
        own = set(ops_exceptions.OWN_OPS)
        cls.names = [n for n in cls.ops if n not in own]
        definitions = (op_def_pb2.OpDef.FromString(d) for d in _core.op_defs(cls.names))
        cls.definitions = {d.name: d for d in definitions}

    def check(self, exceptions, differences):
        unknown = {k: v for k, v in differences.items() if k not in exceptions}
        self.assertEqual({}, unknown)
        self.assertEqual([], sorted(set(exceptions) - set(differences)), 'exceptions without need')

    def test_there_is_an_op_of_each_name(self):
        self.assertEqual([], [n for n in self.names if op_def_registry.get(n) is None])

    def test_definitions(self):
        differences = {}
        for name in self.names:
            expected, actual = plain(op_def_registry.get(name)), plain(self.definitions[name])
            if expected != actual:
                differences[name] = (set(expected.splitlines()) ^ set(actual.splitlines()),
                                     expected, actual)
        self.check(ops_exceptions.DEFINITIONS, {k: v[0] or v[1:] for k, v in differences.items()})

    def test_dtypes(self):
        differences = {}
        for name in self.names:
            ours, theirs = set(self.ops[name]['dtypes']), cpu_dtypes(name)
            if 'any' in ours or not theirs or ours in theirs.values():
                continue
            nearest = max(theirs.values(), key=lambda t: len(t & ours) - len(t ^ ours))
            differences[name] = {'missing': ' '.join(sorted(nearest - ours)),
                                 'more': ' '.join(sorted(ours - nearest))}
        more_only = {k for k, v in differences.items() if not v['missing']}
        differences = {k: v['missing'] for k, v in differences.items() if k not in more_only}
        self.check(ops_exceptions.DTYPES, differences)

    def test_gradients(self):
        differences = {}
        for name in self.names:
            ours, theirs = self.ops[name]['gradient'], gradient_of(name)
            if ours != theirs:
                differences[name] = f'{ours}, not {theirs}'
        self.check(ops_exceptions.GRADIENTS, differences)


if __name__ == '__main__':
    unittest.main()
