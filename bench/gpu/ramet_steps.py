"""Training steps and inference of small networks in Ramet, the counterpart of jax_steps.py.

usage: ramet_steps.py [WORKLOAD...] [--seconds S] [--max-steps N]      prints a JSON object per figure

'fed' passes numpy arrays to each step, 'resident' keeps the batch in variables, on the device. RAMET_GPU chooses the
device. Each figure also has the work that one step gave to the GPU.
"""
import functools
import time

import common
import numpy as np
import ramet
import ramet.compat.v1 as tf


def variable(name, shape, fill=None):
    value = common.normal(name, shape) if fill is None else np.full(shape, fill, np.float32)
    return tf.get_variable(name, initializer=value, use_resource=False)


def cross_entropy(logits, y):
    return tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(labels=y, logits=logits))


def mlp(x):
    for i, (rows, columns) in enumerate([(784, 256), (256, 256), (256, 10)]):
        x = tf.matmul(x, variable(f"w{i}", [rows, columns])) + variable(f"b{i}", [columns], 0)
        if i < 2:
            x = tf.nn.relu(x)
    return tf.nn.softmax(x)


def mlp_loss(out, y):
    return tf.reduce_mean(-tf.reduce_sum(y * tf.log(out), axis=[1]))


def cnn(x):
    for i, (before, after) in enumerate([(1, 32), (32, 64)]):
        x = tf.nn.conv2d(x, variable(f"c{i}", [5, 5, before, after]), [1, 1, 1, 1], "SAME")
        x = tf.nn.relu(tf.nn.bias_add(x, variable(f"cb{i}", [after], 0)))
        x = tf.nn.max_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
    x = tf.nn.relu(tf.matmul(tf.reshape(x, [-1, 3136]), variable("f0", [3136, 1024])))
    return tf.matmul(x, variable("f1", [1024, 10]))


def resnet20(x):
    """ResNet-20 for CIFAR with batch normalization, which also uses the batch's moments in inference."""
    count = [0]

    def conv_bn(h, channels, size, stride, relu=True):
        number = count[0]
        count[0] += 1
        kernel = variable(f"k{number}", [size, size, int(h.shape[-1]), channels])
        h = tf.nn.conv2d(h, kernel, [1, stride, stride, 1], "SAME")
        scale, offset = variable(f"g{number}", [channels], 1), variable(f"o{number}", [channels], 0)
        h, _, _ = tf.nn.fused_batch_norm(h, scale, offset)
        return tf.nn.relu(h) if relu else h
    h = common.resnet20_blocks(x, conv_bn, tf.nn.relu)
    return tf.matmul(tf.reduce_mean(h, axis=[1, 2]), variable("fc", [64, 10]))


def encoder(h):
    """Four layers, width 128, 4 heads, 64 tokens."""
    count = [0]

    def dense(h, columns):
        count[0] += 1
        rows = int(h.shape[-1])
        product = tf.matmul(tf.reshape(h, [-1, rows]), variable(f"d{count[0]}", [rows, columns]))
        return tf.reshape(product + variable(f"db{count[0]}", [columns], 0), [-1, 64, columns])

    def norm(h):
        count[0] += 1
        mean, variance = tf.nn.moments(h, [2], keep_dims=True)
        return (h - mean) * tf.rsqrt(variance + 1e-6) * variable(f"g{count[0]}", [128], 1)

    def heads(h):
        return tf.transpose(tf.reshape(h, [-1, 64, 4, 32]), [0, 2, 1, 3])
    for _ in range(4):
        q, k, v = heads(dense(h, 128)), heads(dense(h, 128)), heads(dense(h, 128))
        a = tf.matmul(tf.nn.softmax(tf.matmul(q, k, transpose_b=True) * 0.17677669), v)
        h = norm(h + dense(tf.reshape(tf.transpose(a, [0, 2, 1, 3]), [-1, 64, 128]), 128))
        f = dense(h, 512)
        h = norm(h + dense(0.5 * f * (1.0 + tf.erf(f * 0.70710678)), 128))
    return h


