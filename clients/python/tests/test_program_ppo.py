"""Proximal policy optimization with flat gradients and a copy of the policy as the old one."""

import unittest

import numpy as np
import point_control
import ramet.compat.v1 as tf


def function(inputs, outputs, updates=()):
    """Returns a Python function that runs `outputs` and `updates`."""
    group = tf.group(*updates)

    def run(*values):
        return tf.get_default_session().run([group] + list(outputs), dict(zip(inputs, values)))[1:]

    return run


def size_of(variable):
    return int(np.prod(variable.get_shape().as_list()))


def flatgrad(loss, variables):
    return tf.concat([tf.reshape(tf.zeros_like(v) if g is None else g, [size_of(v)])
                      for v, g in zip(variables, tf.gradients(loss, variables))], 0)


class SetFromFlat:

    def __init__(self, variables):
        self._theta = tf.placeholder(tf.float32, [sum(map(size_of, variables))])
        start, assigns = 0, []
        for v in variables:
            assigns.append(tf.assign(v, tf.reshape(self._theta[start:start + size_of(v)], v.shape)))
            start += size_of(v)
        self._op = tf.group(*assigns)

    def __call__(self, theta):
        tf.get_default_session().run(self._op, {self._theta: theta})


class FlatAdam:
    """Adam on all variables as one vector."""

    def __init__(self, variables, beta1=.9, beta2=.999, epsilon=1e-8):
        self._set = SetFromFlat(variables)
        self._get = function([], [tf.concat([tf.reshape(v, [size_of(v)]) for v in variables], 0)])
        self._betas, self._epsilon, self._t = (beta1, beta2), epsilon, 0
        self._m = self._v = np.zeros(sum(map(size_of, variables)), np.float32)

    def update(self, gradient, step_size):
        self._t += 1
        beta1, beta2 = self._betas
        rate = step_size * np.sqrt(1 - beta2 ** self._t) / (1 - beta1 ** self._t)
        self._m = beta1 * self._m + (1 - beta1) * gradient
        self._v = beta2 * self._v + (1 - beta2) * np.square(gradient)
        self._set(self._get()[0] - rate * self._m / (np.sqrt(self._v) + self._epsilon))


class RunningMeanStd:
    """The mean and the deviation of all values so far, kept in variables."""

    def __init__(self, shape, epsilon=1e-2):
        with tf.variable_scope('obfilter'):
            total, squares, count = (
                tf.get_variable(name, size, tf.float64, tf.constant_initializer(value), trainable=False)
                for name, size, value in (('runningsum', shape, 0.), ('runningsumsq', shape, epsilon),
                                          ('count', (), epsilon)))
        self.mean = tf.to_float(total / count)
        self.std = tf.sqrt(tf.maximum(tf.to_float(squares / count) - tf.square(self.mean), 1e-2))
        news = [tf.placeholder(tf.float64, v.shape) for v in (total, squares, count)]
        self._add = function(news, [], [tf.assign_add(v, new) for v, new in zip((total, squares, count), news)])

    def update(self, x):
        x = x.astype(np.float64)
        self._add(x.sum(axis=0), np.square(x).sum(axis=0), len(x))


class CategoricalPd:
    """A distribution of actions that is given by logits."""

    def __init__(self, logits):
        self.logits = logits

    def sample(self):
        u = tf.random_uniform(tf.shape(self.logits))
        return tf.argmax(self.logits - tf.log(-tf.log(u)), axis=-1)

    def logp(self, x):
        one_hot = tf.one_hot(x, self.logits.get_shape().as_list()[-1])
        return -tf.nn.softmax_cross_entropy_with_logits_v2(logits=self.logits, labels=tf.stop_gradient(one_hot))

    def kl(self, other):
        p, q = tf.nn.log_softmax(self.logits), tf.nn.log_softmax(other.logits)
        return tf.reduce_sum(tf.exp(p) * (p - q), axis=-1)

    def entropy(self):
        p = tf.nn.log_softmax(self.logits)
        return -tf.reduce_sum(tf.exp(p) * p, axis=-1)


class MlpPolicy:
    """A policy with a filter of observations and a value, with variables in a scope of its own."""

    def __init__(self, name, ob):
        with tf.variable_scope(name):
            self.scope = tf.get_variable_scope().name
            self.ob_rms = RunningMeanStd((2,))
            obz = tf.clip_by_value((ob - self.ob_rms.mean) / self.ob_rms.std, -5., 5.)
            with tf.variable_scope('vf'):
                last = tf.layers.dense(obz, 16, tf.nn.tanh, name='fc1')
                self.vpred = tf.layers.dense(last, 1, name='final')[:, 0]
            with tf.variable_scope('pol'):
                last = tf.layers.dense(obz, 16, tf.nn.tanh, name='fc1')
                self.pd = CategoricalPd(tf.layers.dense(last, 3, name='final',
                                                        kernel_initializer=tf.random_normal_initializer(stddev=.01)))
        stochastic = tf.placeholder(dtype=tf.bool, shape=())
        action = tf.cond(stochastic, self.pd.sample, lambda: tf.argmax(self.pd.logits, axis=-1))
        self._act = function([stochastic, ob], [action, self.vpred])

    def act(self, stochastic, ob):
        action, value = self._act(stochastic, ob[None])
        return action[0], value[0]

    def variables(self):
        return tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, self.scope + '/')

    def trainable_variables(self):
        return tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, self.scope + '/')


