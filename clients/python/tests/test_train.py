"""Optimizers, learning rates, moving averages, the global step and coordinators."""

import math
import threading
import unittest

import numpy as np

import ramet.compat.v1 as tf


def run_steps(optimizer, steps=1, resource=False, **options):
    """Minimizes x^2 from x = 1; returns x after each step, and the optimizer's slots."""
    with tf.Graph().as_default():
        x = tf.get_variable('x', initializer=tf.constant([1.0, -2.0]), use_resource=resource)
        train_op = optimizer.minimize(tf.reduce_sum(tf.square(x)), **options)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            values = []
            for _ in range(steps):
                session.run(train_op)
                values.append(session.run(x))
        slots = {name: optimizer.get_slot(x, name).name for name in optimizer.get_slot_names()}
    return np.array(values), slots


class OptimizerTest(unittest.TestCase):

    def test_gradient_descent(self):
        for resource in (False, True):
            values, slots = run_steps(tf.train.GradientDescentOptimizer(0.1), 2, resource)
            np.testing.assert_allclose(values, [[0.8, -1.6], [0.64, -1.28]], rtol=1e-6)
            self.assertEqual(slots, {})

    def test_momentum(self):
        for resource in (False, True):
            values, slots = run_steps(tf.train.MomentumOptimizer(0.1, 0.5), 2, resource)
            np.testing.assert_allclose(values[0], [0.8, -1.6], rtol=1e-6)
            np.testing.assert_allclose(values[1], [0.8 - 0.1 * (0.5 * 2 + 1.6),
                                                   -1.6 + 0.1 * (0.5 * 4 + 3.2)], rtol=1e-6)
            self.assertEqual(slots, {'momentum': 'x/Momentum:0'})

    def test_adam_steps_by_its_rate_first(self):
        for resource in (False, True):
            values, slots = run_steps(tf.train.AdamOptimizer(0.1), 1, resource)
            np.testing.assert_allclose(values[0], [0.9, -1.9], rtol=1e-5)
            self.assertEqual(slots, {'m': 'x/Adam:0', 'v': 'x/Adam_1:0'})

    def test_adagrad(self):
        values, _ = run_steps(tf.train.AdagradOptimizer(0.1, initial_accumulator_value=1.0))
        np.testing.assert_allclose(values[0], [1 - 0.2 / math.sqrt(5), -2 + 0.4 / math.sqrt(17)],
                                   rtol=1e-5)

    def test_rate_as_tensor_and_callable(self):
        values, _ = run_steps(tf.train.GradientDescentOptimizer(lambda: 0.25))
        np.testing.assert_allclose(values[0], [0.5, -1.0])

    def test_rows_that_come_twice_add_up(self):
        for optimizer, expected in ((tf.train.GradientDescentOptimizer(1.0), [[-1.0], [1.0]]),
                                    (tf.train.MomentumOptimizer(1.0, 0.9), [[-1.0], [1.0]])):
            with tf.Graph().as_default():
                w = tf.get_variable('w', initializer=[[1.0], [1.0]])
                train_op = optimizer.minimize(tf.reduce_sum(tf.gather(w, [0, 0])))
                with tf.Session() as session:
                    session.run(tf.global_variables_initializer())
                    session.run(train_op)
                    np.testing.assert_allclose(session.run(w), expected)

    def test_subclass(self):
        class SignDescent(tf.train.Optimizer):
            def __init__(self):
                super().__init__(False, 'Sign')

            def _create_slots(self, var_list):
                for v in var_list:
                    self._zeros_slot(v, 'steps', self._name)

            def _apply_dense(self, grad, var):
                count = self.get_slot(var, 'steps').assign_add(tf.ones_like(grad))
                with tf.control_dependencies([count]):
                    return var.assign_sub(0.5 * tf.sign(grad)).op

        values, slots = run_steps(SignDescent(), 2)
        np.testing.assert_allclose(values, [[0.5, -1.5], [0.0, -1.0]])
        self.assertEqual(slots, {'steps': 'x/Sign:0'})

    def test_global_step_counts(self):
        with tf.Graph().as_default(), tf.Session() as session:
            x = tf.get_variable('x', initializer=1.0)
            step = tf.train.create_global_step()
            optimizer = tf.train.GradientDescentOptimizer(0.1)
            train_op = optimizer.minimize(tf.square(x), global_step=step)
            session.run(tf.global_variables_initializer())
            session.run(train_op)
            session.run(train_op)
            self.assertEqual(tf.train.global_step(session, step), 2)
            self.assertEqual(tf.get_collection(tf.GraphKeys.TRAIN_OP), [train_op])
            self.assertEqual(train_op.name, 'GradientDescent')

    def test_constraint(self):
        with tf.Graph().as_default(), tf.Session() as session:
            x = tf.get_variable('x', initializer=[0.05, 3.0],
                                constraint=lambda v: tf.maximum(v, 0.0))
            train_op = tf.train.GradientDescentOptimizer(1.0).minimize(tf.reduce_sum(x))
            session.run(tf.global_variables_initializer())
            session.run(train_op)
            np.testing.assert_allclose(session.run(x), [0.0, 2.0])

    def test_errors(self):
        with tf.Graph().as_default():
            optimizer = tf.train.AdamOptimizer()
            with self.assertRaisesRegex(ValueError, 'No variables to optimize'):
                optimizer.minimize(tf.constant(1.0))
            with self.assertRaisesRegex(ValueError, 'No variables provided'):
                optimizer.apply_gradients([])
            v = tf.get_variable('v', initializer=1.0)
            with self.assertRaisesRegex(ValueError, 'No gradients provided for any variable'):
                optimizer.minimize(tf.constant(1.0))
            with self.assertRaisesRegex(ValueError, 'Invalid type .*int32'):
                optimizer.minimize(tf.constant(1), var_list=[v])
            with self.assertRaisesRegex(NotImplementedError, 'Trying to update a Tensor'):
                optimizer.apply_gradients([(1.0, tf.constant(1.0))])


