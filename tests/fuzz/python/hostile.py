"""Arguments that callers of a public symbol should not pass: odd values and misbehaving objects."""

import numpy as np

import ramet.compat.v1 as tf


class Fault(Exception):
    """Raised by hostile objects."""


def _hostile(**methods):
    return type('Hostile', (), {k: (lambda f: lambda *a, **k: f())(f) for k, f in methods.items()})()


def _raise():
    raise Fault('hostile')


def self_containing():
    loop = []
    loop.append(loop)
    return loop


def deep(depth):
    value = 1
    for _ in range(depth):
        value = [value]
    return value


def closed_session():
    session = tf.Session(graph=tf.Graph())
    session.close()
    return session


def foreign_tensor():
    with tf.Graph().as_default():
        return tf.constant([1.0, 2.0], name='foreign')


def foreign_variable():
    with tf.Graph().as_default():
        return tf.get_variable('foreign', [2])


class HostileDict(dict):
    def __getitem__(self, key):
        raise Fault('item')

    def items(self):
        yield 1
        raise Fault('items')


class HostileText(str):
    def __eq__(self, other):
        raise Fault('eq')

    def __hash__(self):
        return 1


# Functions that create a value, called in the graph of the case.
MAKERS = [
    lambda: None, lambda: True, lambda: 0, lambda: -1, lambda: 1, lambda: 2, lambda: 3,
    lambda: 1 << 31, lambda: -(1 << 63), lambda: 1 << 64, lambda: 10 ** 400,
    lambda: 0.0, lambda: 1.5, lambda: float('nan'), lambda: float('inf'), lambda: 1e308,
    lambda: 1 + 2j, lambda: '', lambda: 'x', lambda: 'a/b:0', lambda: 'x' * 70000,
    lambda: '\0', lambda: '\ud800', lambda: b'\xff\0', lambda: [], lambda: (), lambda: {},
    lambda: [1, 2, 3], lambda: [[1], [2, 3]], lambda: [None], lambda: [1, 'x', None],
    lambda: {'x': 1}, lambda: {1: [2]}, lambda: {(1,): {}}, lambda: set('ab'), lambda: range(3),
    lambda: iter([1, 2]), lambda: object(), lambda: object, lambda: int, lambda: len,
    lambda: (lambda *a, **k: None), lambda: (lambda *a, **k: a), lambda: (lambda x: x),
    lambda: (lambda *a, **k: _raise()), lambda: Ellipsis, lambda: slice(None), lambda: NotImplemented,
    self_containing, lambda: deep(100), lambda: deep(100000),
    lambda: _hostile(__len__=lambda: -1), lambda: _hostile(__len__=lambda: 1 << 62, __getitem__=_raise),
    lambda: _hostile(__iter__=_raise), lambda: _hostile(__iter__=lambda: 7),
    lambda: _hostile(__index__=lambda: 'x'), lambda: _hostile(__index__=_raise),
    lambda: _hostile(__int__=lambda: 1 << 70, __index__=lambda: 1 << 70),
    lambda: _hostile(__float__=_raise), lambda: _hostile(__bool__=_raise),
    lambda: _hostile(__array__=_raise), lambda: _hostile(__array__=lambda: 'x'),
    lambda: _hostile(__array__=lambda: np.zeros([2, 0])), lambda: _hostile(__str__=lambda: 7),
    lambda: _hostile(__repr__=_raise, __str__=_raise), lambda: _hostile(__hash__=_raise),
    lambda: _hostile(__fspath__=lambda: 7), lambda: _hostile(__enter__=_raise, __exit__=_raise),
    HostileDict, lambda: HostileText('x'),
    lambda: np.zeros([0, 3], np.float32), lambda: np.ones([2, 3]), lambda: np.float16(1),
    lambda: np.array([1, None], object), lambda: np.array(['a', 'b']), lambda: np.array(3, np.int8),
    lambda: np.zeros([2], [('a', 'i4'), ('b', 'f8')]), lambda: np.datetime64('2020-01-01'),
    lambda: np.broadcast_to(np.float32(1), [1 << 40]), lambda: np.ones([2, 2])[::-1, ::-1],
    lambda: np.zeros([1] * 30), lambda: np.ma.masked_array([1, 2], [0, 1]),
    lambda: tf.constant(1.0), lambda: tf.constant([1, 2]), lambda: tf.constant('x'),
    lambda: tf.placeholder(tf.float32), lambda: tf.placeholder(tf.int32, [None, 3]),
    lambda: tf.Variable(1.0), lambda: tf.get_variable('v', [2], use_resource=True),
    lambda: tf.no_op(), lambda: tf.get_default_graph(), tf.Graph, lambda: tf.Session(),
    closed_session, foreign_tensor, foreign_variable, lambda: foreign_tensor().op,
    lambda: tf.float32, lambda: tf.string, lambda: tf.resource, lambda: tf.as_dtype('float32_ref'),
    lambda: 'float32', lambda: 'no_such_type', lambda: np.float64, lambda: tf.TensorShape(None),
    lambda: tf.TensorShape([None, 2]), lambda: tf.Dimension(None), lambda: [None, -1],
    lambda: [1 << 62, 4], lambda: [2, 2], lambda: tf.GraphDef(), lambda: tf.ConfigProto(),
    lambda: tf.IndexedSlices(tf.constant([[1.0]]), tf.constant([0])),
    lambda: tf.SparseTensor([[0, 0]], [1.0], [2, 2]), lambda: tf.TensorArray(tf.float32, 2),
    lambda: tf.train.GradientDescentOptimizer(0.1), lambda: tf.nn.rnn_cell.BasicLSTMCell(2),
    lambda: tf.nn.rnn_cell.LSTMStateTuple(1.0, 2.0), lambda: tf.errors.OpError(None, None, 'x', 3),
]


def value(random):
    return random.choice(MAKERS)()


def arguments(random, required):
    """Returns positional arguments: usually as many as are required, sometimes more or fewer."""
    count = required if random.random() < 0.8 else random.randrange(5)
    return [value(random) for _ in range(count)]
