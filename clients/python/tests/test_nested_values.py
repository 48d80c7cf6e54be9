"""Lists that contain themselves, or are nested too deeply, raise errors everywhere."""

import unittest

import ramet.compat.v1 as tf


def _holding_itself():
    value = []
    value.append(value)
    return value


def _holding_itself_in_a_tuple():
    value = []
    value.append((value,))
    return value


def _nested(depth):
    value = [1.0]
    for _ in range(depth):
        value = [value]
    return value


_TAKERS = {
    'square': tf.square,
    'constant': tf.constant,
    'convert_to_tensor': tf.convert_to_tensor,
    'add': lambda v: tf.add(v, 1),
    'reshape': lambda v: tf.reshape(tf.zeros([1]), v),
    'placeholder': lambda v: tf.placeholder(tf.float32, v),
    'concat': lambda v: tf.concat(v, 0),
    'stack': tf.stack,
    'Variable': tf.Variable,
    'make_tensor_proto': tf.make_tensor_proto,
    'TensorShape': tf.TensorShape,
    'group': tf.group,
    'gradients': lambda v: tf.gradients(v, v),
    'flatten': tf.nest.flatten if hasattr(tf, 'nest') else tf.contrib.framework.nest.flatten,
    'py_func': lambda v: tf.py_func(lambda x: x, [v], tf.float32),
    'attr': lambda v: tf.raw_ops.Squeeze(input=tf.zeros([1]), axis=v),
    'while_loop': lambda v: tf.while_loop(lambda *_: True, lambda *x: x, v),
    'cond': lambda v: tf.cond(tf.constant(True), lambda: v, lambda: v),
    'control_dependencies': lambda v: tf.Graph().control_dependencies(v).__enter__(),
    'import': lambda v: tf.import_graph_def(tf.GraphDef(), return_elements=v),
}


class NestedValuesTest(unittest.TestCase):
    def setUp(self):
        self.enterContext(tf.Graph().as_default())

    def check(self, value):
        for name, take in _TAKERS.items():
            with self.subTest(name), self.assertRaises((TypeError, ValueError, RecursionError)):
                take(value)

    def test_list_in_itself(self):
        self.check(_holding_itself())
        self.check(_holding_itself_in_a_tuple())

    def test_deep_list(self):
        self.check(_nested(100_000))

    def test_feeds_and_fetches(self):
        x = tf.placeholder(tf.float32)
        with tf.Session() as session:
            for value in (_holding_itself(), _nested(100_000)):
                with self.assertRaises((TypeError, ValueError, RecursionError)):
                    session.run(x, {x: value})
                with self.assertRaises((TypeError, ValueError, RecursionError)):
                    session.run(value)

    def test_as_deep_as_a_tensor_may_be(self):
        self.assertEqual(tf.constant(_nested(9)).shape, [1] * 10)


class NestedListsTest(unittest.TestCase):
    def test_lists_in_lists_of_a_loop(self):
        depth = 200_000
        with tf.Graph().as_default(), tf.Session() as session:
            empty = tf.raw_ops.EmptyTensorList(
                element_shape=tf.constant(-1), max_num_elements=-1, element_dtype=tf.variant)

            def wrap(i, items):
                fresh = tf.raw_ops.EmptyTensorList(
                    element_shape=tf.constant(-1), max_num_elements=-1, element_dtype=tf.variant)
                return i + 1, tf.raw_ops.TensorListPushBack(input_handle=fresh, tensor=items)

            count, items = tf.while_loop(lambda i, _: i < depth, wrap, [0, empty])
            length = tf.raw_ops.TensorListLength(input_handle=items)
            self.assertEqual(session.run([count, length]), [depth, 1])
            with self.assertRaises(tf.errors.InvalidArgumentError):
                session.run(tf.raw_ops.TensorListLength(input_handle=tf.zeros_like(items)))


if __name__ == '__main__':
    unittest.main()
