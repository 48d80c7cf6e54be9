"""Symptom: an op has a different static shape than in TensorFlow, or accepts inputs of other shapes.

Each case is a table's row: an op, its inputs, their static shapes and the attrs. Both packages must agree on
errors, static shapes and values. Needs tensorflow and the package ramet on the path.
"""

import unittest

import differential
import differential_cases
import numpy as np
from tensorflow.core.framework import graph_pb2
from tensorflow.python.framework import dtypes, op_def_registry

CONST = object()  # the static shape of an input whose value is known
FLOAT = np.float32


def steps(name, values):
    kind = np.uint8 if name == 'quint8' else np.int32
    return np.asarray(values).astype(kind).view(dtypes.as_dtype(name).as_numpy_dtype)


def bounds(count, shape=()):
    return [np.full(shape, k % 2, FLOAT) for k in range(count)]


BYTES = steps('quint8', np.arange(8).reshape(2, 4))
VECTOR = steps('quint8', np.arange(4))
IMAGE = steps('quint8', np.arange(24).reshape(1, 2, 3, 4))
WIDE = steps('qint32', np.arange(8).reshape(2, 4))
WINDOW = {'ksize': [1, 2, 2, 1], 'strides': [1, 1, 1, 1], 'padding': 'VALID'}
CONV = {'strides': [1, 1, 1, 1], 'padding': 'SAME', 'out_type': 'qint32'}
NORM = {'out_type': 'qint32', 'variance_epsilon': 0.5, 'scale_after_normalization': True}
# Ops with bounds as last inputs: the op, the other inputs, the number of bounds and the attrs.
QUANTIZED = [
    ('QuantizedRelu', [BYTES], 2, {}),
    ('QuantizedRelu6', [BYTES], 2, {}),
    ('QuantizedBiasAdd', [BYTES, VECTOR], 4, {'out_type': 'qint32'}),
    ('QuantizedAdd', [BYTES, VECTOR], 4, {}),
    ('QuantizedMul', [BYTES, VECTOR], 4, {}),
    ('QuantizedMatMul', [BYTES, steps('quint8', np.ones([4, 3]))], 4, {}),
    ('QuantizedConv2D', [IMAGE, steps('quint8', np.ones([1, 2, 4, 3]))], 4, CONV),
    ('QuantizedMaxPool', [IMAGE], 2, WINDOW),
    ('QuantizedAvgPool', [IMAGE], 2, WINDOW),
    ('QuantizedReshape', [BYTES, np.int32([8])], 2, {}),
    ('QuantizeDownAndShrinkRange', [WIDE], 2, {'out_type': 'quint8'}),
    ('RequantizationRange', [WIDE], 2, {}),
    ('Dequantize', [BYTES], 2, {}),
]


