"""Runs the workload of polyak.cc on TensorFlow. Prints the best times of an update in microseconds.

usage: tensorflow_polyak.py THREADS      prints one line per benchmark: NAME MICROSECONDS
"""
import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import tensorflow.compat.v1 as tf

from tensorflow_mlp import best_microseconds

VARIABLES = 10
TAU = 0.005


def update_of(megabytes):
    each = (megabytes << 20) // 4 // VARIABLES
    updates = []
    for i in range(VARIABLES):
        w, target = (tf.get_variable(name % i, [each], use_resource=False,
                                     initializer=tf.ones_initializer())
                     for name in ("w%d", "target%d"))
        updates.append(tf.assign(target, TAU * w + (1 - TAU) * target))
    return tf.group(*updates)


def main(threads):
    tf.disable_v2_behavior()
    tf.logging.set_verbosity(tf.logging.ERROR)
    config = tf.ConfigProto(intra_op_parallelism_threads=threads,
                            inter_op_parallelism_threads=threads)
    for megabytes in (1, 10, 100):
        with tf.Graph().as_default():
            update = update_of(megabytes)
            with tf.Session(config=config) as session:
                session.run(tf.global_variables_initializer())
                best = best_microseconds(session.make_callable(update))
                print("polyak/megabytes:%d %.4f" % (megabytes, best), flush=True)


main(int(sys.argv[1]))
