"""Runs the workloads of checkpoint.cc and graph_io.cc on TensorFlow. Prints the best times in milliseconds.

usage: tensorflow_files.py FOLDER      prints one line per benchmark: NAME MILLISECONDS

FOLDER should be on a memory disk, like that of ramet_bench.
"""
import os
import shutil
import sys
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import tensorflow.compat.v1 as tf

SIZES = [(1, 6, 20), (100, 50, 5), (1000, 100, 2)]
LAYERS = 2250


def best_milliseconds(step, times, before=lambda: None):
    best = float("inf")
    for _ in range(times):
        before()
        start = time.perf_counter()
        step()
        best = min(best, time.perf_counter() - start)
    return best * 1e3


def report(name, milliseconds):
    print("%s %.4f" % (name, milliseconds), flush=True)


def checkpoint(folder, megabytes, variables, times):
    tf.reset_default_graph()
    rows = megabytes * (1 << 20) // 4 // variables // 256
    for i in range(variables):
        tf.get_variable("v%d" % i, initializer=tf.fill([rows, 256], float(i)), use_resource=False)
    saver = tf.train.Saver(max_to_keep=1)
    prefix = os.path.join(folder, "checkpoint", "model")

    def empty():
        shutil.rmtree(os.path.dirname(prefix), ignore_errors=True)
        os.makedirs(os.path.dirname(prefix))

    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        save = lambda: saver.save(session, prefix, write_meta_graph=False, write_state=False)
        size = "megabytes:%d" % megabytes
        report("checkpoint_save/fresh/" + size, best_milliseconds(save, times, empty))
        report("checkpoint_save/existing/" + size, best_milliseconds(save, times))
        report("checkpoint_restore/" + size,
               best_milliseconds(lambda: saver.restore(session, prefix), times))
    empty()


def listing(folder):
    tf.reset_default_graph()
    prefix = os.path.join(folder, "many")
    names = ["layer_%d/weights_%d" % (i // 10, i % 10) for i in range(10000)]
    with tf.Session() as session:
        session.run(tf.raw_ops.SaveV2(prefix=prefix, tensor_names=names, shape_and_slices=[""] * 10000,
                                      tensors=[tf.constant(1.0)] * 10000))
    step = lambda: tf.train.NewCheckpointReader(prefix).get_variable_to_shape_map()
    report("checkpoint_list/tensors:10000", best_milliseconds(step, 10))


def add_layer(i, at, rate):
    """Adds the same layer as LayerGraph::AddLayer in graph_io.cc."""
    with tf.variable_scope("layer_%d" % i):
        w = tf.get_variable("weights", [16, 16], use_resource=False)
        b = tf.get_variable("biases", [16], use_resource=False, initializer=tf.zeros_initializer())
        at = tf.nn.relu(tf.nn.bias_add(tf.matmul(at, w), b))
    with tf.name_scope("gradients/layer_%d" % i):
        ones = tf.zeros_like(w)
        with tf.colocate_with(w.op):
            update = tf.raw_ops.ApplyGradientDescent(var=w._ref(), alpha=rate, delta=ones)
            with tf.control_dependencies([update]):
                tf.no_op("done")
    return at


def meta_graph():
    tf.reset_default_graph()
    at, rate = tf.placeholder(tf.float32, [None, 16], "x"), tf.constant(0.1, name="learning_rate")
    for i in range(LAYERS):
        at = add_layer(i, at, rate)
    meta = tf.train.export_meta_graph()
    name = "nodes:%d" % len(meta.graph_def.node)
    report("export_meta_graph/" + name,
           best_milliseconds(lambda: tf.train.export_meta_graph().SerializeToString(), 3))
    data = meta.SerializeToString()

    def import_it():
        read = tf.MetaGraphDef()
        read.ParseFromString(data)
        with tf.Graph().as_default():
            tf.train.import_meta_graph(read)

    report("import_meta_graph/" + name, best_milliseconds(import_it, 3))


def main():
    tf.disable_v2_behavior()
    folder = os.path.join(sys.argv[1], "tensorflow_files")
    os.makedirs(folder, exist_ok=True)
    try:
        for size in SIZES:
            checkpoint(folder, *size)
        listing(folder)
        meta_graph()
    finally:
        shutil.rmtree(folder)


main()
