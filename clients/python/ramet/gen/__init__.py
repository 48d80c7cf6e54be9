"""The op wrappers, such as `gen.MatMul(a, b)`, created on demand from the C++ library's registry.

The arguments are those of TensorFlow's generated wrappers: the inputs in order, then the attrs that
the inputs do not determine (those without a default first), then `name`.
"""

from ramet import _core
from ramet.api import UnavailableError

# Arguments whose names differ between the wrapper and the op (from TensorFlow's api_def files).
RENAMED = {
    **{
        op: {'reduction_indices': 'axis'}
        for op in ('All', 'Any', 'EuclideanNorm', 'Max', 'Mean', 'Min', 'Prod', 'Sum')
    },
    'ExpandDims': {'dim': 'axis'},
    'Select': {'t': 'x', 'e': 'y'},
    'Split': {'split_dim': 'axis'},
    'SplitV': {'split_dim': 'axis'},
    'Squeeze': {'squeeze_dims': 'axis'},
    'Where': {'input': 'condition'},
}
_raw = {}
_endpoints = {}


def _absent(op_type):
    def call(*args, **kwargs):
        raise UnavailableError(
            f'TensorFlow has the op {op_type}, but Ramet does not have it (`ramet ops` lists the ops '
            'that it has)'
        )

    call.__name__ = call.__qualname__ = op_type
    return call


def endpoint(op_type, name, renames=(), keyword_only=False):
    """Returns the wrapper of an op under a public name, with renamed arguments. Copies of it are the same object.

    Args:
      op_type: the op, such as "Sin".
      name: the __name__ of the function.
      renames: {argument of the op: argument of the function}, in addition to those of raw_ops.
      keyword_only: whether to reject positional arguments.

    Returns:
      A callable. If Ramet does not have the op, calling it raises an error.
    """
    renames = {**RENAMED.get(op_type, {}), **dict(renames)}
    key = op_type, name, keyword_only, tuple(sorted(renames.items()))
    if key not in _endpoints:
        made = _core.op_function(op_type, name, keyword_only, renames)
        _endpoints[key] = _absent(op_type) if made is None else made
    return _endpoints[key]


def raw(op_type):
    """Implements tf.raw_ops.X: like gen.X, but only with keyword arguments."""
    if op_type not in _raw:
        _raw[op_type] = endpoint(op_type, op_type, keyword_only=True)
    return _raw[op_type]


def __getattr__(op_type):
    if op_type.startswith('_') or not op_type[:1].isupper():
        raise AttributeError(f'module {__name__!r} has no attribute {op_type!r}')
    globals()[op_type] = made = endpoint(op_type, op_type)
    return made


def __dir__():
    return sorted(_core.registered_ops())
