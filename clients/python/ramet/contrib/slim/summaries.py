"""tf.contrib.slim.summaries: summaries of many tensors at once."""

from ramet.api import export
from ramet.framework import ops
from ramet.ops.nn import nn_activation
from ramet.ops.strings import logging_ops
from ramet.summary import summary


def _name(tensor, name, prefix):
    name = name or tensor.op.name
    return f'{prefix}/{name}' if prefix else name


def _summary(make, tensor, name, prefix, print_summary):
    summary_name = _name(tensor, name, prefix)
    # The summary must not be in the collection twice if it is printed.
    op = make(summary_name, tensor)
    if print_summary:
        op = logging_ops.Print(op, [tensor], summary_name)
    ops.add_to_collection(ops.GraphKeys.SUMMARIES, op)
    return op


@export('contrib.slim.summaries.add_scalar_summary')
def add_scalar_summary(tensor, name=None, prefix=None, print_summary=False):
    """Adds a summary of a number.

    Args:
      tensor: a real scalar.
      name: the name of the summary. Defaults to that of the tensor.
      prefix: a prefix of the name.
      print_summary: whether to print the number too.

    Returns:
      The summary, a string scalar.
    """
    return _summary(lambda name, t: summary.scalar(name, t, collections=[]), tensor, name,
                    prefix, print_summary)


@export('contrib.slim.summaries.add_histogram_summary')
def add_histogram_summary(tensor, name=None, prefix=None):
    """Adds a histogram.

    Args:
      tensor: a real tensor.
      name: the name of the summary. Defaults to that of the tensor.
      prefix: a prefix of the name.

    Returns:
      The summary, a string scalar.
    """
    return summary.histogram(_name(tensor, name, prefix), tensor)


@export('contrib.slim.summaries.add_image_summary')
def add_image_summary(tensor, name=None, prefix=None, print_summary=False):
    """Adds a summary of images.

    Args:
      tensor: a tensor [batch, height, width, channels].
      name: the name of the summary. Defaults to that of the tensor.
      prefix: a prefix of the name.
      print_summary: whether to print the images' values too.

    Returns:
      The summary, a string scalar.
    """
    return _summary(lambda name, t: summary.image(name, t, collections=[]), tensor, name,
                    prefix, print_summary)


@export('contrib.slim.summaries.add_zero_fraction_summary')
def add_zero_fraction_summary(tensor, name=None, prefix=None, print_summary=False):
    """Adds a summary of the fraction of zeros.

    Args:
      tensor: a tensor.
      name: the name of the summary. Defaults to that of the tensor.
      prefix: a prefix of the name.
      print_summary: whether to print the fraction too.

    Returns:
      The summary, a string scalar.
    """
    name = _name(tensor, name, prefix or 'Fraction of Zero Values')
    return add_scalar_summary(nn_activation.zero_fraction(tensor), name, None, print_summary)


@export('contrib.slim.summaries.add_scalar_summaries')
def add_scalar_summaries(tensors, prefix=None):
    """Adds a summary of each number.

    Args:
      tensors: a list of real scalars.
      prefix: a prefix of the names.

    Returns:
      The summaries, a list.
    """
    return [add_scalar_summary(tensor, prefix=prefix) for tensor in tensors]


@export('contrib.slim.summaries.add_histogram_summaries')
def add_histogram_summaries(tensors, prefix=None):
    """Adds a histogram of each tensor.

    Args:
      tensors: a list of real tensors.
      prefix: a prefix of the names.

    Returns:
      The summaries, a list.
    """
    return [add_histogram_summary(tensor, prefix=prefix) for tensor in tensors]


@export('contrib.slim.summaries.add_image_summaries')
def add_image_summaries(tensors, prefix=None):
    """Adds a summary of each tensor of images.

    Args:
      tensors: a list of tensors [batch, height, width, channels].
      prefix: a prefix of the names.

    Returns:
      The summaries, a list.
    """
    return [add_image_summary(tensor, prefix=prefix) for tensor in tensors]


@export('contrib.slim.summaries.add_zero_fraction_summaries')
def add_zero_fraction_summaries(tensors, prefix=None):
    """Adds a summary of the fraction of zeros of each tensor.

    Args:
      tensors: a list of tensors.
      prefix: a prefix of the names.

    Returns:
      The summaries, a list.
    """
    return [add_zero_fraction_summary(tensor, prefix=prefix) for tensor in tensors]
