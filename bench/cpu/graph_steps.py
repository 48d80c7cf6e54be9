"""One job of bench/cpu as a TensorFlow 1 graph.

usage: graph_steps.py PACKAGE JOB --threads N --values FILE [--seconds S]

PACKAGE is tensorflow.compat.v1 or ramet.compat.v1. Each figure is measured through Session.make_callable and, as
"session_run", through Session.run with a feed dict.
"""
import importlib
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import measuring
from graph_networks import Networks
from measuring import common, inputs_of, rows_of


def placeholders(tf, job, arrays):
    """Returns the placeholders of a job. The batch is left open unless the graph depends on it."""
    open_batch = job.workload not in ("lstm", "tiny_ops")
    return [tf.placeholder(tf.float32, [None, *a.shape[1:]] if open_batch else a.shape) for a in arrays
            if a is not None]


def train(tf, job, session_of, args):
    x, y = inputs_of(job)
    feeds = placeholders(tf, job, (x, y))
    _, loss, step = Networks(tf).trained(job.workload, *feeds)
    feed_dict = dict(zip(feeds, (x, y)))
    with session_of() as session:
        losses = []
        for _ in range(common.LOSS_STEPS):
            losses.append(session.run(loss, feed_dict))
            session.run(step, feed_dict)
        measuring.check_values(args.values, {"losses": [*losses, session.run(loss, feed_dict)]})
        call = session.make_callable(step, feeds)
        measuring.measure(args, job.name, lambda: call(x, y), session_run=lambda: session.run(step, feed_dict))


def infer(tf, job, session_of, args):
    inputs, _ = inputs_of(job)
    x, = placeholders(tf, job, (inputs,))
    if job.workload == "resnet20_frozen":
        out = Networks(tf).resnet20(x, frozen=True)
    else:
        out = getattr(Networks(tf), job.workload)(x)
    with session_of() as session:
        rows = dict(rows_of(job, inputs))
        measuring.check_values(args.values, {name: session.run(out, {x: part}) for name, part in rows.items()})
        call = session.make_callable(out, [x])
        for name, part in rows.items():
            measuring.measure(args, name, lambda: call(part), session_run=lambda: session.run(out, {x: part}))


def chain(tf, job, session_of, args):
    """The array is in a variable and the result is not fetched, so that no copy to numpy is measured."""
    x = tf.get_variable("x", initializer=inputs_of(job)[0], use_resource=False)
    out = getattr(Networks(tf), job.workload)(x)
    if job.kind == "gradient":
        out, = tf.gradients(tf.reduce_mean(out), x)
    with session_of() as session:
        measuring.check_values(args.values, {job.name: session.run(out)[::997]})
        measuring.measure(args, job.name, session.make_callable(out.op), session_run=lambda: session.run(out.op))


def main():
    args = measuring.arguments("package")
    tf = importlib.import_module(args.package)
    tf.disable_v2_behavior()
    tf.logging.set_verbosity(tf.logging.ERROR)
    config = tf.ConfigProto(intra_op_parallelism_threads=args.threads, inter_op_parallelism_threads=args.threads)

    def session_of():
        session = tf.Session(config=config)
        session.run(tf.global_variables_initializer())
        return session
    {"train": train, "infer": infer}.get(args.job.kind, chain)(tf, args.job, session_of, args)


main()
