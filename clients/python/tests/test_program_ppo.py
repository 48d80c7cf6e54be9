"""Proximal policy optimization as its programs are written: with flat gradients, and with an optimizer that averages."""

import os
import tempfile
import unittest

import numpy as np
import ramet.compat.v1 as tf


class Line:
    """A point that should move to 0. Each step costs its distance."""

    STEPS = 16

    def __init__(self, seed):
        self._random = np.random.RandomState(seed)

    def reset(self):
        self._x, self._steps = self._random.uniform(-1, 1), 0
        return self._observation()

    def step(self, move):
        """Moves by at most .25. Returns (observation, reward, done)."""
        self._x = float(np.clip(self._x + np.clip(move, -.25, .25), -1.5, 1.5))
        self._steps += 1
        return self._observation(), -abs(self._x), self._steps == self.STEPS

    def _observation(self):
        return np.array([self._x, 3 * self._x + 1], np.float32)


def discount_cumsum(x, discount):
    total, sums = 0., np.zeros(len(x), np.float32)
    for i in reversed(range(len(x))):
        sums[i] = total = x[i] + discount * total
    return sums


def advantages_and_returns(rewards, values, gamma=.95, lam=.9):
    """Returns generalized advantage estimates and discounted returns of a whole episode."""
    values = np.append(values, 0)
    deltas = np.asarray(rewards) + gamma * values[1:] - values[:-1]
    return discount_cumsum(deltas, gamma * lam), discount_cumsum(rewards, gamma)


def collect(env, act, episodes):
    """Returns the arrays of `episodes` episodes; `act` returns (action, move, other values...)."""
    rows, totals = [], []
    for _ in range(episodes):
        observation, done, episode, rewards = env.reset(), False, [], []
        while not done:
            action, move, value, *more = act(observation)
            after, reward, done = env.step(move)
            episode.append((observation, action, value, *more))
            rewards.append(reward)
            observation = after
        advantages, returns = advantages_and_returns(rewards, [row[2] for row in episode])
        rows.extend((*row, a, r) for row, a, r in zip(episode, advantages, returns))
        totals.append(sum(rewards))
    return [np.array(column, dtype=np.asarray(column[0]).dtype) for column in zip(*rows)], np.mean(totals)


def standardized(x):
    return (x - x.mean()) / (x.std() + 1e-8)


# The program with flat gradients and a copy of the policy as the old one.

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
        atarg = standardized(atarg)
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
            _, before = collect(Line(7), self.act(ppo, False), 20)
            env, losses, totals = Line(3), [], []
            for i in range(16):
                batch, total = collect(env, self.act(ppo, True), 16)
                losses.append(ppo.learn(batch, max(1 - i / 20, 0), random))
                totals.append(total)
            _, after = collect(Line(7), self.act(ppo, False), 20)
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


# The program with a Gaussian policy and an optimizer that averages gradients over processes.

def mlp(x, hidden_sizes, activation=tf.tanh, output_activation=None):
    for size in hidden_sizes[:-1]:
        x = tf.layers.dense(x, units=size, activation=activation)
    return tf.layers.dense(x, units=hidden_sizes[-1], activation=output_activation)


def gaussian_likelihood(x, mu, log_std):
    terms = -.5 * (((x - mu) / (tf.exp(log_std) + 1e-8)) ** 2 + 2 * log_std + np.log(2 * np.pi))
    return tf.reduce_sum(terms, axis=1)


def actor_critic(x, a):
    """Returns (sampled actions, log-probability of `a`, that of the sampled actions, values)."""
    with tf.variable_scope('pi'):
        mu = mlp(x, [16, a.shape.as_list()[-1]])
        log_std = tf.get_variable(name='log_std', initializer=-.5 * np.ones(1, dtype=np.float32))
        pi = mu + tf.random_normal(tf.shape(mu)) * tf.exp(log_std)
    with tf.variable_scope('v'):
        v = tf.squeeze(mlp(x, [16, 1]), axis=1)
    return pi, gaussian_likelihood(a, mu, log_std), gaussian_likelihood(pi, mu, log_std), v


class AveragingAdam(tf.train.AdamOptimizer):
    """Averages gradients over processes, here over this one only, and waits for all variables."""

    def compute_gradients(self, loss, var_list, **kwargs):
        grads_and_vars = [(g, v) for g, v in super().compute_gradients(loss, var_list, **kwargs) if g is not None]
        flat = tf.concat([tf.reshape(g, (-1,)) for g, _ in grads_and_vars], axis=0)
        shapes = [v.shape.as_list() for _, v in grads_and_vars]
        sizes = [int(np.prod(shape)) for shape in shapes]
        self.calls = []

        def average(x):
            self.calls.append(len(x))
            return x / 1

        mean = tf.py_func(average, [flat], tf.float32)
        mean.set_shape(flat.shape)
        parts = tf.split(mean, sizes, axis=0)
        return [(tf.reshape(g, shape), v) for g, shape, (_, v) in zip(parts, shapes, grads_and_vars)]

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        opt = super().apply_gradients(grads_and_vars, global_step, name)
        with tf.control_dependencies([opt]):
            return tf.group([tf.identity(v) for _, v in grads_and_vars])


