"""Writes tests/data/resource_layout.txt: the nodes that TensorFlow makes for resource variables and for optimizers
on them. Run from the source root with a Python that has TensorFlow."""

import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()

OPTIMIZERS = {
    "GradientDescent": lambda: tf.train.GradientDescentOptimizer(0.5),
    "Momentum": lambda: tf.train.MomentumOptimizer(0.5, 0.9),
    "Adam": lambda: tf.train.AdamOptimizer(0.5),
    "Adagrad": lambda: tf.train.AdagradOptimizer(0.5),
    "RMSProp": lambda: tf.train.RMSPropOptimizer(0.5),
    "CenteredRMSProp": lambda: tf.train.RMSPropOptimizer(0.5, centered=True),
}


def build(optimizer, sparse):
    with tf.variable_scope("a", use_resource=True):
        w = tf.get_variable("w", [4, 3], initializer=tf.zeros_initializer())
    b = tf.Variable([1.0, 2.0, 3.0], name="b", use_resource=True)
    step = tf.get_variable("global_step", shape=[], dtype=tf.int64, trainable=False, use_resource=True,
                           initializer=tf.zeros_initializer())
    x = tf.placeholder(tf.float32, [None, 4], name="x")
    if sparse:
        ids = tf.placeholder(tf.int32, [None], name="ids")
        y = tf.raw_ops.ResourceGather(resource=w.handle, indices=ids, dtype=tf.float32, name="rows")
    else:
        y = tf.matmul(x, w) + b
    loss = tf.reduce_sum(y, name="loss")
    twice = w * 2.0  # pylint: disable=unused-variable
    optimizer().minimize(loss, global_step=step)


def line(op):
    groups = op.get_attr("_class") if "_class" in op.node_def.attr else []
    parts = [op.name, op.type] + [i.name for i in op.inputs] + ["^" + c.name for c in op.control_inputs]
    return " ".join(parts + sorted(g.decode() for g in groups))


def main():
    with open("tests/data/resource_layout.txt", "w") as out:
        for name, optimizer in OPTIMIZERS.items():
            for sparse in (False, True):
                with tf.Graph().as_default() as graph:
                    build(optimizer, sparse)
                    print("#", name, "sparse" if sparse else "dense", file=out)
                    for op in graph.get_operations():
                        if not op.name.startswith("gradients/") or "rows_grad" in op.name:
                            print(line(op), file=out)


main()
