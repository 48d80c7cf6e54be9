"""The parts of the benchmarks of networks that all sides share: initial values, batches, timing, output.

All sides start from the same values, which numpy generates from the name of each variable, so that their outputs and
losses can be compared.
"""
import argparse
import json
import sys
import time
import traceback
import zlib

import numpy as np

WORKLOADS = ("mlp", "cnn", "resnet20", "encoder")
# The moments of batch normalization that training would have kept.
KEPT_MEAN, KEPT_VARIANCE = 0.1, 0.5
CHAIN_SCALES = (1.5, 0.75, 1.25, 0.5)
# The loss is compared after this number of steps. Later, rounding makes the trajectories of the two sides differ: where it
# changes the sign of an input of Relu, gradients of a ResNet-20 differ by 1% from those of float64, on all sides.
LOSS_STEPS = 2


def normal(name, shape, scale=0.05):
    """Returns the initial value of a weight."""
    return np.random.RandomState(zlib.crc32(name.encode())).normal(0, scale, shape).astype(np.float32)


def images(count, shape, classes=10):
    """Returns a batch of random images and their one-hot labels."""
    rng = np.random.RandomState(0)
    return rng.rand(count, *shape).astype(np.float32), np.eye(classes, dtype=np.float32)[rng.randint(0, classes, count)]


def batch(workload):
    """Returns the fed arrays of a workload: the inputs and the labels or targets."""
    if workload == "mlp":
        return images(50, (784,))
    if workload == "cnn":
        return images(50, (28, 28, 1))
    if workload.startswith("resnet20"):
        return images(32, (32, 32, 3))
    if workload == "lstm":  # the targets are zeros
        return np.random.RandomState(0).rand(32, 16, 64).astype(np.float32), np.zeros((16, 128), np.float32)
    rng = np.random.RandomState(0)
    return rng.rand(8, 64, 128).astype(np.float32), rng.rand(8, 64, 128).astype(np.float32)


def resnet20_blocks(x, conv_bn, relu):
    """Returns the features of a ResNet-20: nine blocks of two convolutions around which the input is added.

    Args:
      x: the images of a library.
      conv_bn: conv_bn(h, channels, size, stride, relu=True), a convolution with batch normalization.
      relu: the library's function.
    """
    h = conv_bn(x, 16, 3, 1)
    for stage, channels in enumerate([16, 32, 64]):
        for block in range(3):
            stride = 2 if stage and not block else 1
            z = conv_bn(conv_bn(h, channels, 3, stride), channels, 3, 1, relu=False)
            same = stride == 1 and int(h.shape[-1]) == channels
            h = relu(z + (h if same else conv_bn(h, channels, 1, stride, relu=False)))
    return h


def best_seconds(run, wait, budget, max_steps, repeats=5):
    """Returns the time of a step: the best of several repeats, each of which ends with a wait.

    Args:
      run: starts or does a step.
      wait: waits for the steps that were started.
      budget: the seconds that all repeats take together, roughly.
      max_steps: the number of steps of a repeat, at most.
      repeats: the number of repeats.
    """
    def repeat(steps):
        start = time.perf_counter()
        for _ in range(steps):
            run()
        wait()
        return (time.perf_counter() - start) / steps
    repeat(1)
    once = repeat(min(3, max_steps))  # also lets clocks and caches settle
    steps = max(1, min(max_steps, int(budget / repeats / max(once, 1e-7))))
    return min(repeat(steps) for _ in range(repeats))


def show(figure, value, unit, **more):
    print(json.dumps({"figure": figure, "value": value, "unit": unit, **more}), flush=True)


def run_workloads(functions):
    """Runs the workloads of the command line: WORKLOAD... [--seconds S] [--max-steps N].

    Args:
      functions: workload -> a function of the arguments, which shows figures.
    """
    parser = argparse.ArgumentParser()
    parser.add_argument("workloads", nargs="*")
    parser.add_argument("--seconds", type=float, default=0.6, help="the time for each figure, roughly")
    parser.add_argument("--max-steps", type=int, default=2000, help="the number of steps between two waits, at most")
    args = parser.parse_args()
    for name in args.workloads or WORKLOADS:
        show("begin", name, "")
        try:
            functions[name](args)
        except Exception:  # the other workloads are still measured
            traceback.print_exc(file=sys.stderr)
            show("failed", name, "")