class GaussianPpo:

    def __init__(self, clip_ratio=.2):
        self.x_ph = tf.placeholder(dtype=tf.float32, shape=(None, 2))
        self.a_ph = tf.placeholder(dtype=tf.float32, shape=(None, 1))
        adv_ph, ret_ph, logp_old_ph = (tf.placeholder(dtype=tf.float32, shape=(None,)) for _ in range(3))
        self.pi, logp, logp_pi, self.v = actor_critic(self.x_ph, self.a_ph)
        self.get_action_ops = [self.pi, self.v, logp_pi]
        self.all_phs = [self.x_ph, self.a_ph, logp_old_ph, adv_ph, ret_ph]
        ratio = tf.exp(logp - logp_old_ph)
        min_adv = tf.where(adv_ph > 0, (1 + clip_ratio) * adv_ph, (1 - clip_ratio) * adv_ph)
        pi_loss = -tf.reduce_mean(tf.minimum(ratio * adv_ph, min_adv))
        v_loss = tf.reduce_mean((ret_ph - self.v) ** 2)
        self.approx_kl = tf.reduce_mean(logp_old_ph - logp)
        clipped = tf.logical_or(ratio > (1 + clip_ratio), ratio < (1 - clip_ratio))
        self.infos = [pi_loss, v_loss, self.approx_kl, tf.reduce_mean(tf.cast(clipped, tf.float32))]
        self.pi_optimizer, self.v_optimizer = (AveragingAdam(learning_rate=rate) for rate in (.02, .02))
        self.train_pi = self.pi_optimizer.minimize(pi_loss, var_list=tf.trainable_variables('pi'))
        self.train_v = self.v_optimizer.minimize(v_loss, var_list=tf.trainable_variables('v'))

    def act(self, session):
        def act(observation):
            a, v, logp = session.run(self.get_action_ops, feed_dict={self.x_ph: observation.reshape(1, -1)})
            return a[0], a[0, 0], v[0], logp[0]

        return act

    def update(self, session, batch, target_kl=.02):
        """Returns the losses before the update."""
        ob, ac, _, logp, adv, ret = batch
        feed = dict(zip(self.all_phs, [ob, ac, logp, standardized(adv), ret]))
        before = session.run(self.infos, feed_dict=feed)
        for _ in range(20):
            _, kl = session.run([self.train_pi, self.approx_kl], feed_dict=feed)
            if kl > 1.5 * target_kl:
                break
        for _ in range(20):
            session.run(self.train_v, feed_dict=feed)
        return before


class GaussianTest(unittest.TestCase):

    def test_program(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'simple_save')
            before, expected = self.train(path)
            restored, loaded = self.play_saved(path)
        np.testing.assert_allclose(loaded, expected, rtol=1e-5)
        self.assertLess(before, -6)
        self.assertGreater(restored, -4)

    def train(self, path):
        """Trains and saves a policy. Returns the mean return at first, and values of some observations."""
        with tf.Graph().as_default(), tf.Session() as session:
            tf.set_random_seed(3)
            ppo, env, totals, infos = GaussianPpo(), Line(5), [], []
            session.run(tf.global_variables_initializer())
            for _ in range(24):
                batch, total = collect(env, ppo.act(session), 16)
                info = ppo.update(session, batch)
                totals.append(total)
                infos.append(info)
            self.assertEqual(len(ppo.v_optimizer.calls), 24 * 20)
            self.assertLess(max(abs(kl) for _, _, kl, _ in infos), 1e-4)
            self.assertEqual(max(clipped for *_, clipped in infos), 0)
            self.assertGreater(np.mean(totals[-3:]), .6 * totals[0])
            tf.saved_model.simple_save(session, path, inputs={'x': ppo.x_ph}, outputs={'pi': ppo.pi, 'v': ppo.v})
            return totals[0], session.run(ppo.v, {ppo.x_ph: np.eye(2)})

    def play_saved(self, path):
        """Returns the mean return of the saved policy, and its values of some observations."""
        with tf.Graph().as_default(), tf.Session() as session:
            meta = tf.saved_model.loader.load(session, [tf.saved_model.tag_constants.SERVING], path)
            signature = meta.signature_def['serving_default']
            graph = tf.get_default_graph()
            x = graph.get_tensor_by_name(signature.inputs['x'].name)
            pi, v = (graph.get_tensor_by_name(signature.outputs[name].name) for name in ('pi', 'v'))

            def act(observation):
                action = session.run(pi, {x: observation[None]})[0]
                return action, action[0], 0.

            return collect(Line(8), act, 20)[1], session.run(v, {x: np.eye(2)})


if __name__ == '__main__':
    unittest.main()
