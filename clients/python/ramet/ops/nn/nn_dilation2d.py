"""Grayscale dilation and erosion of images, and nth_element."""

from ramet import gen
from ramet.api import export
from ramet.framework import ops
from ramet.ops.array.array_basics import one_of


@export('nn.dilation2d')
def dilation2d(input, filter=None, strides=None, rates=None, padding=None, name=None, filters=None,
               dilations=None):
    """Returns the maximum of pixel plus filter at each position of a filter on images.

    Args:
      input: a tensor [batch, height, width, depth] of real numbers.
      filter: a tensor [height, width, depth] of the same dtype.
      strides: [1, height, width, 1], the distance between positions of the filter.
      rates: [1, height, width, 1], the distance between its elements.
      padding: 'SAME' or 'VALID'.
      name: the name of the operation.
      filters: another name of `filter`.
      dilations: another name of `rates`.

    Returns:
      A tensor [batch, height, width, depth].
    """
    filter = one_of('filters', filters, 'filter', filter, None)
    rates = one_of('dilations', dilations, 'rates', rates, None)
    return gen.Dilation2D(input, filter, strides, rates, padding, name=name)


@export('nn.erosion2d')
def erosion2d(value, kernel, strides, rates, padding, name=None):
    """Returns the minimum of pixel minus kernel at each position of a kernel on images.

    Args:
      value: a tensor [batch, height, width, depth] of real numbers.
      kernel: a tensor [height, width, depth] of the same dtype, rotated by 180 degrees.
      strides: [1, height, width, 1], the distance between positions of the kernel.
      rates: [1, height, width, 1], the distance between its elements.
      padding: 'SAME' or 'VALID'.
      name: the name of the operation.

    Returns:
      A tensor [batch, height, width, depth].
    """
    with ops.name_scope(name, 'erosion2d', [value, kernel]) as scope:
        negated = gen.Neg(value)
        turned = gen.ReverseV2(kernel, [0, 1])
        return gen.Neg(gen.Dilation2D(negated, turned, strides, rates, padding, name=scope))


@export('contrib.nn.nth_element')
def nth_element(input, n, reverse=False, name=None):
    """Returns the element of each row that would be at position `n` if the row were sorted.

    Args:
      input: a tensor [..., size] of real numbers.
      n: a scalar of int32.
      reverse: whether to sort in descending order.
      name: the name of the operation.

    Returns:
      A tensor [...].
    """
    return gen.NthElement(input, n, reverse=reverse, name=name)
