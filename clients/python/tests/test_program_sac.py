"""Soft actor-critic as its programs are written: two critics, a squashed Gaussian, targets, a learned temperature."""

import unittest

import numpy as np
import point_control
import ramet.compat.v1 as tf

LOG_STD_MIN, LOG_STD_MAX = -20, 2


class ReplayBuffer:
    """The latest transitions."""

    def __init__(self, obs_dim, act_dim, size, seed):
        self._rows = {'x': np.zeros([size, obs_dim], np.float32), 'x2': np.zeros([size, obs_dim], np.float32),
                      'a': np.zeros([size, act_dim], np.float32), 'r': np.zeros(size, np.float32),
                      'd': np.zeros(size, np.float32)}
        self._next, self.size, self._max_size = 0, 0, size
        self._random = np.random.RandomState(seed)

    def store(self, **row):
        for name, value in row.items():
            self._rows[name][self._next] = value
        self._next = (self._next + 1) % self._max_size
        self.size = min(self.size + 1, self._max_size)

    def sample_batch(self, batch_size):
        i = self._random.randint(0, self.size, size=batch_size)
        return {name: rows[i] for name, rows in self._rows.items()}


def placeholders(*dims):
    return [tf.placeholder(dtype=tf.float32, shape=(None, dim) if dim else (None,)) for dim in dims]


def get_vars(scope):
    return [x for x in tf.trainable_variables() if scope in x.name]


def count_vars(scope):
    return sum(np.prod(v.shape.as_list()) for v in get_vars(scope))


def clip_but_pass_gradient(x, low=-1., high=1.):
    over, under = tf.cast(x > high, tf.float32), tf.cast(x < low, tf.float32)
    return x + tf.stop_gradient((high - x) * over + (low - x) * under)


def mlp_gaussian_policy(x, act_dim, hidden_sizes):
    """Returns (mean, sample, log-probability of the sample), all before squashing."""
    net = point_control.mlp(x, list(hidden_sizes), tf.nn.relu, tf.nn.relu)
    mu = tf.layers.dense(net, act_dim)
    log_std = tf.layers.dense(net, act_dim, activation=tf.tanh)
    log_std = LOG_STD_MIN + .5 * (LOG_STD_MAX - LOG_STD_MIN) * (log_std + 1)
    pi = mu + tf.random_normal(tf.shape(mu)) * tf.exp(log_std)
    return mu, pi, point_control.gaussian_likelihood(pi, mu, log_std)


def apply_squashing_func(mu, pi, logp_pi):
    """Squashes into (-1, 1) and corrects the log-probability for it."""
    mu, pi = tf.tanh(mu), tf.tanh(pi)
    logp_pi -= tf.reduce_sum(tf.log(clip_but_pass_gradient(1 - pi ** 2, low=0, high=1) + 1e-6), axis=1)
    return mu, pi, logp_pi


def critics(x, action, hidden_sizes=(24, 24), reuse=None):
    """Returns both critics' values of an action."""
    values = []
    for scope in ('q1', 'q2'):
        with tf.variable_scope(scope, reuse=reuse):
            net = point_control.mlp(tf.concat([x, action], axis=-1), list(hidden_sizes) + [1], tf.nn.relu)
            values.append(tf.squeeze(net, axis=1))
    return values


def mlp_actor_critic(x, a, hidden_sizes=(24, 24)):
    """Returns (mean action, sample, its log-probability, both critics' values of `a`, and of the sample)."""
    with tf.variable_scope('pi'):
        mu, pi, logp_pi = apply_squashing_func(*mlp_gaussian_policy(x, a.shape.as_list()[-1], hidden_sizes))
    (q1, q2), (q1_pi, q2_pi) = critics(x, a, hidden_sizes), critics(x, pi, hidden_sizes, reuse=True)
    return mu, pi, logp_pi, q1, q2, q1_pi, q2_pi


class Sac:
    """The graph of the program."""

    def __init__(self, gamma=.9, polyak=.98, lr=5e-3, obs_dim=2, act_dim=1):
        self.phs = dict(zip(('x', 'a', 'x2', 'r', 'd'), placeholders(obs_dim, act_dim, obs_dim, None, None)))
        x, a, x2, r, d = self.phs.values()
        with tf.variable_scope('main'):
            self.mu, self.pi, logp_pi, q1, q2, q1_pi, q2_pi = mlp_actor_critic(x, a)
        with tf.variable_scope('main', reuse=True):
            _, pi_next, logp_pi_next, *_ = mlp_actor_critic(x2, a)
        with tf.variable_scope('target'):
            q1_targ, q2_targ = critics(x2, pi_next)
        with tf.variable_scope('temperature'):
            log_alpha = tf.get_variable('log_alpha', dtype=tf.float32, initializer=np.log(.5).astype(np.float32))
            self.alpha = tf.exp(log_alpha)
        target_entropy = -float(act_dim)
        q_backup = tf.stop_gradient(
            r + gamma * (1 - d) * (tf.minimum(q1_targ, q2_targ) - self.alpha * logp_pi_next))
        pi_loss = tf.reduce_mean(tf.stop_gradient(self.alpha) * logp_pi - tf.minimum(q1_pi, q2_pi))
        q1_loss, q2_loss = (.5 * tf.losses.mean_squared_error(q_backup, q) for q in (q1, q2))
        alpha_loss = -tf.reduce_mean(log_alpha * tf.stop_gradient(logp_pi + target_entropy))
        self.entropy = -tf.reduce_mean(logp_pi)
        self.build_training(lr, polyak, pi_loss, q1_loss + q2_loss, alpha_loss)
        self.step_ops = [pi_loss, q1_loss, q2_loss, self.alpha, self.entropy, self.train_pi, self.train_value,
                         self.train_alpha, self.target_update]

    def build_training(self, lr, polyak, pi_loss, value_loss, alpha_loss):
        """The policy is trained first, then the critics, then the targets follow."""
        self.train_pi = tf.train.AdamOptimizer(lr, name='pi_adam').minimize(pi_loss, var_list=get_vars('main/pi'))
        value_params = get_vars('main/q1') + get_vars('main/q2')
        with tf.control_dependencies([self.train_pi]):
            self.train_value = tf.train.AdamOptimizer(lr, name='value_adam').minimize(value_loss,
                                                                                      var_list=value_params)
            self.train_alpha = tf.train.AdamOptimizer(lr).minimize(alpha_loss, var_list=get_vars('temperature'))
        self.pairs = list(zip(value_params, get_vars('target/')))
        with tf.control_dependencies([self.train_value]):
            self.target_update = tf.group([tf.assign(targ, polyak * targ + (1 - polyak) * main)
                                           for main, targ in self.pairs])
        self.target_init = tf.group([tf.assign(targ, main) for main, targ in self.pairs])

    def get_action(self, session, o, deterministic=False):
        return session.run(self.mu if deterministic else self.pi, {self.phs['x']: o.reshape(1, -1)})[0]

    def update(self, session, batch):
        """Returns (losses of the policy and the critics, temperature, entropy)."""
        return session.run(self.step_ops, {self.phs[name]: rows for name, rows in batch.items()})[:5]


