"""Summaries of tensors and activations."""

import re

from ramet.api import export
from ramet.framework import dtypes, ops
from ramet.ops.math import math_ops
from ramet.ops.nn import nn_activation
from ramet.summary import summary as summary_lib


@export('contrib.layers.summarize_tensor')
def summarize_tensor(tensor, tag=None):
    """Adds a summary of a tensor: its value if it is a scalar, and a histogram otherwise.

    Args:
      tensor: a real tensor.
      tag: the name of the summary. Defaults to that of the operation.

    Returns:
      The summary, a string scalar, or None if there is one with this name already.
    """
    tag = tag or tensor.op.name.replace(':', '_')
    known = {op.op.name for op in ops.get_collection(ops.GraphKeys.SUMMARIES)}
    if tag in known:
        return None
    if tensor.get_shape().ndims == 0:
        return summary_lib.scalar(tag, tensor)
    return summary_lib.histogram(tag, tensor)


@export('contrib.layers.summarize_activation')
def summarize_activation(op):
    """Adds a histogram of a layer's output, and the fraction of zeros after ReLU and similar functions.

    Args:
      op: a tensor.

    Returns:
      The summary of the values, a string scalar.
    """
    if op.op.type in ('Relu', 'Softplus', 'Relu6'):
        summary_lib.scalar(op.op.name + '/zeros', nn_activation.zero_fraction(op))
    if op.op.type == 'Relu6':
        summary_lib.scalar(op.op.name + '/sixes', math_ops.reduce_mean(
            math_ops.cast(math_ops.equal(op, 6.), dtypes.float32)))
    return summary_lib.histogram(op.op.name + '/activations', op)


@export('contrib.layers.summarize_tensors')
def summarize_tensors(tensors, summarizer=summarize_tensor):
    """Adds a summary of each tensor.

    Args:
      tensors: a list of tensors.
      summarizer: a function from a tensor to a summary.

    Returns:
      The summaries, a list.
    """
    return [summarizer(tensor) for tensor in tensors]


@export('contrib.layers.summarize_collection')
def summarize_collection(collection, name_filter=None, summarizer=summarize_tensor):
    """Adds a summary of each tensor of a collection.

    Args:
      collection: the key of the collection.
      name_filter: a regular expression that the start of the names must match, or None.
      summarizer: a function from a tensor to a summary.

    Returns:
      The summaries, a list.
    """
    tensors = [t for t in ops.get_collection(collection)
               if name_filter is None or re.match(name_filter, t.op.name)]
    return summarize_tensors(tensors, summarizer)


@export('contrib.layers.summarize_activations')
def summarize_activations(name_filter=None, summarizer=summarize_activation):
    """Adds a summary of each tensor in the collection "activations".

    Args:
      name_filter: a regular expression that the start of the names must match, or None.
      summarizer: a function from a tensor to a summary.

    Returns:
      The summaries, a list.
    """
    return summarize_collection(ops.GraphKeys.ACTIVATIONS, name_filter, summarizer)
