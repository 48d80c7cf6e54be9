"""Training steps and inference of small networks in Ramet, the counterpart of jax_steps.py.

usage: ramet_steps.py [WORKLOAD...] [--seconds S] [--max-steps N]      prints a JSON object per figure

'fed' passes numpy arrays to each step, 'resident' keeps the batch in variables, on the device. RAMET_GPU chooses the
device. Each figure also has the work that one step gave to the GPU.
"""
import functools
import os
import sys
import time

import ramet
import ramet.compat.v1 as tf

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "networks"))
import common
from graph_networks import Networks


class Network:
    """The graph of a network with its loss and training step.

    Attributes:
      feeds: the placeholders, an empty list if the batch is resident.
      out, loss, train: tensors, and the operation of a step.
    """

    def __init__(self, workload, resident):
        x, y = common.batch(workload)
        if resident:
            self.feeds = []
            x, y = (tf.get_variable(name, initializer=value, trainable=False, use_resource=False)
                    for name, value in (("x", x), ("y", y)))
        else:
            x, y = self.feeds = [tf.placeholder(tf.float32, [None, *value.shape[1:]]) for value in (x, y)]
        self.out, self.loss, self.train = Networks(tf).trained(workload, x, y)


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


def waiting(session):
    """Returns a function that waits for the steps that were started: it fetches the smallest variable."""
    return session.make_callable(min(tf.global_variables(), key=lambda v: v.shape.num_elements()))


def show_steps(name, run, wait, args, **more):
    """Shows the time of the first step and of a step, and a step's work. `wait` waits for the steps that `run` starts."""
    start = time.perf_counter()
    run()
    wait()
    first = time.perf_counter() - start
    seconds = common.best_seconds(run, wait, args.seconds, args.max_steps)
    common.show(name, seconds * 1e6, "us", **{"first": first, **more}, **work_of(run))


def loss_of_steps(session, network, wait, arrays):
    """Takes the first steps. Returns the loss after them, and the seconds of the first one."""
    feed = dict(zip(network.feeds, arrays))
    start = time.perf_counter()
    session.run(network.train, feed)
    wait()
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
        wait = waiting(session)
        more = loss_of_steps(session, network, wait, arrays)
        train = session.make_callable(network.train, network.feeds)
        show_steps(f"{workload}_train/{feeding}", lambda: train(*arrays), wait, args, **more)
        if feeding == "fed":
            infer = session.make_callable(network.out, network.feeds[:1])
            for x in (arrays[0], arrays[0][:1]):
                show_steps(f"{workload}_infer_{len(x)}/fed", lambda: infer(x), wait, args)
        else:  # the operation, not its value: nothing is fetched
            show_steps(f"{workload}_infer_{count}/resident", session.make_callable(network.out.op), wait, args)


def measure(workload, args):
    for feeding in ("fed", "resident"):
        measure_feeding(workload, feeding, args)


if __name__ == "__main__":
    common.show("device", f"Ramet {ramet.__version__} on {tf.test.gpu_device_name() or 'the CPU'}", "")
    common.run_workloads({name: functools.partial(measure, name) for name in common.WORKLOADS})
