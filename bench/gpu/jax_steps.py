"""Training steps and inference of small networks in JAX, the counterpart of ramet_steps.py.

usage: jax_steps.py [WORKLOAD...] [--seconds S] [--max-steps N]      prints a JSON object per figure

'fed' passes numpy arrays to each step, 'resident' passes arrays that are on the device.
"""
import functools
import os
import sys
import time

import jax
import numpy as np

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "networks"))
import common
from jax_networks import Trainer


def training(name, trainer, arrays, args):
    """Shows the loss after some steps, the time of the first step and of a step."""
    trainer.restart()
    start = time.perf_counter()
    trainer.step(*arrays)
    trainer.wait()
    first = time.perf_counter() - start
    for _ in range(common.LOSS_STEPS - 1):
        trainer.step(*arrays)
    loss = float(trainer.loss(trainer.values, *arrays))
    seconds = common.best_seconds(lambda: trainer.step(*arrays), trainer.wait, args.seconds, args.max_steps)
    common.show(name, seconds * 1e6, "us", first=first, loss=loss)


def inference(name, trainer, x, args, fetch):
    """Shows the time of an inference. With `fetch`, its result is copied to the host."""
    last = [None]

    def run():
        last[0] = trainer.apply(trainer.values, x)
        if fetch:
            last[0] = np.asarray(last[0])
    start = time.perf_counter()
    run()
    jax.block_until_ready(last[0])
    first = time.perf_counter() - start
    seconds = common.best_seconds(run, lambda: jax.block_until_ready(last[0]), args.seconds, args.max_steps)
    common.show(name, seconds * 1e6, "us", first=first)


def measure(workload, args):
    x, y = common.batch(workload)
    trainer = Trainer(workload)
    training(f"{workload}_train/fed", trainer, (x, y), args)
    inference(f"{workload}_infer_{len(x)}/fed", trainer, x, args, fetch=True)
    inference(f"{workload}_infer_1/fed", trainer, x[:1], args, fetch=True)
    training(f"{workload}_train/resident", trainer, jax.device_put((x, y)), args)
    inference(f"{workload}_infer_{len(x)}/resident", trainer, jax.device_put(x), args, fetch=False)


if __name__ == "__main__":
    common.show("device", f"JAX {jax.__version__} on {jax.devices()[0].device_kind}", "")
    common.run_workloads({name: functools.partial(measure, name) for name in common.WORKLOADS})
