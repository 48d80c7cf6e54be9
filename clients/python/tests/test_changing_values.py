"""Values that change during a run, and bytes out of range for their type."""

import unittest

import numpy as np

import ramet.compat.v1 as tf

# Larger than arrays that are always copied.
LARGE = 50_000


def not_bools(byte, shape=()):
    return np.full(shape, byte, np.uint8).view(np.bool_)


class ChangingFeedTest(unittest.TestCase):
    """Feeds an array while a py_func, which the rest of the run waits for, writes to it."""

    def run_after_change(self, array, value, use):
        with tf.Graph().as_default(), tf.Session() as session:
            fed = tf.placeholder(array.dtype, array.shape)

            def change():
                array.fill(value)
                return np.int32(0)

            with tf.control_dependencies([tf.py_func(change, [], tf.int32)]):
                result = use(fed)
            values = session.run(result, {fed: array})
        self.assertEqual(array[0], value)
        return values

    def test_indices_are_those_that_were_fed(self):
        for dtype in (np.int32, np.int64):
            with self.subTest(dtype):
                rows = np.arange(10, dtype=np.float32)
                indices = np.full(LARGE, 3, dtype)
                taken = self.run_after_change(indices, 1 << 30, lambda p: tf.gather(rows, p))
                self.assertTrue((taken == 3).all())

    def test_segments_and_partitions_are_those_that_were_fed(self):
        data = np.ones(LARGE, np.float32)
        segments = np.full(LARGE, 2, np.int32)
        sums = self.run_after_change(
            segments, -(1 << 30), lambda p: tf.unsorted_segment_sum(data, p, 3)
        )
        self.assertEqual(list(sums), [0, 0, LARGE])
        segments.fill(1)
        parts = self.run_after_change(
            segments, 1 << 30, lambda p: tf.dynamic_partition(data, p, 2)
        )
        self.assertEqual([len(part) for part in parts], [0, LARGE])

    def test_bools_are_those_that_were_fed(self):
        picked = self.run_after_change(
            np.ones(LARGE, np.bool_), False, lambda p: tf.where(p)
        )
        self.assertEqual(len(picked), LARGE)


class NotBoolTest(unittest.TestCase):
    def setUp(self):
        context = tf.Graph().as_default()
        context.__enter__()
        self.addCleanup(context.__exit__, None, None, None)
        self.session = tf.Session()
        self.addCleanup(self.session.close)

    def test_fed_bytes_choose_a_branch(self):
        pred = tf.placeholder(tf.bool, [])
        x = tf.constant(1.0)
        y = tf.cond(pred, lambda: tf.exp(x), lambda: -x)
        for byte in (1, 2, 7, 255):
            self.assertAlmostEqual(self.session.run(y, {pred: not_bools(byte)}), np.e, places=5)

    def test_fed_bytes_become_bools(self):
        for shape in ((3,), (LARGE,), (2, 2 * LARGE)):
            fed = tf.placeholder(tf.bool, None)
            array = not_bools(6, shape)
                        # Every other column: an array that numpy copies.
            for value in (array, array[..., ::2]):
                got = self.session.run(tf.identity(fed), {fed: value})
                self.assertTrue((got.view(np.uint8) == 1).all())

    def test_results_of_python_become_bools(self):
        made = tf.py_func(lambda: not_bools(9, (4,)), [], tf.bool)
        got = self.session.run(made)
        self.assertEqual(list(got.view(np.uint8)), [1, 1, 1, 1])

    def test_constants_and_variables_become_bools(self):
        variable = tf.Variable(not_bools(5, (3,)))
        constant = tf.constant(not_bools(4, (3,)))
        self.session.run(variable.initializer)
        for tensor in (variable, constant):
            self.assertEqual(list(self.session.run(tensor).view(np.uint8)), [1, 1, 1])
        variable.load(not_bools(8, (3,)), self.session)
        self.assertEqual(list(self.session.run(variable).view(np.uint8)), [1, 1, 1])

    def test_contents_of_a_graph_become_bools(self):
        graph_def = tf.GraphDef()
        node = graph_def.node.add(name='b', op='Const')
        node.attr['dtype'].type = 10
        tensor = node.attr['value'].tensor
        tensor.dtype = 10
        tensor.tensor_shape.dim.add().size = 2
        tensor.tensor_content = b'\x07\x00'
        tf.import_graph_def(graph_def, name='')
        got = self.session.run('b:0')
        self.assertEqual(list(got.view(np.uint8)), [1, 0])


if __name__ == '__main__':
    unittest.main()
