"""tf.gradients, which adds the nodes that compute derivatives."""

import enum

from ramet import _core
from ramet.api import export
from ramet.framework import graph_only, ops
from ramet.framework.indexed_slices import IndexedSlices
from ramet.ops.array import array_ops


@export('UnconnectedGradients')
class UnconnectedGradients(enum.Enum):
    """The gradient of an x that no y depends on: NONE, or ZERO for zeros."""

    NONE = 'none'
    ZERO = 'zero'


@export('AggregationMethod')
class AggregationMethod:
    """How several contributions to a gradient are added.

    ADD_N (and DEFAULT) use one AddN for all. EXPERIMENTAL_TREE and EXPERIMENTAL_ACCUMULATE_N add them
    in pairs, which releases their memory earlier.
    """

    ADD_N = 0
    DEFAULT = ADD_N
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2


def _as_list(value):
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _target(value, name):
    """Returns the tensor that represents a y or an x: for a variable, its reference or handle."""
    if isinstance(value, ops.Tensor):
        return value
    try:
        if isinstance(value.handle, ops.Tensor):
            return value.handle
    except (AttributeError, NotImplementedError):
        pass
    return ops.convert_to_tensor(value, name=name, as_ref=True)


def _initial(grad_y, y, index):
    """Converts a given gradient for the core: None, a Tensor or the parts of IndexedSlices."""
    if grad_y is None:
        if y.dtype.is_complex:
            raise TypeError(f'Gradients of complex tensors ({y}) must set grad_ys '
                            f'(y.dtype = {y.dtype.name})')
        return None
    if isinstance(grad_y, IndexedSlices):
        return grad_y.values, grad_y.indices, grad_y.dense_shape
    return ops.convert_to_tensor(grad_y, name=f'grad_y_{index}')


def _result(gradient):
    return IndexedSlices(*gradient) if isinstance(gradient, tuple) else gradient


def _checked_aggregation(method):
    method = AggregationMethod.DEFAULT if method is None else method
    if method not in (0, 1, 2):
        raise ValueError(f'Invalid `aggregation_method` specified {method}. '
                         'Accepted values are [0, 1, 2].')
    return method


def _checked_unconnected(value):
    try:
        return UnconnectedGradients(value) == UnconnectedGradients.ZERO
    except ValueError:
        raise ValueError(f"Unknown value for unconnected_gradients: '{value}'") from None


@export('gradients')
@graph_only.needs_graph('tf.gradients is not supported when eager execution is enabled. Use tf.GradientTape instead.')
def gradients(ys, xs, grad_ys=None, name='gradients', colocate_gradients_with_ops=False,
              gate_gradients=False, aggregation_method=None, stop_gradients=None,
              unconnected_gradients=UnconnectedGradients.NONE):
    """Adds the nodes that compute the derivatives of the sum of ys with respect to each x.

    Args:
      ys: a Tensor or a list of them.
      xs: a Tensor or Variable, or a list of them.
      grad_ys: for each y, the derivative to start from. Defaults to ones.
      name: the name of the scope of the nodes.
      colocate_gradients_with_ops: whether to place gradients on the devices of their ops.
      gate_gradients: whether all gradients of an op wait for each other.
      aggregation_method: one of tf.AggregationMethod.
      stop_gradients: tensors that are treated as constants.
      unconnected_gradients: the gradient of an x that no y depends on.

    Returns:
      A list with a Tensor, IndexedSlices or None for each x.

    Raises:
      LookupError: if an op between ys and xs has no gradient.
      ValueError: if an argument is malformed, or a gradient does not match.
      TypeError: if a y is complex and has no entry in grad_ys.
    """
    zeros = _checked_unconnected(unconnected_gradients)
    aggregation = _checked_aggregation(aggregation_method)
    ys, xs = _as_list(ys), _as_list(xs)
    stops = [] if stop_gradients is None else _as_list(stop_gradients)
    grad_ys = [None] * len(ys) if grad_ys is None else _as_list(grad_ys)
    with ops.name_scope(name, 'gradients', ys + xs + stops + grad_ys) as scope:
        ys = [_target(y, f'y_{i}') for i, y in enumerate(ys)]
        xs = [_target(x, f'x_{i}') for i, x in enumerate(xs)]
        stops = [_target(stop, f'stop_{i}') for i, stop in enumerate(stops)]
        if len(grad_ys) != len(ys):
            raise ValueError(
                f'Length mismatch. Passed {len(grad_ys)} grad_ys for {len(ys)} ys')
        initial = [_initial(g, y, i) for i, (g, y) in enumerate(zip(grad_ys, ys))]
    if not ys or not xs:
        return _without_nodes(xs, zeros)
    found = _core.gradients(ys, xs, initial, scope, colocate_gradients_with_ops,
                            gate_gradients, aggregation, stops, zeros)
    return [_result(gradient) for gradient in found]


def _without_nodes(xs, zeros):
    if not zeros:
        return [None] * len(xs)
    return [array_ops.zeros_like(x) for x in xs]