def encoder_loss(out, y):
    return tf.reduce_mean(tf.square(out - y))


NETWORKS = {
    "mlp": (mlp, mlp_loss, lambda: tf.train.GradientDescentOptimizer(0.05)),
    "cnn": (cnn, cross_entropy, lambda: tf.train.AdamOptimizer(1e-4)),
    "resnet20": (resnet20, cross_entropy, lambda: tf.train.MomentumOptimizer(0.1, 0.9)),
    "encoder": (encoder, encoder_loss, lambda: tf.train.AdamOptimizer(1e-3)),
}


class Network:
    """The graph of a network with its loss and training step.

    Attributes:
      feeds: the placeholders, an empty list if the batch is resident.
      out, loss, train: tensors, and the operation of a step.
    """

    def __init__(self, workload, resident):
        network, loss, optimizer = NETWORKS[workload]
        x, y = common.batch(workload)
        if resident:
            self.feeds = []
            x, y = (tf.get_variable(name, initializer=value, trainable=False, use_resource=False)
                    for name, value in (("x", x), ("y", y)))
        else:
            x, y = self.feeds = [tf.placeholder(tf.float32, [None, *value.shape[1:]]) for value in (x, y)]
        self.out = network(x)
        self.loss = loss(self.out, y)
        self.train = optimizer().minimize(self.loss)


def work_of(run):
    """Returns the work that a run gives to the GPU, as a dict; empty without a GPU."""
    try:
        before = ramet.work_of_device()
    except tf.errors.NotFoundError:
        return {}
    run()
    work = ramet.work_of_device() - before
    return {"launches": work.launches, "in_graphs": work.launches_in_graphs, "to_device": work.copies_to_device,
            "to_host": work.copies_to_host, "bytes_to_device": work.bytes_to_device,
            "bytes_to_host": work.bytes_to_host}


def show_steps(name, run, args, **more):
    """Shows the time of the first step and of a step, and a step's work. `run` returns when its step is done."""
    start = time.perf_counter()
    run()
    first = time.perf_counter() - start
    seconds = common.best_seconds(run, lambda: None, args.seconds, args.max_steps)
    common.show(name, seconds * 1e6, "us", **{"first": first, **more}, **work_of(run))


def loss_of_steps(session, network, arrays):
    """Takes the first steps. Returns the loss after them, and the seconds of the first one."""
    feed = dict(zip(network.feeds, arrays))
    start = time.perf_counter()
    session.run(network.train, feed)
    first = time.perf_counter() - start
    for _ in range(common.LOSS_STEPS - 1):
        session.run(network.train, feed)
    return {"loss": float(session.run(network.loss, feed)), "first": first}


def measure_feeding(workload, feeding, args):
    arrays = common.batch(workload) if feeding == "fed" else ()
    count = len(common.batch(workload)[0])
    with tf.Graph().as_default(), tf.Session() as session:
        network = Network(workload, feeding == "resident")
        session.run(tf.global_variables_initializer())
        more = loss_of_steps(session, network, arrays)
        train = session.make_callable(network.train, network.feeds)
        show_steps(f"{workload}_train/{feeding}", lambda: train(*arrays), args, **more)
        if feeding == "fed":
            infer = session.make_callable(network.out, network.feeds[:1])
            for x in (arrays[0], arrays[0][:1]):
                show_steps(f"{workload}_infer_{len(x)}/fed", lambda: infer(x), args)
        else:  # the operation, not its value: nothing is fetched
            show_steps(f"{workload}_infer_{count}/resident", session.make_callable(network.out.op), args)


def measure(workload, args):
    for feeding in ("fed", "resident"):
        measure_feeding(workload, feeding, args)


if __name__ == "__main__":
    common.show("device", f"Ramet {ramet.__version__} on {tf.test.gpu_device_name() or 'the CPU'}", "")
    common.run_workloads({name: functools.partial(measure, name) for name in NETWORKS})
