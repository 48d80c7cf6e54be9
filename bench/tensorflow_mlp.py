"""Runs the MLP of ramet_mlp.cc and floor_mlp.cc on TensorFlow. Prints the best times in microseconds.

usage: tensorflow_mlp.py THREADS      prints one line per benchmark: NAME MICROSECONDS

Steps are run by Session.make_callable, the fastest way from Python. The figures include the Python call and the copy
of the fed arrays.
"""
import os
import sys
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import numpy as np
import tensorflow.compat.v1 as tf

BATCH = 50


def network():
    x = tf.placeholder(tf.float32, [None, 784])
    y = tf.placeholder(tf.float32, [None, 10])
    h = x
    for i, (rows, columns) in enumerate([(784, 256), (256, 256), (256, 10)]):
        w = tf.get_variable("w%d" % i, [rows, columns], use_resource=False,
                            initializer=tf.glorot_uniform_initializer(seed=1))
        b = tf.get_variable("b%d" % i, [columns], use_resource=False,
                            initializer=tf.zeros_initializer())
        h = tf.matmul(h, w) + b
        h = tf.nn.relu(h) if i < 2 else tf.nn.softmax(h)
    loss = tf.reduce_mean(-tf.reduce_sum(y * tf.log(h), axis=[1]))
    return x, y, h, tf.train.GradientDescentOptimizer(0.05).minimize(loss)


def best_microseconds(step, seconds=1.5, repeats=5):
    for _ in range(50):
        step()
    start = time.perf_counter()
    step()
    n = max(10, int(seconds / repeats / (time.perf_counter() - start)))
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        for _ in range(n):
            step()
        best = min(best, (time.perf_counter() - start) / n)
    return best * 1e6


def main(threads):
    tf.disable_v2_behavior()
    tf.logging.set_verbosity(tf.logging.ERROR)
    config = tf.ConfigProto(intra_op_parallelism_threads=threads,
                            inter_op_parallelism_threads=threads)
    random = np.random.RandomState(0)
    images = random.rand(BATCH, 784).astype("f")
    labels = np.eye(10, dtype="f")[random.randint(0, 10, BATCH)]
    x, y, out, train = network()
    with tf.Session(config=config) as session:
        session.run(tf.global_variables_initializer())
        step = session.make_callable(train, [x, y])
        print("mlp_train_step %.1f" % best_microseconds(lambda: step(images, labels)))
        infer = session.make_callable(out, [x])
        for batch in (1, BATCH):
            rows = images[:batch]
            print("mlp_inference/batch:%d %.1f" % (batch, best_microseconds(lambda: infer(rows))))


if __name__ == "__main__":
    main(int(sys.argv[1]))
