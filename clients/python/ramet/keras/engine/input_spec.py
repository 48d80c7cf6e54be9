"""Requirements on the inputs of a layer."""

from ramet.api import export
from ramet.framework import dtypes, nest, tensor_shape


@export('layers.InputSpec')
class InputSpec:
    """The requirements on one input of a layer. Arguments that are None require nothing.

    Args:
      dtype: a DType.
      shape: a shape. Sizes that are None may have any value.
      ndim: the rank.
      max_ndim, min_ndim: bounds of the rank.
      axes: a dict from axes to their sizes.
    """

    def __init__(self, dtype=None, shape=None, ndim=None, max_ndim=None, min_ndim=None, axes=None):
        self.dtype = None if dtype is None else dtypes.as_dtype(dtype).name
        self.shape = None if shape is None else tuple(tensor_shape.as_shape(shape).as_list())
        self.ndim = len(self.shape) if shape is not None else ndim
        self.max_ndim = max_ndim
        self.min_ndim = min_ndim
        self.axes = {int(axis): size for axis, size in (axes or {}).items()}

    def __repr__(self):
        known = [f'{what}={getattr(self, what)}' for what in
                 ('dtype', 'shape', 'ndim', 'max_ndim', 'min_ndim', 'axes') if getattr(self, what)]
        return f'InputSpec({", ".join(known)})'


def check(spec, inputs, layer_name):
    """Checks inputs against an InputSpec, or a list of them.

    Raises:
      ValueError: if an input does not match.
    """
    if spec is None:
        return
    specs, inputs = nest.flatten(spec), nest.flatten(inputs)
    if len(specs) != len(inputs):
        raise ValueError(f'Layer {layer_name} expects {len(specs)} input(s), but it received '
                         f'{len(inputs)} input tensors. Inputs received: {inputs}')
    for index, (one, tensor) in enumerate(zip(specs, inputs, strict=True)):
        if one is not None:
            _check_one(one, tensor, f'Input {index} of layer {layer_name} is incompatible with '
                                    'the layer: ')


def _check_one(spec, tensor, told):
    shape = tensor.get_shape()
    rank = shape.ndims
    if rank is None:
        return
    full = f'Full shape received: {shape.as_list()}'
    if spec.ndim is not None and rank != spec.ndim and spec.max_ndim is None:
        raise ValueError(f'{told}expected ndim={spec.ndim}, found ndim={rank}. {full}')
    if spec.max_ndim is not None and rank > spec.max_ndim:
        raise ValueError(f'{told}expected max_ndim={spec.max_ndim}, found ndim={rank}')
    if spec.min_ndim is not None and rank < spec.min_ndim:
        raise ValueError(f'{told}: expected min_ndim={spec.min_ndim}, found ndim={rank}. {full}')
    if spec.dtype is not None and tensor.dtype.base_dtype.name != spec.dtype:
        raise ValueError(f'{told}expected dtype={spec.dtype}, found dtype={tensor.dtype}')
    _check_sizes(spec, shape.as_list(), told, full)


def _check_sizes(spec, sizes, told, full):
    for axis, wanted in spec.axes.items():
        if wanted is not None and sizes[axis] not in (wanted, None):
            raise ValueError(f'{told}expected axis {axis} of input shape to have value {wanted} '
                             f'but received input with shape {full[21:]}')
    if spec.shape is not None:
        for wanted, size in zip(spec.shape, sizes, strict=True):
            if wanted is not None and size is not None and wanted != size:
                raise ValueError(f'{told}expected shape={spec.shape}, found shape={tuple(sizes)}')
