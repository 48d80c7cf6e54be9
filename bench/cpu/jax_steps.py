"""One job of bench/cpu in JAX, jitted.

usage: jax_steps.py JOB --threads N --values FILE [--seconds S]

Batches are passed as numpy arrays and results of inference are numpy arrays, as in a session. run.py sets the number
of threads of XLA.
"""
import functools

import jax
import jax.numpy as jnp
import measuring
import numpy as np
from jax_networks import Trainer, chain, smooth_chain, tiny_ops
from measuring import common, inputs_of, rows_of

CHAINS = {"chain": chain, "smooth_chain": smooth_chain}


def train(job, args):
    arrays = inputs_of(job)
    trainer = Trainer(job.workload)
    losses = []
    for _ in range(common.LOSS_STEPS):
        losses.append(trainer.loss(trainer.values, *arrays))
        trainer.step(*arrays)
    losses.append(trainer.loss(trainer.values, *arrays))
    measuring.check_values(args.values, {"losses": [float(loss) for loss in losses]})
    measuring.measure(args, job.name, lambda: trainer.step(*arrays), trainer.wait)


def infer(job, args):
    x, _ = inputs_of(job)
    if job.workload == "tiny_ops":
        apply = jax.jit(tiny_ops)
    else:
        trainer = Trainer(job.workload)
        apply = functools.partial(trainer.apply, trainer.values)
    rows = dict(rows_of(job, x))
    measuring.check_values(args.values, {name: np.asarray(apply(part)) for name, part in rows.items()})
    for name, part in rows.items():
        measuring.measure(args, name, lambda: np.asarray(apply(part)))


def chain_of(job, args):
    function = CHAINS[job.workload]
    apply = jax.jit(jax.grad(lambda x: jnp.mean(function(x))) if job.kind == "gradient" else function)
    x = jax.device_put(inputs_of(job)[0])
    measuring.check_values(args.values, {job.name: np.asarray(apply(x))[::997]})
    measuring.measure(args, job.name, lambda: apply(x).block_until_ready())


if __name__ == "__main__":
    arguments = measuring.arguments()
    {"train": train, "infer": infer}.get(arguments.job.kind, chain_of)(arguments.job, arguments)
