"""Steps that a session fuses compute the same results as unfused ones."""
import unittest

import numpy as np

import ramet.compat.v1 as tf

ONE_THREAD = tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)


def random(*shape):
    return np.random.RandomState(sum(shape)).rand(*shape).astype('f') - 0.5


class MergedStepsTest(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()

    def test_values_in_between_may_be_fetched(self):
        image = tf.placeholder(tf.float32, [None, 12, 12, 3])
        conv = tf.nn.conv2d(image, random(3, 3, 3, 16), [1, 1, 1, 1], 'SAME')
        biased = tf.nn.bias_add(conv, random(16))
        active = tf.nn.relu(biased)
        product = tf.matmul(tf.reshape(active, [-1, 16 * 144]), random(16 * 144, 20))
        out = tf.nn.relu(product + random(20))
        feed = {image: random(300, 12, 12, 3)}
        for config in (ONE_THREAD, None):
            with tf.Session(config=config) as session:
                alone = session.run(out, feed)
                steps = session.run([conv, biased, active, product, out], feed)
            np.testing.assert_allclose(alone, steps[-1], atol=1e-4)
            np.testing.assert_allclose(steps[1], steps[0] + random(16), atol=1e-6)
            np.testing.assert_array_equal(steps[2], np.maximum(steps[1], 0))
            np.testing.assert_array_equal(steps[4], np.maximum(steps[3] + random(20), 0))

    def test_errors_name_the_node_that_made_them(self):
        left = tf.placeholder(tf.float32)
        row = tf.placeholder(tf.float32)
        weights = tf.get_variable('weights', initializer=random(6, 4))
        out = tf.nn.relu(tf.add(tf.matmul(left, weights, name='product'), row, name='sum'))
        good = np.zeros([2, 6], 'f')
        with tf.Session() as session:
            with self.assertRaisesRegex(tf.errors.FailedPreconditionError, 'weights'):
                session.run(out, {left: good, row: np.zeros(4, 'f')})
            session.run(tf.global_variables_initializer())
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'node product'):
                session.run(out, {left: np.zeros([2, 5], 'f'), row: np.zeros(4, 'f')})
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'node sum'):
                session.run(out, {left: good, row: np.zeros(3, 'f')})
            for shape in ([], [1], [4], [2, 4], [2, 1], [1, 4], [3, 2, 4]):
                value = session.run(out, {left: good, row: np.ones(shape, 'f')})
                np.testing.assert_array_equal(value, np.ones(np.broadcast_shapes(shape, (2, 4))))

    def test_a_variable_is_read_before_it_is_assigned(self):
        weights = tf.Variable(random(6, 6), use_resource=False)
        product = tf.matmul(weights, weights)
        with tf.control_dependencies([product]):
            assigned = tf.assign(weights, tf.zeros([6, 6]))
        with tf.control_dependencies([assigned]):
            row = tf.ones([6])
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            value = session.run(product + row)
        np.testing.assert_allclose(value, random(6, 6) @ random(6, 6) + 1, atol=1e-5)

    def test_sums_over_the_iterations_of_a_loop(self):
        parts = random(7, 5, 3)

        def body(i, total):
            part = tf.gather(parts, i)
            return i + 1, total + tf.matmul(part, part, transpose_a=True)

        start = tf.placeholder(tf.float32, [3, 3])
        _, total = tf.while_loop(lambda i, _: i < 7, body, [0, start])
        first = random(3, 3)
        want = first + sum(p.T @ p for p in parts)
        with tf.Session() as session:
            for _ in range(2):
                np.testing.assert_allclose(session.run(total, {start: first}), want, atol=1e-5)
        np.testing.assert_array_equal(first, random(3, 3))

    def test_a_residual_keeps_what_others_read(self):
        x = tf.placeholder(tf.float32, [4, 4])
        h = x * 2.0
        out = h + tf.matmul(h, h)
        value = random(4, 4)
        with tf.Session() as session:
            np.testing.assert_allclose(session.run(out, {x: value}),
                                       2 * value + 4 * value @ value, atol=1e-5)
            np.testing.assert_array_equal(session.run([h, out], {x: value})[0], 2 * value)


if __name__ == '__main__':
    unittest.main()
