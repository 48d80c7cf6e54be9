"""Shapes of samples."""

import hashlib

import numpy as np

from ramet.framework import ops, tensor_shape, tensor_util
from ramet.ops.array import array_ops
from ramet.ops.math import math_ops


def gen_new_seed(seed, salt):
    """Returns a seed for a second draw, or None if there is no seed.

    Args:
      seed: an integer or None.
      salt: a text that differs between draws.
    """
    if seed is None:
        return None
    return int(hashlib.md5(f'{seed}{salt}'.encode()).hexdigest()[:8], 16) & 0x7FFFFFFF


def pick_vector(condition, true_vector, false_vector, name='pick_vector'):
    """Returns one of two vectors.

    Args:
      condition: a bool scalar.
      true_vector: a vector.
      false_vector: a vector of the same dtype.
      name: the name of the scope.
    """
    with ops.name_scope(name, values=(condition, true_vector, false_vector)):
        condition = ops.convert_to_tensor(condition, name='cond')
        known = tensor_util.constant_value(condition)
        if known is not None:
            return true_vector if known else false_vector
        true_vector = ops.convert_to_tensor(true_vector, name='true_vector')
        false_vector = ops.convert_to_tensor(false_vector, name='false_vector')
        length = array_ops.shape(true_vector)[0]
        return array_ops.slice(
            array_ops.concat([true_vector, false_vector], 0),
            [array_ops.where_v2(condition, 0, length)], [array_ops.where(condition, length, -1)])


def as_vector(shape, name):
    """Returns (shape as a vector, its product).

    Args:
      shape: an int32 scalar or vector.
      name: the name of the constant for a known scalar.

    Raises:
      ValueError: if shape is known to have more dimensions.
    """
    known = tensor_util.constant_value(shape)
    kind = shape.dtype.as_numpy_dtype
    product = math_ops.reduce_prod(shape) if known is None else np.prod(known, dtype=kind)
    rank = shape.get_shape().ndims
    if rank is None:
        is_scalar = math_ops.equal(array_ops.rank(shape), 0)
        return array_ops.reshape(
            shape, pick_vector(is_scalar, np.array([1], np.int32), array_ops.shape(shape))), product
    if rank == 0:
        if known is not None:
            return ops.convert_to_tensor(np.array([known], kind), name=name), product
        return array_ops.reshape(shape, [1]), product
    if rank != 1:
        raise ValueError('Input is neither scalar nor vector.')
    return shape, product


def set_sample_shape(samples, sample_shape, batch_shape, event_shape):
    """Sets the static shape of samples as far as it is known, and returns them.

    Args:
      samples: a Tensor.
      sample_shape: an int32 vector.
      batch_shape: a TensorShape.
      event_shape: a TensorShape.
    """
    parts = [tensor_shape.TensorShape(tensor_util.constant_value(sample_shape)), batch_shape, event_shape]
    ranks = [part.ndims for part in parts]
    total = samples.get_shape().ndims
    if total is not None and ranks.count(None) == 1:
        ranks[ranks.index(None)] = total - sum(rank for rank in ranks if rank is not None)
    if None not in ranks:
        known = tensor_shape.TensorShape([])
        for part, rank in zip(parts, ranks):
            known = known.concatenate(part if part.ndims is not None else [None] * rank)
        samples.set_shape(known)
    return samples
