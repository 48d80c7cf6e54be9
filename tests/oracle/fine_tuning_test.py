"""Symptom: fine-tuning an existing network, or continuing its training, differs from TensorFlow.

TensorFlow trains a small CNN (convolution, batch norm, dropout, a hidden layer) and saves it with its
optimizer's slots. TensorFlow, Ramet's Python package and Ramet's C++ (the oracle_driver) load these files, cut
the network at a layer, add a head, initialize the new variables and train. The losses are compared step by
step, then the variables, and each checkpoint is restored by the others.
Needs tensorflow, the package ramet on the path, and RAMET_BUILD.
"""

import os
import subprocess
import tempfile
import unittest

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')

import numpy as np
import tensorflow.compat.v1 as tf

import ramet.compat.v1 as rt

tf.disable_v2_behavior()
tf.logging.set_verbosity(tf.logging.FATAL)
rt.logging.set_verbosity(rt.logging.FATAL)
DRIVER = os.path.join(os.environ.get('RAMET_BUILD', 'build'), 'bin', 'oracle_driver')
STEPS, BATCH = 12, 50
OPTIMIZERS = {
    'momentum': lambda: tf.train.MomentumOptimizer(0.05, 0.9, use_nesterov=True),
    'adam': lambda: tf.train.AdamOptimizer(0.003),
    'rmsprop': lambda: tf.train.RMSPropOptimizer(0.002, momentum=0.5, centered=True),
}
# The optimizer, and whether variables are resource variables.
MODELS = (('momentum', False), ('momentum', True), ('adam', True), ('rmsprop', False))


def driver(*args):
    done = subprocess.run([DRIVER, *map(str, args)], capture_output=True, text=True, timeout=300,
                          check=False)
    if done.returncode:
        raise AssertionError(f'oracle_driver {args}: {done.stderr}')
    return [float(line) for line in done.stdout.split()]


def pictures(seed):
    """Returns noisy pictures of ten classes and their labels, in the format of the driver's input file."""
    random = np.random.RandomState(seed)
    kinds = random.randint(10, size=STEPS * BATCH)
    coarse = np.random.RandomState(seed + 1).rand(10, 4, 4) * 2 - 1
    patterns = np.kron(coarse, np.ones([7, 7])).reshape(10, 784)
    images = (patterns[kinds] + random.normal(0, 0.3, [len(kinds), 784])).astype('f')
    return images, np.eye(10, dtype='f')[kinds]


def batch_norm(x, is_training):
    channels = x.shape[3]
    gamma = tf.get_variable('gamma', [channels], initializer=tf.ones_initializer())
    beta = tf.get_variable('beta', [channels], initializer=tf.zeros_initializer())
    mean = tf.get_variable('mean', [channels], initializer=tf.zeros_initializer(), trainable=False)
    variance = tf.get_variable('variance', [channels], initializer=tf.ones_initializer(),
                               trainable=False)
    y, batch_mean, batch_variance = tf.nn.fused_batch_norm(x, gamma, beta, is_training=True)
    rate = tf.where(is_training, 0.1, 0.0)
    for moving, now in ((mean, batch_mean), (variance, batch_variance)):
        tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, tf.assign_sub(moving, rate * (moving - now)))
    fixed, _, _ = tf.nn.fused_batch_norm(x, gamma, beta, mean, variance, is_training=False)
    return tf.cond(is_training, lambda: y, lambda: fixed)


def build_cnn(optimizer, resource):
    tf.get_variable_scope().set_use_resource(resource)
    x = tf.placeholder(tf.float32, [None, 784], name='x')
    labels = tf.placeholder(tf.float32, [None, 10], name='labels')
    is_training = tf.placeholder_with_default(False, [], name='is_training')
    kernel = tf.get_variable('conv/kernel', [5, 5, 1, 6],
                             initializer=tf.glorot_uniform_initializer(1))
    conv = tf.nn.conv2d(tf.reshape(x, [-1, 28, 28, 1]), kernel, strides=[1, 2, 2, 1],
                        padding='SAME')
    with tf.variable_scope('norm'):
        conv = tf.nn.relu(batch_norm(conv, is_training))
    pool = tf.nn.max_pool(conv, [1, 2, 2, 1], [1, 2, 2, 1], 'VALID')
    flat = tf.reshape(pool, [-1, 7 * 7 * 6], name='flat')
    w = tf.get_variable('hidden/w', [7 * 7 * 6, 32], initializer=tf.initializers.he_normal(2))
    b = tf.get_variable('hidden/b', [32], initializer=tf.zeros_initializer())
    hidden = tf.nn.relu(tf.nn.bias_add(tf.matmul(flat, w), b))
    keep = tf.where(is_training, 0.8, 1.0)
    features = tf.identity(tf.nn.dropout(hidden, keep, seed=7), name='features')
    head = tf.get_variable('head/w', [32, 10], initializer=tf.glorot_uniform_initializer(3))
    logits = tf.matmul(features, head)
    tf.nn.softmax(logits, name='out')
    loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits))
    tf.add_to_collection('losses', loss)
    step = tf.train.get_or_create_global_step()
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        optimizer().minimize(loss, global_step=step)


