"""Proximal policy optimization with a Gaussian policy and an optimizer that averages gradients over processes."""

import os
import tempfile
import unittest

import numpy as np
import point_control
import ramet.compat.v1 as tf


def actor_critic(x, a):
    """Returns (sampled actions, log-probability of `a`, that of the sampled actions, values)."""
    with tf.variable_scope('pi'):
        mu = point_control.mlp(x, [16, a.shape.as_list()[-1]])
        log_std = tf.get_variable(name='log_std', initializer=-.5 * np.ones(1, dtype=np.float32))
        pi = mu + tf.random_normal(tf.shape(mu)) * tf.exp(log_std)
    with tf.variable_scope('v'):
        v = tf.squeeze(point_control.mlp(x, [16, 1]), axis=1)
    return pi, point_control.gaussian_likelihood(a, mu, log_std), point_control.gaussian_likelihood(pi, mu, log_std), v


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
        feed = dict(zip(self.all_phs, [ob, ac, logp, point_control.standardized(adv), ret]))
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
            ppo, env, totals, infos = GaussianPpo(), point_control.Line(5), [], []
            session.run(tf.global_variables_initializer())
            for _ in range(24):
                batch, total = point_control.collect(env, ppo.act(session), 16)
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

            return point_control.collect(point_control.Line(8), act, 20)[1], session.run(v, {x: np.eye(2)})


if __name__ == '__main__':
    unittest.main()