def bound_cases():
    """Yields cases with a bound of each shape, known or fed, in each place."""
    for op, values, count, attrs in QUANTIZED:
        for place in range(len(values), len(values) + count):
            for shape in ([1], [1, 1], [2], [0]):
                inputs = values + bounds(count)
                inputs[place] = np.full(shape, (place - len(values)) % 2, FLOAT)
                for static in (shape, None):
                    yield op, inputs, {place: static}, attrs
    for place in range(3, 7):
        inputs = [np.int32(0), BYTES, BYTES, *bounds(2), *(1 + b for b in bounds(2))]
        inputs[place] = np.full([1], place // 5, FLOAT)
        for static in ([1], None):
            yield 'QuantizedConcat', inputs, {place: static}, {'N': 2}


def concat_cases():
    inputs = [np.int32(1), BYTES, BYTES[:, :3], *bounds(1), *bounds(1), *(1 + b for b in bounds(1) * 2)]
    for first in (None, [2, 4], [-1, 4], [2, -1]):
        for second in (None, [2, 3], [-1, 3], [-1, -1]):
            for axis in (CONST, []):
                yield 'QuantizedConcat', inputs, {0: axis, 1: first, 2: second}, {'N': 2}


def norm_cases():
    op = 'QuantizedBatchNormWithGlobalNormalization'
    inputs = [x for value in (IMAGE, VECTOR, VECTOR, VECTOR, VECTOR) for x in (value, *bounds(2))]
    for static in ({0: None}, {0: None, 3: [-1], 6: None, 9: [-1], 12: [4]}, {0: [1, -1, 3, -1], 3: [-1]},
                   {k: None for k in range(0, 15, 3)}, {4: [1]}, {4: None}):
        given = list(inputs)
        if 4 in static:
            given[4] = np.zeros([1], FLOAT)
        yield op, given, static, NORM


def bias_cases():
    for value in (None, [2, 4], [2, -1], [-1, -1]):
        for bias in (None, [4], [-1]):
            yield 'QuantizedBiasAdd', [BYTES, VECTOR, *bounds(4)], {0: value, 1: bias}, {'out_type': 'qint32'}


def convolution_cases():
    image, kernel = np.ones([1, 4, 3, 2], FLOAT), np.ones([2, 3, 2, 3], FLOAT)
    paddings = np.int32([[0, 0], [1, 1], [1, 1], [0, 0]])
    for padding in ('SAME', 'VALID'):
        attrs = {'mode': 'REFLECT', 'strides': [1, 2, 1, 1], 'padding': padding}
        for given in (None, [1, 4, 3, 2], [-1, -1, 3, 2]):
            for of_kernel in (None, [-1, 3, -1, 3], [2, -1, 2, -1], [2, 3, 2, 3]):
                yield 'FusedPadConv2D', [image, paddings, kernel], {0: given, 2: of_kernel}, attrs
                yield ('FusedResizeAndPadConv2D', [image, np.int32([5, 6]), paddings, kernel],
                       {0: given, 3: of_kernel}, attrs)


def ragged_cases():
    many, one = np.float32([1, 2]), np.float32(5)
    for static in ({0: [], 1: None, 2: [2]}, {0: None, 1: None, 2: None}, {0: [], 1: [], 2: []}, {0: [], 1: [], 2: None},
                   {0: [-1], 1: [2], 2: []}, {0: [-1], 1: [-1], 2: []}):
        inputs = [one if shape == [] else many for shape in static.values()]
        yield 'RaggedRange', inputs, static, {}
    yield 'RaggedRange', [many, np.float32([1, 2, 3]), one], {}, {}


def parsing_cases():
    none = np.zeros([0], object)
    for names in (none, np.zeros([0, 2], object), np.zeros([1, 1], object)):
        names = np.full(names.shape, b'', object)
        for static in (CONST, None):
            inputs = [np.array([b''], object), names, *[none] * 6, np.zeros([0], np.bool_)]
            yield 'ParseSequenceExampleV2', inputs, {1: static}, {}


def case_of(op, inputs, static, attrs):
    """Returns a case for differential.Runner. Inputs without a static shape are constants."""
    graph = graph_pb2.GraphDef()
    graph.versions.producer = 1087
    feeds = {}
    for i, value in enumerate(inputs):
        value = np.asarray(value)
        node = graph.node.add(name=f'x{i}', op='Const')
        node.attr['dtype'].type = differential_cases.dtype_of(value).as_datatype_enum
        shape = static.get(i, CONST)
        if shape is CONST:
            proto = differential_cases.tensor_util.make_tensor_proto(
                value, differential_cases.dtype_of(value), list(value.shape))
            node.attr['value'].tensor.CopyFrom(proto)
        else:
            node.op = 'Placeholder'
            node.attr['shape'].shape.SetInParent()
            differential_cases.set_attr(node.attr['shape'], 'shape', shape)
            feeds[f'x{i}:0'] = value
    definition = op_def_registry.get(op)
    node = graph.node.add(name='op', op=op, input=[f'x{i}' for i in range(len(inputs))])
    differential_cases.Maker.infer_attrs(node, definition, [np.asarray(x) for x in inputs], attrs)
    for attr in definition.attr:
        if attr.name in attrs:
            differential_cases.set_attr(node.attr[attr.name], attr.type, attrs[attr.name])
        elif attr.name not in node.attr and attr.HasField('default_value'):
            node.attr[attr.name].CopyFrom(attr.default_value)
    return {'op': op, 'graph': graph.SerializeToString(), 'feeds': feeds,
            'fetches': differential_cases.Maker.outputs_of(node, definition)}


class DifferentialShapesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.runners = [differential.Runner('tensorflow'), differential.Runner('ramet')]

    @classmethod
    def tearDownClass(cls):
        for runner in cls.runners:
            runner.close()

    def check(self, rows):
        ran = 0
        for op, inputs, static, attrs in rows:
            case = case_of(op, inputs, static, attrs)
            for runner in self.runners:
                runner.send(case)
            want, got = [runner.receive() for runner in self.runners]
            found = differential.difference(case, want, got)
            shapes = [np.shape(x) for x in inputs]
            if found and found[0] != 'phase':
                self.fail(f'{op} {shapes} {static} {attrs}: {found}')
            ran += want['state'] == 'ran'
        self.assertGreater(ran, 0)

    def test_bounds_of_ranges(self):
        self.check(bound_cases())

    def test_concatenation(self):
        self.check(concat_cases())

    def test_batch_normalization(self):
        self.check(norm_cases())

    def test_bias(self):
        self.check(bias_cases())

    def test_fused_convolutions(self):
        self.check(convolution_cases())

    def test_ragged_ranges(self):
        self.check(ragged_cases())

    def test_names_of_examples(self):
        self.check(parsing_cases())


if __name__ == '__main__':
    unittest.main()