def test_agent(sac, session, episodes):
    """Returns the mean return of the deterministic policy."""
    env, total = point_control.Reach(9), 0.
    for _ in range(episodes):
        o, d = env.reset(), False
        while not d:
            o, r, d = env.step(sac.get_action(session, o, True))
            total += r
    return total / episodes


test_agent.__test__ = False  # not a test, for pytest


def train(sac, session, steps, start_steps):
    """Trains and returns what the updates report."""
    env, random = point_control.Reach(1), np.random.RandomState(2)
    replay_buffer = ReplayBuffer(2, 1, 1000, 3)
    o, infos = env.reset(), []
    for t in range(steps):
        a = sac.get_action(session, o) if t > start_steps else random.uniform(-1, 1, 1)
        o2, r, d = env.step(a)
        # The end by time is not an end of the task.
        replay_buffer.store(x=o, x2=o2, a=a, r=r, d=0)
        o = env.reset() if d else o2
        if t >= start_steps:
            infos.append(sac.update(session, replay_buffer.sample_batch(64)))
    return np.array(infos)


class SacTest(unittest.TestCase):

    def setUp(self):
        tf.reset_default_graph()
        tf.set_random_seed(6)

    def test_program(self):
        sac = Sac()
        self.assertEqual(count_vars('main/pi'), 2 * 24 + 24 + 24 * 24 + 24 + 2 * 25)
        self.assertEqual(count_vars('main/q1/'), 3 * 24 + 24 + 24 * 24 + 24 + 25)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            session.run(sac.target_init)
            before = test_agent(sac, session, 20)
            infos = train(sac, session, 1100, 200)
            after = test_agent(sac, session, 20)
        self.assertLess(before, -5)
        self.assertGreater(after, -3)
        critics = infos[:, 1] + infos[:, 2]
        self.assertLess(critics[-50:].mean(), .5 * critics[:20].mean())
        self.assertLess(infos[-1, 3], .25)  # the temperature fell from .5 ...
        self.assertAlmostEqual(infos[-100:, 4].mean(), -1, delta=.5)  # ... until the entropy was what it should be

    def test_targets_follow_the_critics(self):
        sac = Sac(polyak=.75)
        batch = {'x': np.eye(2), 'x2': np.eye(2), 'a': [[.5], [-.5]], 'r': [1., -1.], 'd': [0., 1.]}
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            session.run(sac.target_init)
            first = session.run(sac.pairs)
            sac.update(session, batch)
            second = session.run(sac.pairs)
        self.assertEqual(len(first), 12)
        for (main, target), (new_main, new_target), (_, variable) in zip(first, second, sac.pairs):
            np.testing.assert_array_equal(main, target)
            np.testing.assert_allclose(new_target, .75 * target + .25 * new_main, rtol=1e-5, atol=1e-7,
                                       err_msg=variable.name)
        self.assertTrue(any((a[0] != b[0]).any() for a, b in zip(first, second)))

    def test_squashed_density(self):
        """The density of squashed samples integrates to 1."""
        z = tf.constant(np.linspace(-6, 6, 4001).reshape(-1, 1), tf.float32)
        mu, log_std = tf.constant([[.3]]), tf.constant([[-.4]])
        _, squashed, logp = apply_squashing_func(mu, z, point_control.gaussian_likelihood(z, mu, log_std))
        with tf.Session() as session:
            y, density = session.run([squashed[:, 0], tf.exp(logp)])
        middle = (density[1:] + density[:-1]) / 2
        self.assertAlmostEqual(np.sum(middle * np.diff(y)), 1, places=2)

    def test_clipping_passes_gradients(self):
        x = tf.constant([-2., .5, 2.])
        clipped = clip_but_pass_gradient(x)
        with tf.Session() as session:
            values, gradients = session.run([clipped, tf.gradients(clipped, x)[0]])
        np.testing.assert_array_equal(values, [-1, .5, 1])
        np.testing.assert_array_equal(gradients, [1, 1, 1])


if __name__ == '__main__':
    unittest.main()
