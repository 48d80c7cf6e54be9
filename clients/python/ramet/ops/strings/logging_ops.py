"""Printing from a graph."""

import pprint
import random
import sys

from ramet import gen
from ramet.api import export
from ramet.framework import dtypes, nest, ops
from ramet.framework.sparse_tensor import SparseTensor
from ramet.ops.strings import string_ops

_LEVELS = ('info', 'warn', 'warning', 'error')


@export('Print')
def Print(input_, data, message=None, first_n=None, summarize=None, name=None):
    """Returns `input_`, and prints tensors when it is computed.

    Args:
      input_: a tensor.
      data: a list of tensors to print.
      message: a text to print first.
      first_n: the maximum number of times to print.
      summarize: the number of elements of each tensor to print. Defaults to 3.
      name: the name of the node.

    Returns:
      A tensor like `input_`.
    """
    return gen.Print(input_, data, message, first_n, summarize, name=name)


@export('print')
def print_v2(*inputs, **kwargs):
    """Returns an operation that prints tensors and other objects.

    Args:
      *inputs: tensors and other objects to print.
      **kwargs: `output_stream` (sys.stdout, sys.stderr, 'file://...'), `summarize` (3), `sep`,
        `end`, `name`.

    Returns:
      An Operation.

    Raises:
      ValueError: if a keyword or stream is not supported.
    """
    stream = kwargs.pop('output_stream', sys.stderr)
    name = kwargs.pop('name', None)
    summarize = kwargs.pop('summarize', 3)
    sep = kwargs.pop('sep', ' ')
    end = kwargs.pop('end', '\n')
    if kwargs:
        raise ValueError('Unrecognized keyword arguments for tf.print: %s' % kwargs)
    format_name = name + '_format' if name else None
    target = _stream_name(stream)
    if len(inputs) == 1 and _is_text(inputs[0]):
        text = inputs[0]
    else:
        mark = _free_mark(inputs)
        template, values = _template(inputs, sep, mark)
        text = string_ops.string_format(template, values, placeholder=mark, summarize=summarize,
                                        name=format_name)
    return gen.PrintV2(text, output_stream=target, name=name, end=end)


def _is_text(value):
    return (isinstance(value, ops.Tensor) and value.dtype == dtypes.string
            and value.shape.rank == 0)


def _stream_name(stream):
    if stream is sys.stdout or stream is sys.__stdout__ or stream == 'stdout':
        return 'stdout'
    if stream is sys.stderr or stream is sys.__stderr__ or stream == 'stderr':
        return 'stderr'
    if isinstance(stream, str) and stream.startswith('file://'):
        return stream
    level = getattr(stream, '__name__', None)
    if level in _LEVELS:
        return 'log(%s)' % ('warning' if level == 'warn' else level)
    raise ValueError('Unsupported output stream, logging level, or file.' + str(stream)
                     + '. Supported streams are sys.stdout, sys.stderr, tf.logging.info, '
                     'tf.logging.warning, tf.logging.error. ' + 'File needs to be in the form of '
                     "'file://<filepath>'.")


class _Place:
    """A placeholder for a tensor while a structure is formatted."""

    def __init__(self, mark):
        self.mark = mark

    def __repr__(self):
        return self.mark


def _template(inputs, sep, mark):
    parts, values = [], []
    for item in inputs:
        found = []
        shown = _with_places(item, mark, found)
        quoted = not isinstance(shown, str) or isinstance(item, SparseTensor)
        parts.append(pprint.pformat(shown) if quoted else shown)
        values.extend(found)
    return sep.join(parts), values


def _free_mark(inputs):
    """Returns '{}', or a text that does not occur in any string to print."""
    mark = '{}'
    texts = [leaf for item in inputs for leaf in nest.flatten(item)
             if isinstance(leaf, (str, bytes)) or not isinstance(leaf, ops.Tensor)]
    while any(mark in str(text) for text in texts):
        mark += str(random.randint(0, 9))
    return mark


def _with_places(item, mark, found):
    if isinstance(item, SparseTensor):
        found.extend([item.indices, item.values, item.dense_shape])
        return f'SparseTensor(indices={mark}, values={mark}, shape={mark})'
    if string_ops.tensor_like(item):
        found.append(item)
        return mark
    if isinstance(item, (dict, list, tuple)):
        def place(leaf):
            if isinstance(leaf, SparseTensor):
                return _with_places(leaf, mark, found)
            if string_ops.tensor_like(leaf):
                return _Place(_with_places(leaf, mark, found))
            return leaf
        return nest.map_structure(place, item)
    return item if isinstance(item, str) else str(item)
