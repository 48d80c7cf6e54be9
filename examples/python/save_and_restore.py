"""Saves a model and restores it into a graph that is read from the .meta file.

Fits a line, saves every 100 steps and keeps the last three checkpoints. Then builds a second graph
from the files of the newest checkpoint: import_meta_graph imports the graph, restore the values.

    python save_and_restore.py [folder]
"""

import os
import sys
import tempfile

import numpy as np
import ramet.compat.v1 as tf


def train(folder):
    """Builds, trains and saves a model. Returns the final weights."""
    rng = np.random.RandomState(0)
    xs = rng.uniform(-1, 1, (200, 1)).astype(np.float32)
    ys = 3 * xs - 1 + rng.normal(0, 0.01, xs.shape)

    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 1], name='x')
        y = tf.placeholder(tf.float32, [None, 1], name='y')
        w = tf.get_variable('w', [1, 1])
        b = tf.get_variable('b', [1], initializer=tf.zeros_initializer())
        prediction = tf.add(tf.matmul(x, w), b, name='prediction')
        loss = tf.reduce_mean(tf.square(prediction - y))
        step = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
        saver = tf.train.Saver(max_to_keep=3)

        session.run(tf.global_variables_initializer())
        for i in range(1, 501):
            session.run(step, {x: xs, y: ys})
            if i % 100 == 0:
                print('saved', saver.save(session, os.path.join(folder, 'line'), global_step=i))
        return session.run([w, b])


def restore(folder):
    """Restores the newest checkpoint and runs it. Returns the weights and a prediction."""
    with tf.Graph().as_default() as graph, tf.Session() as session:
        newest = tf.train.latest_checkpoint(folder)
        saver = tf.train.import_meta_graph(newest + '.meta')
        saver.restore(session, newest)
        print('restored', newest)
        print(tf.train.load_checkpoint(newest))

        x, prediction = (graph.get_tensor_by_name(n) for n in ('x:0', 'prediction:0'))
        return session.run(tf.global_variables()), session.run(prediction, {x: [[0.0], [1.0]]})


def main(folder):
    trained = train(folder)
    restored, prediction = restore(folder)
    assert all(np.array_equal(a, b) for a, b in zip(trained, restored))
    assert np.allclose(prediction, [[-1], [2]], atol=0.05)
    print('the restored weights are bitwise equal; f(0), f(1) =', prediction.ravel())


if __name__ == '__main__':
    if len(sys.argv) > 1:
        main(sys.argv[1])
    else:
        with tempfile.TemporaryDirectory() as scratch:
            main(scratch)