class LearningRateTest(unittest.TestCase):

    def rates(self, decay, steps):
        with tf.Graph().as_default(), tf.Session() as session:
            step = tf.placeholder(tf.int32, [])
            rate = decay(step)
            return [float(session.run(rate, {step: s})) for s in steps]

    def check(self, decay, expected):
        steps = (0, 3, 10, 25)
        np.testing.assert_allclose(self.rates(decay, steps), [expected(s) for s in steps],
                                   rtol=1e-5, atol=1e-7)

    def test_exponential(self):
        self.check(lambda s: tf.train.exponential_decay(0.1, s, 10, 0.5),
                   lambda s: 0.1 * 0.5 ** (s / 10))
        self.check(lambda s: tf.train.exponential_decay(0.1, s, 10, 0.5, staircase=True),
                   lambda s: 0.1 * 0.5 ** (s // 10))

    def test_natural_and_inverse(self):
        self.check(lambda s: tf.train.natural_exp_decay(0.1, s, 10, 0.5),
                   lambda s: 0.1 * math.exp(-0.5 * s / 10))
        self.check(lambda s: tf.train.inverse_time_decay(0.1, s, 10, 0.5),
                   lambda s: 0.1 / (1 + 0.5 * s / 10))

    def test_polynomial(self):
        self.check(lambda s: tf.train.polynomial_decay(0.1, s, 10, 0.01, power=2.0),
                   lambda s: 0.09 * (1 - min(s, 10) / 10) ** 2 + 0.01)

    def test_piecewise(self):
        self.check(lambda s: tf.train.piecewise_constant(s, [2, 10], [1.0, 2.0, 3.0]),
                   lambda s: 1.0 if s <= 2 else 2.0 if s <= 10 else 3.0)
        with tf.Graph().as_default(), self.assertRaisesRegex(ValueError, 'length of boundaries'):
            tf.train.piecewise_constant(tf.constant(1), [1], [1.0])

    def test_cosine(self):
        self.check(lambda s: tf.train.cosine_decay(0.1, s, 10),
                   lambda s: 0.05 * (1 + math.cos(math.pi * min(s, 10) / 10)))
        self.assertAlmostEqual(self.rates(
            lambda s: tf.train.cosine_decay_restarts(0.1, s, 4), [4])[0], 0.1, places=6)


class MovingAverageTest(unittest.TestCase):

    def test_of_a_variable(self):
        for resource in (False, True):
            with tf.Graph().as_default(), tf.Session() as session:
                v = tf.get_variable('v', initializer=[10.0, 0.0], use_resource=resource)
                average = tf.train.ExponentialMovingAverage(0.75)
                update = average.apply([v])
                session.run(tf.global_variables_initializer())
                session.run(v.assign([20.0, 0.0]))
                session.run(update)
                np.testing.assert_allclose(session.run(average.average(v)), [12.5, 0.0])
                self.assertEqual(average.average_name(v), 'v/ExponentialMovingAverage')
                self.assertEqual(average.variables_to_restore(),
                                 {'v/ExponentialMovingAverage': v})

    def test_dtype(self):
        with tf.Graph().as_default(), self.assertRaisesRegex(TypeError, 'half, float, or double'):
            tf.train.ExponentialMovingAverage(0.9).apply([tf.constant(1)])


class GlobalStepTest(unittest.TestCase):

    def test_one_for_each_graph(self):
        with tf.Graph().as_default():
            self.assertIsNone(tf.train.get_global_step())
            step = tf.train.get_or_create_global_step()
            self.assertIs(tf.train.get_or_create_global_step(), step)
            self.assertIs(tf.train.get_global_step(), step)
            self.assertEqual(step.dtype.base_dtype, tf.int64)
            with self.assertRaisesRegex(ValueError, 'already exists'):
                tf.train.create_global_step()

    def test_what_cannot_be_one(self):
        with tf.Graph().as_default():
            for value in (tf.constant(1.0), tf.constant([1]), 3):
                with self.assertRaises(TypeError):
                    tf.train.assert_global_step(value)


class CoordinatorTest(unittest.TestCase):

    def test_stops_all_threads(self):
        coordinator = tf.train.Coordinator()
        threads = [threading.Thread(target=coordinator.wait_for_stop) for _ in range(3)]
        for thread in threads:
            thread.start()
        coordinator.request_stop()
        coordinator.join(threads)
        self.assertTrue(coordinator.joined)

    def test_raises_what_a_thread_raised(self):
        coordinator = tf.train.Coordinator()

        def work():
            with coordinator.stop_on_exception():
                raise ValueError('of the thread')

        thread = threading.Thread(target=work)
        thread.start()
        with self.assertRaisesRegex(ValueError, 'of the thread'):
            coordinator.join([thread])

    def test_the_end_of_data_is_no_error(self):
        coordinator = tf.train.Coordinator()
        coordinator.request_stop(tf.errors.OutOfRangeError(None, None, 'no more'))
        coordinator.join([])


if __name__ == '__main__':
    unittest.main()
