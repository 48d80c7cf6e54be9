"""Loads and runs a saved model in two lines with ramet.load.

ramet.load takes a checkpoint prefix, a .meta file, a folder with checkpoints, a SavedModel folder
or the .pb file of a frozen graph. The first function only creates such files.

    python load_a_model.py [folder]
"""

import os
import sys
import tempfile

import numpy as np
import ramet
import ramet.compat.v1 as tf


def somebody_saves(prefix, frozen):
    with tf.Graph().as_default() as graph, tf.Session() as session:
        images = tf.placeholder(tf.float32, [None, 4], name='images')
        w = tf.get_variable('w', initializer=tf.constant([[1.0], [2.0], [3.0], [4.0]]))
        tf.identity(tf.matmul(images, w), name='score')
        session.run(tf.global_variables_initializer())
        tf.train.Saver().save(session, prefix, global_step=1000)
        constant = tf.graph_util.convert_variables_to_constants(session, graph.as_graph_def(),
                                                                ['score'])
        tf.train.write_graph(constant, *os.path.split(frozen), as_text=False)


def main(folder):
    prefix, frozen = os.path.join(folder, 'net'), os.path.join(folder, 'frozen.pb')
    somebody_saves(prefix, frozen)
    x = np.array([[1, 1, 1, 1], [0, 0, 0, 1]], np.float32)

    model = ramet.load(prefix + '-1000')
    y = model('score', images=x)

    print(model)
    print(y.ravel())
    assert y.ravel().tolist() == [10, 4]
    for path in (folder, frozen):
        with ramet.load(path) as other:
            assert np.array_equal(other('score', images=x), y)
            print('the same result from', path)


if __name__ == '__main__':
    if len(sys.argv) > 1:
        main(sys.argv[1])
    else:
        with tempfile.TemporaryDirectory() as scratch:
            main(scratch)
