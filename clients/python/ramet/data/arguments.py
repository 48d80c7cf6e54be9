"""Arguments of dataset ops as tensors."""

from ramet import gen
from ramet.framework import constant_op, dtypes, ops, random_seed

AUTOTUNE = -1


def int64(value, name):
    """Returns a number as a scalar int64 Tensor."""
    return ops.convert_to_tensor(value, dtype=dtypes.int64, name=name)


def boolean(value, name):
    """Returns a truth value as a scalar bool Tensor."""
    return ops.convert_to_tensor(value, dtype=dtypes.bool, name=name)


def string(value, name):
    """Returns a string, or several, as a Tensor. None means ""."""
    return ops.convert_to_tensor('' if value is None else value, dtype=dtypes.string, name=name)


def deterministic(value):
    """Returns the attr `deterministic` for True, False or None."""
    return 'default' if value is None else str(bool(value)).lower()


def seeds(seed):
    """Returns the two seeds of a dataset op as int64 Tensors.

    Args:
      seed: int, an int64 Tensor, or None for random seeds, unless the graph has one.
    """
    seed, seed2 = random_seed.get_seed(seed) if not hasattr(seed, 'op') else (seed, 0)
    first = int64(0 if seed is None else seed, 'seed')
    if seed2 is None:
        return first, int64(0, 'seed2')
    with ops.name_scope('seed2') as scope:
        second = int64(seed2, None)
        zero = gen.LogicalAnd(gen.Equal(first, int64(0, None)), gen.Equal(second, int64(0, None)))
        largest = constant_op.constant(2**31 - 1, dtypes.int64)
        return first, gen.SelectV2(zero, largest, second, name=scope)
