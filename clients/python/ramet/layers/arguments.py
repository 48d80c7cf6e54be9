"""Functions that apply layers, and the names of tensorflow.python.layers.utils."""

import inspect

from ramet.docstrings import with_args_of
from ramet.keras.layers.arguments import (  # noqa: F401
    convert_data_format,
    data_format,
    op_format,
    padding,
    per_axis,
    resized,
    spatial_axes,
    transposed_outputs,
    window_outputs,
)


def as_function(layer, name, reuse=True):
    """Returns a function that applies a new layer of a class to inputs.

    Its arguments are `inputs`, those of the class, and `reuse` if the layer has variables.
    """
    own = [p for p in inspect.signature(layer).parameters.values() if p.kind is not p.VAR_KEYWORD]
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    more = [inspect.Parameter('reuse', kind, default=None)] if reuse else []
    signature = inspect.Signature([inspect.Parameter('inputs', kind), *own, *more])

    def function(*args, **kwargs):
        try:
            arguments = signature.bind(*args, **kwargs).arguments
        except TypeError as error:
            raise TypeError(f'{name}() {error}') from None
        inputs = arguments.pop('inputs')
        if reuse:
            arguments['_reuse'] = arguments.pop('reuse', None)
            arguments['_scope'] = arguments.get('name')
        return layer(**arguments).apply(inputs)

    function.__module__ = layer.__module__
    function.__name__ = function.__qualname__ = name
    function.__signature__ = signature
    function.__doc__ = _FUNCTION_DOC.format(layer.__name__)
    return with_args_of(layer)(function)


_FUNCTION_DOC = """Applies a new {} layer.

Args:
  inputs: a Tensor.
  reuse: whether to reuse the variables of the layer `name`.

Returns:
  A Tensor, the output of the layer.
"""