def train_cnn(prefix, optimizer, resource):
    images, labels = pictures(0)
    with tf.Graph().as_default() as graph, tf.Session() as session:
        tf.set_random_seed(4)
        build_cnn(optimizer, resource)
        train = tf.get_collection('train_op')[0]
        session.run(tf.global_variables_initializer())
        for i in range(0, 5 * BATCH, BATCH):
            session.run(train, {'x:0': images[i:i + BATCH], 'labels:0': labels[i:i + BATCH],
                                'is_training:0': True})
        tf.train.Saver().save(session, prefix)
        graph.finalize()


def loaded(package, prefix):
    session = package.Session(graph=package.get_default_graph())
    saver = package.train.import_meta_graph(prefix + '.meta')
    saver.restore(session, prefix)
    return session, saver


def run_steps(session, loss, train, labels, data, also=None):
    images, answers = data
    losses = []
    for i in range(0, STEPS * BATCH, BATCH):
        feeds = {'x:0': images[i:i + BATCH], labels: answers[i:i + BATCH], **(also or {})}
        losses.append(session.run([loss, train], feeds)[0])
    return losses


def go_on(package, prefix, to, also):
    """Continues training with the graph's own train op; returns the losses."""
    with package.Graph().as_default():
        session, saver = loaded(package, prefix)
        loss = package.get_collection('losses')[0]
        train = package.get_collection('train_op')[0]
        losses = run_steps(session, loss, train, 'labels:0', pictures(0), also)
        saver.save(session, to)
        session.close()
    return losses


def tune(package, prefix, layer, how, to):
    """Fine-tunes like the tutorials; returns the losses."""
    with package.Graph().as_default() as graph:
        session, _ = loaded(package, prefix)
        theirs = package.global_variables()
        features = graph.get_tensor_by_name(layer)
        if how == 'stop_gradient':
            features = package.stop_gradient(features)
        with package.variable_scope('our_head'):
            labels = package.placeholder(package.float32, [None, 10], name='labels')
            w = package.get_variable('w', [features.shape[1], 10],
                                     initializer=package.glorot_uniform_initializer(5))
            b = package.get_variable('b', [10], initializer=package.zeros_initializer())
            logits = package.nn.bias_add(package.matmul(features, w), b, name='logits')
            package.nn.softmax(logits, name='out')
            loss = package.reduce_mean(package.nn.softmax_cross_entropy_with_logits(
                labels=labels, logits=logits))
        optimizer = package.train.MomentumOptimizer(0.05, 0.9, name='OurMomentum')
        train = optimizer.minimize(loss, var_list=[w, b] if how == 'var_list' else None)
        new = [v for v in package.global_variables() if v not in theirs]
        session.run(package.variables_initializer(new))
        losses = run_steps(session, loss, train, 'our_head/labels:0', pictures(2))
        package.train.Saver(name='our_save').save(session, to)
        session.close()
    return losses


def outputs(package, prefix, tensor):
    with package.Graph().as_default():
        session, _ = loaded(package, prefix)
        with session:
            return session.run(tensor, {'x:0': pictures(2)[0][:BATCH]})


def variables_of(prefix):
    reader = tf.train.load_checkpoint(prefix)
    return {name: reader.get_tensor(name) for name in reader.get_variable_to_shape_map()}


class FineTuningTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.path = staticmethod(lambda *words: os.path.join(folder.name, '_'.join(words)))
        for name, resource in MODELS:
            train_cnn(cls.path(name, str(resource)), OPTIMIZERS[name], resource)
        for seed in (0, 2):
            np.hstack(pictures(seed)).tofile(cls.path('batches', str(seed)))
        pictures(2)[0][:BATCH].tofile(cls.path('images'))

    def models(self):
        return [self.path(name, str(resource)) for name, resource in MODELS]

    def same_checkpoint(self, expected, actual):
        expected, actual = variables_of(expected), variables_of(actual)
        self.assertEqual(sorted(expected), sorted(actual))
        for name, value in expected.items():
            np.testing.assert_allclose(actual[name], value, rtol=2e-3, atol=2e-4, err_msg=name)

    def same_in_each(self, prefix, tensor):
        """Checks that both packages and the driver compute the same results from the files."""
        expected = outputs(tf, prefix, tensor)
        np.testing.assert_allclose(outputs(rt, prefix, tensor), expected, rtol=1e-4, atol=1e-6)
        driver('infer', prefix, self.path('images'), self.path('got'), tensor)
        got = np.fromfile(self.path('got'), 'f').reshape(BATCH, 10)
        np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-6)

    def test_tuning(self):
        for model, layer in (('momentum_False', 'flat:0'), ('adam_True', 'features:0')):
            for how in ('stop_gradient', 'var_list', 'all'):
                with self.subTest(model=model, layer=layer, how=how):
                    self.check_tuning(self.path(model), layer, how)

    def check_tuning(self, prefix, layer, how):
        before = variables_of(prefix)
        by_tf, by_python, by_cpp = map(self.path, ('tf', 'python', 'cpp'))
        expected = tune(tf, prefix, layer, how, by_tf)
        self.assertLess(expected[-1], 0.9 * expected[0])
        np.testing.assert_allclose(tune(rt, prefix, layer, how, by_python), expected, rtol=2e-4)
        losses = driver('tune', prefix, layer, how, self.path('batches_2'), STEPS, by_cpp)
        np.testing.assert_allclose(losses, expected, rtol=2e-4)
        for ours in (by_python, by_cpp):
            self.same_checkpoint(by_tf, ours)
            self.same_in_each(ours, 'our_head/out:0')
            after = variables_of(ours)
            kept = [np.array_equal(value, after[name]) for name, value in before.items()]
            self.assertEqual(all(kept), how != 'all')

    def test_training_goes_on(self):
        for prefix in self.models():
            for training in (False, True):
                with self.subTest(os.path.basename(prefix), training=training):
                    self.check_going_on(prefix, training)

    def check_going_on(self, prefix, training):
        by_tf, by_python, by_cpp = map(self.path, ('tf', 'python', 'cpp'))
        also = {'is_training:0': training}
        expected = go_on(tf, prefix, by_tf, also)
        np.testing.assert_allclose(go_on(rt, prefix, by_python, also), expected, rtol=1e-3)
        ours = [by_python]
        if not training:
            losses = driver('train', prefix, self.path('batches_0'), STEPS, by_cpp)
            np.testing.assert_allclose(losses, expected, rtol=1e-3)
            ours.append(by_cpp)
        for prefix in ours:
            self.same_checkpoint(by_tf, prefix)
            self.same_in_each(prefix, 'out:0')

    def test_each_goes_on_where_the_other_stopped(self):
        for prefix in self.models():
            with self.subTest(os.path.basename(prefix)):
                also = {'is_training:0': False}
                first, second = self.path('first'), self.path('second')
                go_on(rt, prefix, first, also)
                expected = go_on(tf, first, second, also)
                np.testing.assert_allclose(go_on(rt, first, self.path('third'), also), expected,
                                           rtol=1e-3)
                self.same_checkpoint(second, self.path('third'))

    def test_odd_inputs(self):
        prefix = self.path('momentum_False')
        missing = self.path('no', 'such')
        for package in (tf, rt):
            with package.Graph().as_default(), self.assertRaisesRegex(IOError, 'does not exist'):
                package.train.import_meta_graph(missing + '.meta')
            with package.Graph().as_default() as graph:
                session, saver = loaded(package, prefix)
                with self.assertRaisesRegex(ValueError, 'not a valid checkpoint'):
                    saver.restore(session, missing)
                with self.assertRaisesRegex(KeyError, "'featurs', does not exist"):
                    graph.get_tensor_by_name('featurs:0')
        with self.assertRaisesRegex(AssertionError, "Did you mean 'features'?"):
            driver('tune', prefix, 'featurs:0', 'all', self.path('batches_2'), 1, self.path('x'))
        with self.assertRaisesRegex(AssertionError, 'does not exist'):
            driver('tune', missing, 'features:0', 'all', self.path('batches_2'), 1, self.path('x'))


if __name__ == '__main__':
    unittest.main()
