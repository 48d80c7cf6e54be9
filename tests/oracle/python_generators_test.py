"""Symptom: generators draw different numbers than TensorFlow's, or a dense table has different content.

Each program runs in both packages; values, node names and messages must be equal. Needs tensorflow, and the package
ramet on the path.
"""

import os
import tempfile
import unittest

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')

import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python.ops import stateful_random_ops

import ramet.compat.v1 as rt

tf.disable_v2_behavior()
PACKAGES = ((tf, stateful_random_ops), (rt, rt.random.experimental))


def drawing(p, module):
    """Returns tensors that draw one after the other, and the states after that."""
    make = module.Generator
    first, second = make.from_seed([1, 2, 3]), make.from_seed(2**96 + 5, 'philox')
    third, fourth = make.from_state([5, 6, 7], alg=1), make.from_key_counter(9, [10, 2**64 - 1], 'Philox')
    drawn = []

    def draw(call):
        with p.control_dependencies(drawn[-1:]):
            drawn.append(call())

    for dtype in (p.float16, p.bfloat16, p.float32, p.float64):
        draw(lambda dtype=dtype: first.normal([2, 3], 1., 2., dtype=dtype))
        draw(lambda dtype=dtype: first.truncated_normal([3], dtype=dtype))
        draw(lambda dtype=dtype: first.uniform([3], -1, 5, dtype=dtype))
    draw(lambda: second.uniform([4], 3, 10, dtype=p.int32))
    draw(lambda: second.uniform([4], None, None, dtype=p.int64))
    draw(lambda: second.uniform_full_int([2]))
    draw(lambda: second.uniform_full_int([], p.uint32))
    draw(lambda: third.make_seeds(3))
    draw(lambda: third.key)
    draw(lambda: fourth.skip(7))
    draw(lambda: fourth.normal([]))
    with p.control_dependencies(drawn[-1:]):
        drawn += [generator.state.read_value() for generator in (first, second, third, fourth)]
    return drawn + [module.create_rng_state(*args) for args in (
        (5, 'philox'), ([1, 2], 1), ([1, 2, 3, 4], 'auto_select'), (2**64 - 1, 'threefry'))]


class GeneratorsTest(unittest.TestCase):

    def test_values_and_names(self):
        results = []
        for p, module in PACKAGES:
            with p.Graph().as_default() as graph, p.Session() as session:
                drawn = drawing(p, module)
                session.run(p.global_variables_initializer())
                results.append((session.run(drawn), [op.name for op in graph.get_operations()]))
        for expected, actual in zip(*(values for values, _ in results), strict=True):
            self.assertEqual(expected.dtype, actual.dtype)
            np.testing.assert_array_equal(expected, actual)
        self.assertEqual(results[0][1], results[1][1])

    def test_errors(self):
        for call in (lambda p, m: m.Generator.from_seed(1, 'foo'), lambda p, m: m.Generator.from_seed(1, [1]),
                     lambda p, m: m.Generator.from_state([1, 2], 1), lambda p, m: m.Generator.from_key_counter(1, [1], 1),
                     lambda p, m: m.Generator.from_seed(1).uniform([2], None, 3, p.int32)):
            messages = []
            for p, module in PACKAGES:
                with p.Graph().as_default(), self.assertRaises((ValueError, TypeError)) as caught:
                    call(p, module)
                messages.append((type(caught.exception), str(caught.exception).split('\n')[0]))
            self.assertEqual(*messages)


def dense(p, **options):
    return p.lookup.experimental.DenseHashTable(p.int64, p.float32, [-1., -2.], 0, -1, initial_num_buckets=4, **options)


class DenseTablesTest(unittest.TestCase):

    def test_values_and_names(self):
        results = []
        for p in (tf, rt):
            with p.Graph().as_default() as graph, p.Session() as session:
                table = dense(p)
                session.run(table.insert(np.arange(1, 9), np.arange(16.).reshape(8, 2).astype(np.float32)))
                session.run(table.erase(p.constant([3, 50], p.int64)))
                session.run(table.insert_or_assign(np.int64([20]), np.float32([[5, 6]])))
                found = table.lookup(np.int64([1, 3, 20]))
                names = [op.name for op in graph.get_operations()]
                results.append((found.shape.as_list(), session.run([found, table.size(), *table.export()]), names))
        for expected, actual in zip(results[0][1], results[1][1], strict=True):
            np.testing.assert_array_equal(expected, actual)
        self.assertEqual(results[0][0], results[1][0])
        self.assertEqual(results[0][2], results[1][2])

    def test_checkpoints(self):
        with tempfile.TemporaryDirectory() as folder:
            for writer, reader in ((tf, rt), (rt, tf)):
                with writer.Graph().as_default(), writer.Session() as session:
                    table = dense(writer, name='t')
                    saver = writer.train.Saver()
                    session.run(table.insert(np.int64([5, 9]), np.float32([[1, 2], [3, 4]])))
                    path = saver.save(session, os.path.join(folder, writer.__name__))
                with reader.Graph().as_default(), reader.Session() as session:
                    table = dense(reader, name='t')
                    reader.train.Saver().restore(session, path)
                    found = session.run([table.lookup(np.int64([9, 6])), table.size()])
                    np.testing.assert_array_equal(found[0], [[3, 4], [-1, -2]])
                    self.assertEqual(found[1], 2)


if __name__ == '__main__':
    unittest.main()
