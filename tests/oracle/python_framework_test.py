"""Symptom: dtypes, shapes, structures, device names or TensorProtos differ from TensorFlow's.

Each expression in python_framework_cases.py is evaluated with the modules of both packages. The values must
print identically, and protos must have the same bytes. If one raises an error, the other must raise the same
class with the same message.
Needs tensorflow, and the Python package on PYTHONPATH.
"""

import collections
import inspect
import os
import pathlib
import pickle
import re
import types
import unittest
import warnings

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
os.environ.setdefault('CUDA_VISIBLE_DEVICES', '')

import numpy as np

try:
    import tensorflow.compat.v1 as tf
    from tensorflow.core.framework import tensor_pb2 as tf_tensor_pb2
    from tensorflow.core.framework import types_pb2 as tf_types_pb2
    from tensorflow.python.framework import device as tf_device
    from tensorflow.python.framework import dtypes as tf_dtypes
    from tensorflow.python.framework import tensor_shape as tf_shape
    from tensorflow.python.util import nest as tf_nest

    from tensorflow.python.framework import indexed_slices as tf_slices
    from tensorflow.python.framework import sparse_tensor as tf_sparse
    from tensorflow.python.framework import tensor_util as tf_util
    from tensorflow.python.ops.shape_util import shape_tensor as tf_shape_tensor

    tf.disable_v2_behavior()
except ImportError:
    tf = None
try:
    from ramet.core.framework import tensor_pb2
    from ramet.framework import device, dtypes, errors, nest, nest_up_to, tensor_proto, tensor_shape
    from ramet.framework import indexed_slices, sparse_tensor, tensor_conversion, tensor_util
    from ramet.framework import compat

    import ramet.compat.v1 as rt
except ImportError:
    dtypes = None

import python_framework_cases as cases

P = collections.namedtuple('P', 'a b')
Q = collections.namedtuple('Q', 'a b')
P2 = collections.namedtuple('P', 'a b')
R = collections.namedtuple('R', 'a b c')


class L(list):
    pass


class T(tuple):
    pass


class M(collections.abc.Mapping):
    def __init__(self, values):
        self.values_ = values

    def __getitem__(self, key):
        return self.values_[key]

    def __iter__(self):
        return iter(self.values_)

    def __len__(self):
        return len(self.values_)


class Placed:
    def __init__(self, name):
        self.device = name


class Arr:
    def __array__(self, dtype=None, copy=None):
        return np.array([1.0, 2.0])


def with_default(values):
    result = collections.defaultdict(int)
    result.update(values)
    return result


def merged(spec, other):
    spec.merge_from(other)
    return spec


def changed(spec, name, value):
    setattr(spec, name, value)
    return spec


SHARED = {
    'np': np, 'collections': collections, 'inspect': inspect, 'pathlib': pathlib, 'pickle': pickle,
    'P': P, 'Q': Q, 'P2': P2, 'R': R, 'L': L, 'T': T, 'M': M, 'A': lambda *values: values,
    'OD': collections.OrderedDict, 'DD': collections.defaultdict, 'dd': with_default,
    'Arr': Arr, 'Placed': Placed, 'merged': merged, 'changed': changed,
    'collections_deque': collections.deque([1, 2]),
}  # fmt: skip


def make_proto(tensor_pb2):
    def make(shape=(), **fields):
        proto = tensor_pb2.TensorProto(**fields)
        for size in shape:
            proto.tensor_shape.dim.add().size = size
        return proto

    return make


def both():
    """Returns the names used in expressions, for TensorFlow and for Ramet."""
    common = {'tensor_shape': tf_shape, 'dtypes': tf_dtypes, 'ts': tf_shape, 'nest': tf_nest}
    theirs = {
        **SHARED, **common, 'tf': tf, 'D': tf.Dimension, 'S': tf.TensorShape, 'DS': tf.DeviceSpec,
        'dv': tf_device, 'compat': tf.compat, 'errors': tf.errors, 'm': tf.make_tensor_proto,
        'mk': tf.make_ndarray, 'f': tf.float32, 'i': tf.int32, 'TP': make_proto(tf_tensor_pb2),
        'tu': types.SimpleNamespace(make_tensor_proto=tf.make_tensor_proto),
    }  # fmt: skip
    names = {**vars(tensor_shape), **vars(dtypes), 'dtypes': dtypes}
    names['nest'] = nest
    ours = {
        **SHARED, 'tensor_shape': tensor_shape, 'dtypes': dtypes, 'ts': tensor_shape,
        'nest': types.SimpleNamespace(**{**vars(nest_up_to), **vars(nest)}),
        'tf': types.SimpleNamespace(**names), 'D': tensor_shape.Dimension,
        'S': tensor_shape.TensorShape, 'DS': device.DeviceSpec, 'dv': device, 'compat': compat,
        'errors': errors, 'm': tensor_proto.make_tensor_proto, 'mk': tensor_proto.make_ndarray,
        'f': dtypes.float32, 'i': dtypes.int32, 'TP': make_proto(tensor_pb2),
        'tu': tensor_proto,
    }  # fmt: skip
    return theirs, ours


