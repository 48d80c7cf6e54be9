"""The op wrappers: `gen.MatMul(a, b)`, made from the registry of the C++ library when asked for.

Arguments are those of TensorFlow's generated wrappers: the inputs in order, then the attrs that
inputs do not state (those without a default first), then `name`.
"""

from ramet import _core

# Where the wrapper's argument is called other than the op's (facts of TensorFlow's api_def files).
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


def _absent(op_type):
    def call(*args, **kwargs):
        from ramet.api import UnavailableError

        raise UnavailableError(
            f'TensorFlow has the op {op_type}, Ramet does not have it (`ramet ops` lists what '
            'there is)'
        )

    call.__name__ = call.__qualname__ = op_type
    return call


def endpoint(op_type, name, renames=(), keyword_only=False):
    """The wrapper of an op under a public name, with arguments renamed.

    Args:
        op_type: the op, "Sin".
        name: __name__ of the function.
        renames: {argument of the op: argument of the function}, beyond those of raw_ops.
        keyword_only: whether arguments by position are refused.

    Returns:
        A callable; of an op that Ramet does not have, one that says so.
    """
    made = _core.op_function(
        op_type, name, keyword_only, {**RENAMED.get(op_type, {}), **dict(renames)}
    )
    return _absent(op_type) if made is None else made


def raw(op_type):
    """tf.raw_ops.X: as gen.X, for keyword arguments alone."""
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
