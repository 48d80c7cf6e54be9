"""Symptom: a program with TensorArrays builds a different graph, or has different values or errors.

Each case is built in both packages, including its gradients. The nodes must be the same, and also the values in a
first and a second run. If one raises an error, the other must raise the same class with the same message.
Needs tensorflow and the package ramet on the path.
"""

import os
import unittest

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
os.environ.setdefault('CUDA_VISIBLE_DEVICES', '')

import numpy as np
import tensorflow.compat.v1 as tf
from google.protobuf import text_format

import ramet.compat.v1 as rt
from python_array_math_test import node_text, plain

tf.disable_v2_behavior()
tf.logging.set_verbosity('FATAL')

X = np.float32([[1, 2], [3, 4], [5, 6]])


def array(tf, size=3, **options):
    return tf.TensorArray(tf.float32, size, **options)


def write_read(tf):
    x = tf.constant(X)
    a = array(tf).write(0, x).write(1, x * 2.).write(2, x)
    return [a.read(1), a.read(2)], [x]


def stack(tf):
    x = tf.constant([1., 2.])
    a = array(tf).write(0, x).write(2, x * x).write(1, 2 * x)
    return [a.stack()], [x]


def unstack(tf):
    x = tf.constant(X)
    a = array(tf, clear_after_read=False).unstack(x)
    return [a.stack(), a.gather([2, 0]), a.concat(), a.read(1)], [x]


def unstack_unknown(tf):
    x = tf.placeholder_with_default(tf.constant(X), [None, 2])
    a = array(tf, 0, dynamic_size=True, infer_shape=False, element_shape=[None],
              clear_after_read=False).unstack(x)
    a = a.scatter([3], tf.reshape(x, [1, 6]), name='more')
    return [a.gather([0, 1]), a.gather([3]), a.size()], [x]


def split(tf):
    x = tf.constant(X)
    a = array(tf, 2, tensor_array_name='foo', clear_after_read=False,
              infer_shape=False).split(x, [1, 2])
    return [a.read(1), a.concat(), a.identity().flow], [x]


def split_evenly(tf):
    x = tf.constant(X)
    a = array(tf).split(x, [1, 1, 1], name='SP')
    return [a.stack(name='ST')], [x]


def names(tf):
    a = array(tf, name='A').write(0, 1., name='w').write(1, 2).write(tf.constant(2), 3., name='v')
    b = array(tf, colocate_with_first_write_call=False).unstack([1., 2., 3.], name='U')
    return [a.read(0, name='r'), a.size(name='s'), b.gather([0], name='g'),
            b.scatter([], np.zeros([0], 'f'), name='sc').read(1)], []


def gradient_array(tf):
    a = array(tf, element_shape=[2])
    g = a.grad('mine')
    h = a.grad('mine', flow=g.flow, name='H').write(0, [1., 2.]).write(0, [3., 4.])
    return [h.read(0), h.read(1), h.size()], []


def devices(tf):
    with tf.device('/cpu:0'):
        a = array(tf)
    with tf.device('/device:CPU:0'):
        x = tf.constant([1., 2., 3.])
        a = a.unstack(x)
    return [a.stack()], [x]


def sizes(tf):
    n = tf.placeholder_with_default(2, [])
    a = array(tf, n, element_shape=[None, 2], infer_shape=False).split(
        tf.placeholder_with_default(tf.constant(X), [3, 2]), [1, 2])
    return [a.size(), a.concat(), array(tf, np.int64(3)).size(),
            array(tf, 2, dynamic_size=True).size()], []


def handles(tf):
    a = array(tf, element_shape=[2])
    b = tf.TensorArray(tf.float32, handle=a.handle, flow=a.write(0, [1., 2.]).flow)
    return [b.read(0)], []


def scopes(tf):
    x = tf.constant([1., 2.])
    with tf.name_scope('outer'):
        a = array(tf).write(0, x)
        y = a.read(0) * x
        inner = tf.gradients(y, x)
    return [y, *inner, *tf.gradients(y, [x]), *tf.gradients(y, [x])], []


def lists(tf):
    x, y = tf.constant(X), tf.constant([7., 8.])
    raw = tf.raw_ops
    items = raw.TensorListFromTensor(tensor=x, element_shape=[2])
    items = raw.TensorListPushBack(input_handle=items, tensor=y * y)
    items, last = raw.TensorListPopBack(input_handle=items, element_shape=-1,
                                        element_dtype=tf.float32)
    items = raw.TensorListSetItem(input_handle=items, index=1, item=y * 3.)
    one = raw.TensorListGetItem(input_handle=items, index=2, element_shape=-1,
                                element_dtype=tf.float32)
    return [raw.TensorListStack(input_handle=items, element_shape=-1, element_dtype=tf.float32),
            one, last], [x, y]


def more_lists(tf):
    x = tf.constant(X)
    raw = tf.raw_ops
    items = raw.TensorListScatterV2(tensor=x, indices=[2, 0, 1], element_shape=[2], num_elements=-1)
    items = raw.TensorListResize(input_handle=items, size=4)
    some = raw.TensorListGather(input_handle=items, indices=[0, 1], element_shape=-1,
                                element_dtype=tf.float32)
    pieces = raw.TensorListSplit(tensor=x, element_shape=[-1, 2], lengths=[1, 2])
    whole, _ = raw.TensorListConcatV2(input_handle=pieces, element_shape=[-1, 2],
                                      leading_dims=np.zeros([0], np.int64),
                                      element_dtype=tf.float32)
    return [some, whole], [x]


PROGRAMS = [write_read, stack, unstack, unstack_unknown, split, split_evenly, names, gradient_array,
            devices, sizes, handles, scopes, lists, more_lists]

