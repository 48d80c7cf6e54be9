"""Runs the workload of clone.cc on TensorFlow. Prints the best times of import_graph_def in milliseconds.

usage: tensorflow_clone.py FOLDER      prints one line per benchmark: NAME MILLISECONDS

FOLDER contains the graphs that ramet_bench wrote to RAMET_BENCH_DIR: clone_1000.meta, ... Each graph is imported
once, and then again under the scope "copy" of the same graph. Only the second import is timed.
"""
import os
import sys
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()


def main():
    for nodes in (1000, 10000, 100000, 1000000):
        path = os.path.join(sys.argv[1], "clone_%d.meta" % nodes)
        if not os.path.exists(path):
            continue
        meta = tf.MetaGraphDef()
        with open(path, "rb") as file:
            meta.ParseFromString(file.read())
        best = float("inf")
        for _ in range(3 if nodes < 100000 else 1):
            with tf.Graph().as_default():
                tf.import_graph_def(meta.graph_def, name="")
                start = time.perf_counter()
                tf.import_graph_def(meta.graph_def, name="copy")
                best = min(best, time.perf_counter() - start)
        print("clone/%d %.4f" % (nodes, best * 1e3), flush=True)


main()
