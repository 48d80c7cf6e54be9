"""Generators of random numbers whose state is a variable."""

import unittest

import numpy as np

import ramet.compat.v1 as tf


class GeneratorTest(unittest.TestCase):

    def setUp(self):
        tf.reset_default_graph()

    def test_state_advances_and_resets(self):
        generator = tf.random.experimental.Generator.from_seed(7)
        drawn = generator.normal([3])
        reset = generator.state.assign(tf.random.experimental.create_rng_state(7, 'philox'))
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            first, second = session.run(drawn), session.run(drawn)
            self.assertFalse(np.array_equal(first, second))
            session.run(reset)
            np.testing.assert_array_equal(session.run(drawn), first)

    def test_copies_and_parts(self):
        generator = tf.random.Generator.from_state([1, 2, 3], alg='philox')
        copy = tf.random.Generator(copy_from=generator)
        parts = generator.split(2)
        self.assertEqual(copy.algorithm, tf.random.Algorithm.PHILOX.value)
        with tf.Session() as session:
            for state in (generator.state, copy.state, *(part.state for part in parts)):
                session.run(state.initializer)
            np.testing.assert_array_equal(session.run(copy.state), [1, 2, 3])
            keys = session.run([part.key for part in parts])
            self.assertNotEqual(*keys)

    def test_global_generator(self):
        generator = tf.random.experimental.Generator.from_non_deterministic_state()
        tf.random.experimental.set_global_generator(generator)
        self.addCleanup(tf.random.experimental.set_global_generator, None)
        self.assertIs(tf.random.experimental.get_global_generator(), generator)

    def test_errors(self):
        with self.assertRaisesRegex(ValueError, 'unsupported value other. Supported values are philox'):
            tf.random.Generator.from_seed(1, 'other')
        with self.assertRaises(TypeError):
            tf.random.Generator.from_seed(1, [1])
        with self.assertRaisesRegex(ValueError, 'incompatible'):
            tf.random.Generator.from_state([1, 2], 'philox')


if __name__ == '__main__':
    unittest.main()
