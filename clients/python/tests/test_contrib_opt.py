"""tf.contrib.opt: optimizers compared with their formulas, and wrappers of optimizers."""

import importlib.util
import tempfile
import unittest

import numpy as np
import ramet.compat.v1 as tf

opt = tf.contrib.opt
G = np.array([[1., -2.], [3., 0.5], [0.25, -1.]], np.float32)
X = np.array([[1., 2.], [3., 4.], [-5., 6.]], np.float32)


class OptimizerTest(unittest.TestCase):

    def setUp(self):
        tf.reset_default_graph()

    def train(self, optimizer, steps=3, rows=None, use_resource=False, **arguments):
        """Returns a variable after steps with the gradient G, or with some of its rows."""
        v = tf.get_variable('v', initializer=X, use_resource=use_resource)
        grad = tf.constant(G) if rows is None else tf.IndexedSlices(
            tf.constant(G[rows]), tf.constant(rows), tf.constant([3, 2]))
        train_op = optimizer.apply_gradients([(grad, v)], **arguments)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for _ in range(steps):
                session.run(train_op)
            return session.run(v)

    def each(self, make, want, steps=3, rows=None, **arguments):
        """Compares reference and resource variables with the expected value."""
        for use_resource in (False, True):
            tf.reset_default_graph()
            got = self.train(make(), steps, rows, use_resource, **arguments)
            np.testing.assert_allclose(want, got, rtol=1e-4, atol=1e-5)

    def adam(self, step, grads=G, steps=3, decay=0.):
        x, m, v = X.copy(), 0 * X, 0 * X
        for t in range(1, steps + 1):
            x = x - decay * x
            x, m, v = step(x, m, v, t)
        return x

    def test_weight_decay(self):
        def step(x, m, v, t):
            m, v = 0.9 * m + 0.1 * G, 0.999 * v + 0.001 * G ** 2
            rate = 0.1 * np.sqrt(1 - 0.999 ** t) / (1 - 0.9 ** t)
            return x - rate * m / (np.sqrt(v) + 1e-8), m, v

        self.each(lambda: opt.AdamWOptimizer(0.1, 0.1), self.adam(step, decay=0.1))
        extended = opt.extend_with_decoupled_weight_decay(tf.train.GradientDescentOptimizer)
        self.each(lambda: extended(0.5, 0.1), X * 0.5 - 0.1 * G, steps=1)
        rows = X.copy()
        rows[[0, 2]] = rows[[0, 2]] * 0.5 - 0.1 * G[[0, 2]]
        self.each(lambda: opt.MomentumWOptimizer(0.5, 0.1, 0.), rows, steps=1, rows=[0, 2])
        self.each(lambda: opt.MomentumWOptimizer(0.5, 0.1, 0.9), X * 0.5 - 0.1 * G, steps=1)
        tf.reset_default_graph()
        other = tf.get_variable('other', [1])
        got = self.train(extended(0.5, 0.1), steps=1, decay_var_list=[other])
        np.testing.assert_allclose(X - 0.1 * G, got, rtol=1e-5)

    def test_lazy_adam(self):
        rate = 0.1 * np.sqrt(1 - 0.999) / (1 - 0.9)
        want = X.copy()
        want[[0, 2]] -= (rate * 0.1 * G / (np.sqrt(0.001) * np.abs(G) + 1e-8))[[0, 2]]
        self.each(lambda: opt.LazyAdamOptimizer(0.1), want, steps=1, rows=[0, 2])

    def test_nadam(self):
        def step(x, m, v, t):
            m, v = 0.9 * m + 0.1 * G, 0.999 * v + 0.001 * G ** 2
            rate = 0.1 * np.sqrt(1 - 0.999 ** t) / (1 - 0.9 ** t)
            return x - rate * (0.9 * m + 0.1 * G) / (np.sqrt(v) + 1e-8), m, v

        want = self.adam(step)
        self.each(lambda: opt.NadamOptimizer(0.1), want)
        self.each(lambda: opt.NadamOptimizer(0.1), want, rows=[0, 1, 2])

    def test_adamax(self):
        def step(x, m, v, t):
            m, v = 0.9 * m + 0.1 * G, np.maximum(0.999 * v, np.abs(G))
            return x - 0.1 / (1 - 0.9 ** t) * m / (v + 1e-8), m, v

        want = self.adam(step)
        self.each(lambda: opt.AdaMaxOptimizer(0.1), want)
        self.each(lambda: opt.AdaMaxOptimizer(0.1), want, rows=[0, 1, 2])

    def test_signs(self):
        self.each(lambda: opt.AddSignOptimizer(0.1, alpha=0.5), X - 0.1 * 1.5 * G, steps=1)
        self.each(lambda: opt.PowerSignOptimizer(0.1, base=2.), X - 0.1 * 2 * G, steps=1)
        tf.reset_default_graph()
        step = tf.train.get_or_create_global_step()
        got = self.train(opt.AddSignOptimizer(0.1, sign_decay_fn=lambda s: 0.), 1,
                         global_step=step)
        np.testing.assert_allclose(X - 0.1 * G, got, rtol=1e-5)

    def test_rates_that_depend_on_norms(self):
        w, g = np.sqrt((X ** 2).sum()), np.sqrt((G ** 2).sum())
        rate = 0.1 * 0.01 * w / (g + 0.5 * w)
        self.each(lambda: opt.LARSOptimizer(0.1, weight_decay=0.5, eeta=0.01),
                  X - rate * (G + 0.5 * X), steps=1)
        self.each(lambda: opt.LARSOptimizer(0.1, skip_list=['v']), X - 0.1 * G, steps=1)
        with self.assertRaisesRegex(ValueError, 'momentum should be positive'):
            opt.LARSOptimizer(0.1, momentum=-1.)

    def test_moving_averages(self):
        v = tf.get_variable('v', initializer=X)
        optimizer = opt.MovingAverageOptimizer(tf.train.GradientDescentOptimizer(1.), 0.5)
        with self.assertRaisesRegex(RuntimeError, 'Must call apply_gradients'):
            optimizer.swapping_saver()
        train_op = optimizer.apply_gradients([(tf.constant(G), v)])
        saver = optimizer.swapping_saver()
        with tf.Session() as session, tempfile.TemporaryDirectory() as folder:
            session.run(tf.global_variables_initializer())
            session.run(train_op)
            prefix = saver.save(session, folder + '/model')
            np.testing.assert_allclose(X - G / 2, tf.train.load_variable(prefix, 'v'))
            np.testing.assert_allclose(
                X - G, tf.train.load_variable(prefix, 'v/ExponentialMovingAverage'))

    def test_clipped_variables(self):
        for rows in (None, [0, 2]):
            tf.reset_default_graph()
            v = tf.get_variable('v', initializer=X)
            optimizer = opt.VariableClippingOptimizer(
                tf.train.GradientDescentOptimizer(0.), {v: [1]}, 2.)
            grad = tf.constant(G) if rows is None else tf.IndexedSlices(
                tf.constant(G[rows]), tf.constant(rows), tf.constant([3, 2]))
            train_op = optimizer.apply_gradients([(grad, v)])
            with tf.Session() as session:
                session.run(tf.global_variables_initializer())
                session.run(train_op)
                norms = np.sqrt((session.run(v) ** 2).sum(1))
            np.testing.assert_allclose([2, 2 if rows is None else 5, 2], norms, rtol=1e-5)

    def test_clipping_by_global_norm(self):
        (clipped, _), = opt.clip_gradients_by_global_norm([(tf.constant([3., 4.]), None)], 1.)
        with tf.Session() as session:
            np.testing.assert_allclose([0.6, 0.8], session.run(clipped), rtol=1e-5)

    def test_an_external_optimizer(self):
        class Descent(opt.ExternalOptimizerInterface):
            def _minimize(self, initial_val, loss_grad_func, **arguments):
                for _ in range(100):
                    loss, grad = loss_grad_func(initial_val)
                    initial_val = initial_val - 0.1 * grad
                return initial_val

        a, b = tf.get_variable('a', [2]), tf.get_variable('b', [])
        target = tf.placeholder(tf.float32, [])
        loss = tf.reduce_sum((a - target) ** 2) + (b - 1) ** 2
        losses = []
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            Descent(loss).minimize(session, {target: 3.}, [loss], loss_callback=losses.append)
            np.testing.assert_allclose([3, 3], session.run(a), rtol=1e-3)
            self.assertAlmostEqual(1, session.run(b), places=3)
            with self.assertRaises(NotImplementedError):
                opt.ExternalOptimizerInterface(loss).minimize(session, {target: 3.})
        self.assertEqual(100, len(losses))

    @unittest.skipUnless(importlib.util.find_spec('scipy'), 'SciPy is not installed')
    def test_scipy(self):
        v = tf.get_variable('v', initializer=[7., 7.])
        loss = tf.reduce_sum(tf.square(v))
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            opt.ScipyOptimizerInterface(loss, options={'maxiter': 100}).minimize(session)
            np.testing.assert_allclose([0, 0], session.run(v), atol=1e-4)
            opt.ScipyOptimizerInterface(loss, equalities=[v[0] - 1.], inequalities=[v[1] - 2.],
                                        method='SLSQP').minimize(session)
            np.testing.assert_allclose([1, 2], session.run(v), atol=1e-3)
            opt.ScipyOptimizerInterface(loss, var_to_bounds={v: (3., np.inf)}).minimize(session)
            np.testing.assert_allclose([3, 3], session.run(v), atol=1e-3)


if __name__ == '__main__':
    unittest.main()
