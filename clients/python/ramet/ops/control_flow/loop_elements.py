"""The slices of tensors that map_fn, foldl, foldr and scan loop over."""

import contextlib

from ramet.framework import nest, ops, tensor_shape
from ramet.ops.array import array_ops
from ramet.ops.control_flow.tensor_array_ops import TensorArray
from ramet.ops.variables import variable_scope


class Elements:
    """The slices of a structure of tensors along their first dimension, in TensorArrays."""

    def __init__(self, elems, known_shapes=False):
        self.structure = elems
        self.tensors = [ops.convert_to_tensor(e, name='elem') for e in nest.flatten(elems)]
        for tensor in self.tensors:
            if tensor.shape.ndims is not None and tensor.shape.ndims < 1:
                raise ValueError(
                    'Elements in elems must be 1+ dimensional Tensors, not scalars')
        self.static_count = tensor_shape.as_dimension(self._first(self.tensors[0]))
        for tensor in self.tensors[1:]:
            self.static_count.assert_is_compatible_with(self._first(tensor))
        count = self.static_count.value
        self.count = array_ops.shape(self.tensors[0])[0] if count is None else count
        self._arrays = [
            self.array(tensor.dtype, True, tensor.shape[1:] if known_shapes else None)
            for tensor in self.tensors]
        self._arrays = [array.unstack(tensor) for array, tensor in zip(
            self._arrays, self.tensors, strict=True)]

    @staticmethod
    def _first(tensor):
        return tensor_shape.dimension_value(tensor.shape.with_rank_at_least(1)[0])

    def array(self, dtype, infer_shape=True, element_shape=None):
        """Returns a TensorArray with the same number of elements."""
        return TensorArray(dtype.base_dtype, size=self.count, dynamic_size=False,
                           infer_shape=infer_shape, element_shape=element_shape)

    def flat(self, index):
        return [array.read(index) for array in self._arrays]

    def __getitem__(self, index):
        return nest.pack_sequence_as(self.structure, self.flat(index))

    def stacked(self, arrays):
        """Returns the tensors that a loop wrote into arrays of this length."""
        tensors = [array.stack() for array in arrays]
        for tensor in tensors:
            if tensor.shape.ndims is not None:
                tensor.set_shape(tensor_shape.TensorShape([self.static_count]).concatenate(
                    tensor.shape[1:]))
        return tensors


@contextlib.contextmanager
def opened_scope(name, default_name, elems):
    """Opens the name scope of such a function. Variables created inside are read outside the loop."""
    with ops.name_scope(name, default_name, nest.flatten(elems)):
        with variable_scope.variable_scope(variable_scope.get_variable_scope()) as scope:
            cached = scope.caching_device is None
            if cached:
                scope.set_caching_device(lambda op: op.device)
            try:
                yield
            finally:
                if cached:
                    scope.set_caching_device(None)


def check_callable(fn):
    """Raises TypeError unless a function is callable."""
    if not callable(fn):
        raise TypeError(f'{fn.__class__.__name__} is not callable: fn must be callable.')
