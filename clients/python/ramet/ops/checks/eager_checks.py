"""The error messages of tf.assert_* while operations run eagerly."""

import numpy as np

from ramet.framework import errors, ops
from ramet.ops.math import math_reduce


def name_of(tensor):
    """Returns how a message names a tensor: by its name, or by its shape and dtype if it has none.

    Args:
      tensor: a Tensor.
    """
    return f'shape={tensor.shape} dtype={tensor.dtype.name}' if tensor._is_eager else tensor.name


def check(sign, x, y, test, arguments):
    """Raises InvalidArgumentError unless a comparison holds for all elements.

    Args:
      sign: the sign of the comparison.
      x: a Tensor.
      y: a Tensor.
      test: the bool Tensor of the comparison of their elements.
      arguments: the pair (data, summarize) of the assertion, and its message.
    """
    if math_reduce.reduce_all(test):
        return
    data, summarize, message = arguments
    summarize = 3 if summarize is None else int(1e9) if summarize < 0 else summarize
    if data is None:
        data = _data(sign, x, y, summarize, test.numpy())
    lines = [*([] if message is None else [message]), *data]
    raise errors.InvalidArgumentError(
        node_def=None, op=None, message='\n'.join(_shown(line, summarize) for line in lines))


def _shown(value, summarize):
    if isinstance(value, ops.Tensor):
        array = value.numpy()
        return str(array if np.isscalar(array) else array[:summarize])
    return str(value)


def _data(sign, x, y, summarize, holds):
    data = [f'Condition x {sign} y did not hold.']
    x, y = np.asarray(x.numpy()), np.asarray(y.numpy())
    if summarize > 0:
        if x.shape == y.shape and x.shape:
            where = np.argwhere(~holds)
            count = min(summarize, len(where))
            data += [f'Indices of first {count} different values:', where[:count], 'Corresponding x values:',
                     x[~holds][:count], 'Corresponding y values:', y[~holds][:count]]
        for name, values in (('x', x.reshape(-1)), ('y', y.reshape(-1))):
            count = min(values.size, summarize)
            data += [f'First {count} elements of {name}:', values[:count]]
    return data
