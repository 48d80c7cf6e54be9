"""Clones a network within its graph. The copy has its own variables.

The code that built the network is not available, only a checkpoint and the names of its input and
output. The clone starts with the current values, so both networks are equal at first. Then the
original is trained, and the copy follows it: not at all, at once (update_op), or slowly, like a
target network in Q-learning (polyak_op). Then the copy is trained and the original does not change.
Finally, the copy is saved under the names that the original's variables have in their checkpoints.

    python clone_a_network.py [folder]

(With tf.contrib.graph_editor, the copy's variables are in no collection and have no values.)
"""

import os
import sys
import tempfile

import numpy as np
import ramet
import ramet.compat.v1 as tf

SIDE = np.linspace(-1, 1, 16)
X = np.array([[a, b] for a in SIDE for b in SIDE], np.float32)
PRODUCT = X[:, :1] * X[:, 1:]


def somebody_trains(prefix):
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(1)
        x = tf.placeholder(tf.float32, [None, 2], name='x')
        hidden = tf.layers.dense(x, 32, tf.tanh)
        out = tf.identity(tf.layers.dense(hidden, 1), name='out')
        step = tf.train.AdamOptimizer(0.01).minimize(tf.reduce_mean(tf.square(out - PRODUCT)))
        session.run(tf.global_variables_initializer())
        for _ in range(300):
            session.run(step, {x: X})
        tf.train.Saver().save(session, prefix)


def training_step(out, wanted, variables):
    loss = tf.reduce_mean(tf.square(out - wanted))
    return tf.train.GradientDescentOptimizer(0.1).minimize(loss, var_list=variables)


def duplicate(theirs, ours):
    with tf.Graph().as_default() as graph, tf.Session() as session:
        tf.train.import_meta_graph(theirs + '.meta').restore(session, theirs)

        originals = tf.trainable_variables()
        copy = ramet.clone(inputs='x:0', outputs='out:0', initial='current')
        session.run(copy.init_op)  # initializes only the copy's variables
        print('copied:', copy)

        x, out = graph.get_tensor_by_name('x:0'), graph.get_tensor_by_name('out:0')
        copied_x, copied_out = copy.transformed([x, out])

        def difference():
            a, b = session.run([out, copied_out], {x: X, copied_x: X})
            return np.abs(a - b).max()

        print('right after cloning they differ by %g' % difference())
        assert difference() == 0

        step = training_step(out, 2 * PRODUCT, originals)
        for _ in range(200):
            session.run(step, {x: X})
        print('after 200 steps of the original they differ by %.3f' % difference())
        session.run(copy.update_op)
        print('after an update they differ by %g' % difference())
        assert difference() == 0

        follow = copy.polyak_op(0.05)
        for _ in range(200):
            session.run(step, {x: X})
            session.run(follow)
        print('after 200 steps with a moving average they differ by %.4f' % difference())

        own_step = training_step(copied_out, PRODUCT, list(copy.variables.values()))
        before = session.run(originals)
        for _ in range(200):
            session.run(own_step, {copied_x: X})
        assert all(np.array_equal(a, b) for a, b in zip(before, session.run(originals)))
        print('after 200 steps of the copy they differ by %.3f; the original has not changed'
              % difference())

        with tf.variable_scope('copy/dense', reuse=True):
            print('get_variable finds', tf.get_variable('kernel').name)
        tf.train.Saver(copy.saver_map).save(session, ours, write_meta_graph=False)
        tf.train.Saver(originals).restore(session, ours)
        print("saved under the original's names and restored into the original: they differ by %g"
              % difference())
        assert difference() == 0


def main():
    with tempfile.TemporaryDirectory() as scratch:
        folder = sys.argv[1] if len(sys.argv) > 1 else scratch
        theirs, ours = os.path.join(folder, 'theirs'), os.path.join(folder, 'ours')
        somebody_trains(theirs)
        duplicate(theirs, ours)


if __name__ == '__main__':
    main()
