"""Runs with only a wheel's package: builds, trains, saves, restores from files, prints 'ok'."""

import os
import sys

import numpy as np
import tensorflow as tf  # provided by python -m ramet

assert 'site-packages' in tf.__file__, tf.__file__
assert not any('tensorflow' in path.lower() for path in sys.path), sys.path

x = tf.placeholder(tf.float32, [None, 4], name='x')
y = tf.placeholder(tf.float32, [None, 1], name='y')
hidden = tf.layers.dense(x, 8, activation=tf.nn.relu)
out = tf.identity(tf.layers.dense(hidden, 1), name='out')
loss = tf.reduce_mean(tf.square(out - y))
step = tf.train.MomentumOptimizer(0.05, 0.9).minimize(loss)
saver = tf.train.Saver()

rng = np.random.RandomState(0)
inputs = rng.randn(64, 4).astype(np.float32)
feed = {x: inputs, y: inputs.sum(1, keepdims=True)}
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    before = session.run(loss, feed)
    for _ in range(200):
        session.run(step, feed)
    after = session.run(loss, feed)
    expected = session.run(out, feed)
    prefix = saver.save(session, os.path.join(sys.argv[1], 'model'))
assert after < before / 10, (before, after)

with tf.Graph().as_default(), tf.Session() as session:
    tf.train.import_meta_graph(prefix + '.meta').restore(session, prefix)
    restored = session.run('out:0', {'x:0': inputs})
np.testing.assert_array_equal(restored, expected)
print('ok')