class FlatPpo:
    """The losses and functions of the program."""

    def __init__(self, clip=.2, entcoeff=.01):
        ob = tf.placeholder(tf.float32, [None, 2], name='ob')
        self.pi, self.oldpi = MlpPolicy('pi', ob), MlpPolicy('oldpi', ob)
        atarg, ret = (tf.placeholder(dtype=tf.float32, shape=[None]) for _ in range(2))
        lrmult = tf.placeholder(name='lrmult', dtype=tf.float32, shape=[])
        ac = tf.placeholder(tf.int32, [None])
        kl, ent = tf.reduce_mean(self.oldpi.pd.kl(self.pi.pd)), tf.reduce_mean(self.pi.pd.entropy())
        ratio = tf.exp(self.pi.pd.logp(ac) - self.oldpi.pd.logp(ac))
        low = clip * lrmult
        surrogate = -tf.reduce_mean(tf.minimum(ratio * atarg,
                                               tf.clip_by_value(ratio, 1. - low, 1. + low) * atarg))
        vf_loss = tf.reduce_mean(tf.square(self.pi.vpred - ret))
        total = surrogate - entcoeff * ent + vf_loss
        self.losses = [surrogate, vf_loss, kl, ent]
        variables = self.pi.trainable_variables()
        inputs = [ob, ac, atarg, ret, lrmult]
        self.lossandgrad = function(inputs, self.losses + [flatgrad(total, variables)])
        self.compute_losses = function(inputs, self.losses)
        self.assign_old_eq_new = function([], [], updates=[
            tf.assign(oldv, newv) for oldv, newv in zip(self.oldpi.variables(), self.pi.variables())])
        self.adam = FlatAdam(variables)

    def learn(self, batch, lrmult, random, epochs=6, size=64):
        """Returns the losses after the epochs."""
        ob, ac, _, atarg, ret = batch
        atarg = point_control.standardized(atarg)
        self.pi.ob_rms.update(ob)
        self.assign_old_eq_new()
        for _ in range(epochs):
            order = random.permutation(len(ob))
            for start in range(0, len(ob), size):
                i = order[start:start + size]
                *_, gradient = self.lossandgrad(ob[i], ac[i], atarg[i], ret[i], lrmult)
                self.adam.update(gradient, .01 * lrmult)
        return self.compute_losses(ob, ac, atarg, ret, lrmult)


class FlatGradientTest(unittest.TestCase):

    MOVES = (-.25, 0., .25)

    def act(self, ppo, stochastic):
        def act(observation):
            action, value = ppo.pi.act(stochastic, observation)
            return action, self.MOVES[action], value

        return act

    def test_program(self):
        with tf.Graph().as_default(), tf.Session() as session:
            tf.set_random_seed(1)
            ppo, random = FlatPpo(), np.random.RandomState(2)
            session.run(tf.global_variables_initializer())
            _, before = point_control.collect(point_control.Line(7), self.act(ppo, False), 20)
            env, losses, totals = point_control.Line(3), [], []
            for i in range(16):
                batch, total = point_control.collect(env, self.act(ppo, True), 16)
                losses.append(ppo.learn(batch, max(1 - i / 20, 0), random))
                totals.append(total)
            _, after = point_control.collect(point_control.Line(7), self.act(ppo, False), 20)
            ppo.assign_old_eq_new()
            ob, ac, _, atarg, ret = batch
            surrogate, _, kl, _ = ppo.compute_losses(ob, ac, atarg, ret, 1.)
            pairs = session.run(list(zip(ppo.pi.variables(), ppo.oldpi.variables())))
        self.assertEqual(len(pairs), 11)
        for new, old in pairs:
            np.testing.assert_array_equal(new, old)
        self.assertEqual(kl, 0)
        self.assertAlmostEqual(surrogate, -atarg.mean(), places=4)
        self.assertGreater(after, -3)  # a policy that does not move gets -8
        self.assertLess(before, after - 1)
        self.assertGreater(np.mean(totals[-3:]), .6 * totals[0])
        losses = np.array(losses)
        self.assertLess(losses[-1, 1], losses[0, 1])  # of the value
        self.assertGreater(losses[:, 2].min(), 0)
        self.assertLess(losses[-1, 3], .8 * np.log(3))

    def test_flat_gradient(self):
        with tf.Graph().as_default(), tf.Session() as session:
            v = [tf.get_variable(name, initializer=value) for name, value in (('a', [[1., 2.]]), ('b', 3.), ('c', 4.))]
            flat = flatgrad(tf.reduce_sum(tf.square(v[0])) + 5 * v[1], v)
            session.run(tf.global_variables_initializer())
            np.testing.assert_array_equal(session.run(flat), [2, 4, 5, 0])
            SetFromFlat(v)(np.arange(4.))
            np.testing.assert_array_equal(session.run(v[0]), [[0, 1]])
            self.assertEqual(session.run(v[1:]), [2, 3])


if __name__ == '__main__':
    unittest.main()