def graph_names(package, slices, sparse, util, names):
    """Returns the names used in expressions about graphs, created in the default graph."""
    constant = package.constant
    v, i = constant([[1.0, 2.0], [3.0, 4.0]], name='v'), constant([0, 1], name='i')
    d = constant([4, 2], name='d')
    return {
        **names, 'tf': package, 'c': constant, 'I': package.IndexedSlices,
        'S': package.SparseTensor, 'V': package.SparseTensorValue, 'ix': slices, 'st': sparse,
        'IV': slices.IndexedSlicesValue, 'tu': util, 'v': v, 'i': i, 'd': d,
        'iv': package.IndexedSlices(v, i, d), 'iv2': package.IndexedSlices(v, i),
        'sv': package.SparseTensorValue([[0, 1]], [2.0], [3, 4]),
        's': package.SparseTensor([[0, 1]], [2.0], [3, 4]), 'm': package.make_tensor_proto,
    }  # fmt: skip


def plain(text):
    """Returns text without the names of modules and the addresses of objects."""
    text = re.sub(r'\b(tensorflow(\.python)?|ramet)(\.core)?\.framework\.\w+\.', '', text)
    return re.sub(r'0x[0-9a-f]+', '0x', text).replace('errors_impl.', '').replace('SymbolicTensor', 'Tensor')


def shown(value):
    if hasattr(value, 'SerializeToString'):
        return value.SerializeToString(deterministic=True).hex()
    if hasattr(value, 'to_string') and hasattr(value, 'make_merged_spec'):
        return f'DeviceSpec {value.to_string()} {value!r}'
    kind = 'class' if isinstance(value, type) else type(value).__name__
    if kind == 'IndexedSlices':
        return str(value)
    return plain(f'{kind} {value!r} {getattr(value, "dtype", "")} {value}')


def outcome(expression, names):
    try:
        return shown(eval(expression, dict(names)))
    except Exception as error:
        return f'{type(error).__name__}: {plain(str(error))}'


@unittest.skipIf(tf is None or dtypes is None, 'skipped: needs tensorflow and ramet')
class FrameworkTest(unittest.TestCase):
    def check(self, expressions):
        theirs, ours = both()
        differing = []
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            for expression in expressions:
                expected, actual = outcome(expression, theirs), outcome(expression, ours)
                if expected != actual:
                    differing.append(f'{expression}\n  TensorFlow: {expected}\n  Ramet: {actual}')
        self.assertFalse(differing, '\n' + '\n'.join(differing))

    def check_graphs(self, expressions):
        theirs, ours = both()
        theirs['shape_tensor'], ours['shape_tensor'] = tf_shape_tensor, tensor_util.shape_tensor
        slices = types.SimpleNamespace(
            **{**vars(indexed_slices), **vars(tensor_conversion)},
            internal_convert_n_to_tensor_or_indexed_slices=(
                tensor_conversion.convert_n_to_tensor_or_indexed_slices
            ),
        )
        outcomes = []
        for package, *modules, names in (
            (tf, tf_slices, tf_sparse, tf_util, theirs),
            (rt, slices, sparse_tensor, tensor_util, ours),
        ):
            with package.Graph().as_default(), warnings.catch_warnings():
                warnings.simplefilter('ignore')
                names = graph_names(package, *modules, names)
                outcomes.append([outcome(expression, names) for expression in expressions])
        differing = [
            f'{expression}\n  TensorFlow: {expected}\n  Ramet: {actual}'
            for expression, expected, actual in zip(expressions, *outcomes, strict=True)
            if expected != actual
        ]
        self.assertFalse(differing, '\n' + '\n'.join(differing))

    def test_sparse_tensors_and_slices(self):
        self.check_graphs(cases.SPARSE)

    def test_static_values(self):
        self.check_graphs(cases.STATIC)

    def test_conversions(self):
        self.check_graphs(cases.CONVERSIONS)

    def test_seeds(self):
        self.check_graphs(cases.SEEDS)

    def test_dtypes(self):
        self.check(cases.DTYPES)

    def test_shapes(self):
        self.check(cases.SHAPES)

    def test_structures(self):
        self.check(cases.STRUCTURES)

    def test_protos(self):
        self.check(cases.PROTOS)

    def test_arrays(self):
        self.check(cases.ARRAYS)

    def test_devices(self):
        self.check(cases.DEVICES)

    def test_texts(self):
        self.check(cases.TEXTS)

    def test_errors(self):
        self.check(cases.ERRORS)

    def test_every_attribute_of_every_dtype(self):
        attributes = (
            'name', 'as_numpy_dtype', 'as_datatype_enum', 'base_dtype', 'real_dtype', 'size',
            'is_floating', 'is_integer', 'is_unsigned', 'is_complex', 'is_bool', 'is_quantized',
            'is_numpy_compatible', 'is_numeric', 'min', 'max', 'limits', '_is_ref_dtype', '_as_ref',
        )  # fmt: skip
        expressions = [
            f'dtypes.as_dtype({number}).{attribute}'
            for number in tf_types_pb2.DataType.values()
            for attribute in attributes
        ]
        self.check(expressions)

    def test_every_dtype_as_proto_and_back(self):
        known = [d for d in dtypes.BY_ENUM[1:34] if d.is_numpy_compatible]
        names = [d.name for d in known if 'fnuz' not in d.name]
        expressions = []
        for name in names:
            if dtypes.as_dtype(name).is_quantized:
                values = '[(1,), (0,), (1,)]'
            else:
                values = {'string': "['a', '', 'b']", 'bool': '[True, False, True]'}.get(
                    name, '[1, 0, 1]'
                )
            made = f"m({values}, dtype='{name}')"
            expressions += [
                made,
                f'mk({made})',
                f"m({values}[:1], dtype='{name}', shape=[2])",
                f"mk(m({values}[:1], dtype='{name}', shape=[2]))",
            ]
        self.check(expressions)


if __name__ == '__main__':
    unittest.main()
