"""Measures the overhead of the Python API with the same program on ramet.compat.v1 and tensorflow.compat.v1.

usage: python_api.py ramet|tensorflow      prints one line per benchmark: NAME MICROSECONDS

Times are minima over several repeats. Operations that a process does only once are measured once.
"""
import importlib
import os
import sys
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import google.protobuf.message  # noqa: F401  imported here so that the import time of neither package includes it
import numpy as np

LAYERS = 3000
START = time.perf_counter()
tf = importlib.import_module(sys.argv[1] + ".compat.v1")
IMPORT = time.perf_counter() - START
if sys.argv[1] == "tensorflow":
    tf.disable_v2_behavior()


def show(name, seconds):
    print(name, seconds * 1e6)


def best(function, count, repeats=7):
    for _ in range(count // 5 + 1):
        function()
    lowest = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        for _ in range(count):
            function()
        lowest = min(lowest, (time.perf_counter() - start) / count)
    return lowest


def once(name, function, per=1):
    start = time.perf_counter()
    result = function()
    show(name, (time.perf_counter() - start) / per)
    return result


def session():
    return tf.Session(config=tf.ConfigProto(intra_op_parallelism_threads=1,
                                            inter_op_parallelism_threads=1))


def calls():
    x = tf.placeholder(tf.float32, [])
    big = tf.placeholder(tf.float32, [1000, 1000])
    half, corner, chain = x * 0.5, big[0, 0], x
    for i in range(1000):
        chain = tf.sin(chain) if i % 2 else tf.cos(chain)
    array = np.ones([1000, 1000], np.float32)
    with session() as s:
        show("run_fed_scalar", best(lambda: s.run(x, {x: 1.0}), 2000))
        show("run_list_of_two", best(lambda: s.run([x, half], {x: 1.0}), 1000))
        prepared = s.make_callable(x, [x])
        show("call_fed_scalar", best(lambda: prepared(1.0), 2000))
        show("run_feed_4MB", best(lambda: s.run(corner, {big: array}), 50))
        show("run_fetch_4MB", best(lambda: s.run(big, {big: array}), 50))
        show("run_chain_per_op", best(lambda: s.run(chain, {x: 1.0}), 50) / 1000)


def graphs():
    def build():
        h = x = tf.placeholder(tf.float32, [None, 8])
        for i in range(LAYERS):
            h = tf.nn.relu(tf.matmul(h, tf.get_variable("w%d" % i, [8, 8], use_resource=False)) + 1.0)
        tf.train.Saver()
        return x, h

    tf.reset_default_graph()
    start = time.perf_counter()
    x, h = build()
    nodes = len(tf.get_default_graph().get_operations())
    show("build_per_node", (time.perf_counter() - start) / nodes)
    meta = once("export_meta_graph_per_node", tf.train.export_meta_graph, nodes)
    with tf.Graph().as_default():
        once("import_meta_graph_per_node", lambda: tf.train.import_meta_graph(meta), nodes)
    with session() as s:
        once("initialize_%d_variables" % LAYERS, lambda: s.run(tf.global_variables_initializer()))
        once("first_run_of_%d_layers" % LAYERS, lambda: s.run(h, {x: np.ones([1, 8], "f")}))


show("import", IMPORT)
calls()
graphs()
