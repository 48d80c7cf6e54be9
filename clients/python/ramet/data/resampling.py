"""tf.data.experimental.rejection_resample: datasets with another distribution of classes."""

import numpy as np

from ramet.api import export
from ramet.data.dataset import Dataset
from ramet.data.selection import sample_from_datasets
from ramet.framework import dtypes, ops, tensor_util
from ramet.ops.array import array_ops
from ramet.ops.control_flow.cond import cond
from ramet.ops.math import math_ops
from ramet.ops.random import random_ops
from ramet.ops.strings import logging_ops

_BATCH = 32  # how many elements are counted at a time
_SMOOTHING = 10  # how many elements of each class count as seen before the first


@export('data.experimental.rejection_resample', 'contrib.data.rejection_resample')
def rejection_resample(class_func, target_dist, initial_dist=None, seed=None):
    """Returns a transformation that drops elements at random, so that classes get a given distribution.

    Args:
      class_func: a function from an element to its class, a scalar int32 from 0 on.
      target_dist: a vector with the wanted probabilities of the classes.
      initial_dist: a vector with the probabilities of the classes in the dataset; None estimates them from the elements
        so far.
      seed: int or None.

    Returns:
      A function from a Dataset to a Dataset of pairs (class, element).
    """
    return lambda dataset: _resampled(dataset, class_func, target_dist, initial_dist, seed)


def _resampled(dataset, class_func, target_dist, initial_dist, seed):
    target = math_ops.cast(ops.convert_to_tensor(target_dist, name='target_dist'), dtypes.float32)
    initial = None
    if initial_dist is not None:
        initial = math_ops.cast(ops.convert_to_tensor(initial_dist, name='initial_dist'), dtypes.float32)
        acceptance, original = _acceptance(initial, target)
        initials, acceptances, originals = (
            Dataset.from_tensors(t).repeat() for t in (initial, acceptance, original))
    else:
        initials = _estimated(target, dataset.map(class_func))
        both = initials.map(lambda initial: _acceptance(initial, target))
        acceptances = both.map(lambda acceptance, _: acceptance)
        originals = both.map(lambda _, original: original)
    filtered = _filtered(dataset, acceptances, initials, class_func, seed).prefetch(3)

    def with_class(*element):
        return class_func(*element), element[0] if len(element) == 1 else element

    kept = None if initial is None else _static_share(initial, target)
    if kept == 1:
        return dataset.map(with_class)
    if kept == 0:
        return filtered
    return sample_from_datasets([dataset.map(with_class), filtered],
                                weights=originals.map(lambda share: [(share, 1.0 - share)]), seed=seed,
                                stop_on_empty_dataset=True)


def _static_share(initial, target):
    """Returns the share of elements that are taken unchanged, or None if it depends on a run."""
    values = [tensor_util.constant_value(t) for t in (initial, target)]
    return None if any(value is None for value in values) else np.min(values[1] / values[0])


def _acceptance(initial, target):
    """Returns (the probabilities to accept an element of each class, the share of elements taken unchanged)."""
    ratio = target / (initial + np.finfo(initial.dtype.as_numpy_dtype).tiny)
    largest, smallest = math_ops.reduce_max(ratio), math_ops.reduce_min(ratio)
    return (ratio - smallest) / (largest - smallest), smallest


def _estimated(target, class_values):
    """Returns a dataset with the distribution of the classes of the elements so far, for each element."""
    count = target.shape.as_list()[0] or array_ops.shape(target)[0]
    seen = array_ops.fill([count], np.int64(_SMOOTHING))

    def update(seen, classes):
        ones = array_ops.one_hot(classes, seen.shape.as_list()[0], dtype=dtypes.int64)
        seen = math_ops.add(seen, math_ops.reduce_sum(ones, 0))
        estimate = math_ops.cast(math_ops.truediv(seen, math_ops.reduce_sum(seen)), dtypes.float32)
        return seen, array_ops.tile(array_ops.expand_dims(estimate, 0), [_BATCH, 1])

    return class_values.batch(_BATCH).scan(seen, update).unbatch()


def _filtered(dataset, acceptances, initials, class_func, seed):
    """Returns a dataset of pairs (class, element) of the elements that are accepted."""

    def warn_if_few(acceptance, initial):
        rejected = math_ops.reduce_sum((1 - acceptance) * initial)
        return cond(math_ops.less(rejected, .5), lambda: acceptance,
                    lambda: logging_ops.Print(acceptance, [rejected, initial, acceptance], first_n=10, summarize=100,
                                              message='Proportion of examples rejected by sampler is high: '))

    def with_probability(acceptance, element):
        value = class_func(*element) if isinstance(element, tuple) else class_func(element)
        return value, array_ops.gather(acceptance, value), element

    def is_accepted(unused_class, probability, unused_element):
        return random_ops.random_uniform([], seed=seed, dtype=probability.dtype) < probability

    acceptances = Dataset.zip((acceptances, initials)).map(warn_if_few)
    labeled = Dataset.zip((acceptances, dataset)).map(with_probability)
    return labeled.filter(is_accepted).map(lambda value, _, element: (value, element))