REFUSED = [
    lambda tf: tf.TensorArray(tf.float32),
    lambda tf: array(tf, 1, handle=tf.constant(1.)),
    lambda tf: tf.TensorArray(tf.float32, dynamic_size=True, handle=tf.constant(1.)),
    lambda tf: tf.TensorArray(tf.float32, clear_after_read=True, handle=tf.constant(1.)),
    lambda tf: tf.TensorArray(tf.float32, tensor_array_name='x', handle=tf.constant(1.)),
    lambda tf: array(tf).write(0, [1., 2.]).write(1, [1.]),
    lambda tf: array(tf, element_shape=[3]).write(0, [1., 2.]),
]


def old_graph(version):
    """Returns the text of a graph with tensor arrays from before V3: 'V2', or '' for V1."""
    def node(name, op, inputs, *attrs):
        inputs = ' '.join(f'input: "{i}"' for i in inputs)
        attrs = ' '.join(f'attr {{ key: "{k}" value {{ {v} }} }}' for k, v in attrs)
        return f'node {{ name: "{name}" op: "{op}" {inputs} {attrs} }}'

    def const(name, dtype, dims, field, *values):
        values = ' '.join(f'{field}: {v}' for v in values)
        value = f'tensor {{ dtype: {dtype} tensor_shape {{ {dims} }} {values} }}'
        return node(name, 'Const', [], ('dtype', f'type: {dtype}'), ('value', value))

    def op(name, kind, inputs, *attrs):
        return node(name, f'TensorArray{kind}{version}', inputs, *attrs)

    dtype, t = ('dtype', 'type: DT_FLOAT'), ('T', 'type: DT_FLOAT')
    nodes = [
        const('n', 'DT_INT32', '', 'int_val', 2), const('i', 'DT_INT32', '', 'int_val', 1),
        const('f', 'DT_FLOAT', '', 'float_val', 0),
        const('x', 'DT_FLOAT', 'dim { size: 2 }', 'float_val', 5, 6),
        const('l', 'DT_INT64', 'dim { size: 2 }', 'int64_val', 1, 1),
        const('ii', 'DT_INT32', 'dim { size: 2 }', 'int_val', 1, 0),
        op('a', '', ['n'], dtype), op('w', 'Write', ['a', 'i', 'x', 'f'], t),
        op('r', 'Read', ['a', 'i', 'w'], dtype), op('s', 'Size', ['a', 'w']),
        op('g', 'Grad', ['a', 'w'], ('source', 's: "gradients"')),
        op('gw', 'Write', ['g', 'i', 'x', 'w'], t), op('gw2', 'Write', ['g', 'i', 'x', 'gw'], t),
        op('gr', 'Read', ['g', 'i', 'gw2'], dtype),
        op('b', '', ['n'], dtype), op('sp', 'Split', ['b', 'x', 'l', 'f'], t),
        op('c', 'Concat', ['b', 'sp'], dtype), op('cl', 'Close', ['b', '^c']),
        op('d', '', ['n'], dtype), op('sc', 'Scatter', ['d', 'ii', 'x', 'f'], t),
        op('ga', 'Gather', ['d', 'ii', 'sc'], dtype)]
    if not version:
        nodes += [op('e', '', ['n'], dtype), op('u', 'Unpack', ['e', 'x', 'f'], t),
                  op('p', 'Pack', ['e', 'u'], dtype)]
    return ' '.join(nodes) + f' versions {{ producer: {20 if version else 10} }}'


def old_values(package, version):
    graph_def = text_format.Parse(old_graph(version), package.GraphDef())
    names = ['r:0', 's:0', 'gr:0', 'c:0', 'c:1', 'ga:0', 'cl'] + ([] if version else ['p:0'])
    with package.Graph().as_default(), package.Session() as session:
        fetches = package.import_graph_def(graph_def, name='', return_elements=names)
        return session.run(fetches)


def built(package, case):
    with package.Graph().as_default() as graph, package.Session() as session:
        fetches, xs = case(package)
        if xs:
            fetches = fetches + package.gradients(fetches, xs)
        nodes = [node_text(n) for n in graph.as_graph_def().node]
        shapes = [str(t.shape) for t in fetches]
        return nodes, shapes, [session.run(fetches) for _ in range(2)]


def refusal(package, case):
    with package.Graph().as_default():
        try:
            case(package)
        except Exception as error:  # pylint: disable=broad-except
            return type(error).__name__, plain(error)
    return None


class ArraysTest(unittest.TestCase):
    maxDiff = 6000

    def test_programs(self):
        for case in PROGRAMS:
            with self.subTest(case.__name__):
                nodes, shapes, values = built(tf, case)
                found_nodes, found_shapes, found = built(rt, case)
                self.assertEqual(sorted(found_nodes), sorted(nodes))
                self.assertEqual(found_shapes, shapes)
                for wanted, got in zip(values, found):
                    for a, b in zip(wanted, got):
                        np.testing.assert_allclose(b, a, rtol=1e-6)

    def test_refused(self):
        for i, case in enumerate(REFUSED):
            with self.subTest(i):
                self.assertEqual(refusal(rt, case), refusal(tf, case))


    def test_gradients_must_be_named_so(self):
        def named_otherwise(tf):
            x = tf.constant(1.)
            tf.gradients(array(tf).write(0, x).read(0), x, name='other')

        (name, message), (found, text) = (refusal(p, named_otherwise) for p in (tf, rt))
        self.assertEqual(found, name)
        self.assertIn(message, text)

    def test_old_forms(self):
        for version in ('V2', ''):
            with self.subTest(version):
                for a, b in zip(old_values(tf, version), old_values(rt, version), strict=True):
                    np.testing.assert_array_equal(b, a)


if __name__ == '__main__':
    unittest.main()
