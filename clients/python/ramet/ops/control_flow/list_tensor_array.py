"""TensorArrays of functions: lists in tensors."""

from ramet import gen
from ramet.framework import dtypes, ops, tensor_shape, tensor_util
from ramet.ops.math import math_cast


def build_ta_with_new_flow(old_ta, flow):
    """Returns a TensorArray like `old_ta` with a new flow."""
    new_ta = type(old_ta)(old_ta._dtype, handle=old_ta._handle, flow=flow,
                         infer_shape=old_ta._infer_shape,
                         colocate_with_first_write_call=old_ta._colocate_with_first_write_call)
    new_ta._dynamic_size = old_ta._dynamic_size
    new_ta._size = old_ta._size
    new_ta._colocate_with = old_ta._colocate_with
    new_ta._element_shape = old_ta._element_shape
    return new_ta


def _sizes(shape):
    """Returns a shape as the argument of an op of lists: -1 for what is unknown."""
    if shape.ndims is None:
        return -1
    sizes = [-1 if size is None else size for size in shape.as_list()]
    return sizes or ops.convert_to_tensor(sizes, dtypes.int32)


class FlowList:
    """The methods of TensorArrays that are lists in tensors, their flows. Functions can take and return them."""

    def __init__(self, dtype, size=None, dynamic_size=None, clear_after_read=None, tensor_array_name=None, handle=None,
                 flow=None, infer_shape=True, element_shape=None, colocate_with_first_write_call=True, name=None):
        """Creates a list, or a Python object for an existing list; see TensorArray.

        Args:
          dtype: the dtype of the elements.
          size: the number of elements.
          dynamic_size: whether a write past the end extends the list.
          clear_after_read: ignored: elements can be read several times.
          tensor_array_name: ignored.
          handle: must be None.
          flow: an existing list, or None.
          infer_shape: whether all elements have the same shape.
          element_shape: the shape of the elements, as far as it is known.
          colocate_with_first_write_call: ignored.
          name: the name of the node.

        Raises:
          ValueError: if neither a size nor a list was given.
        """
        if flow is None and size is None:
            raise ValueError('Argument `size` must be provided if handle is not provided.')
        self._dtype = dtypes.as_dtype(dtype).base_dtype
        self._size = size
        self._dynamic_size = bool(dynamic_size)
        self._colocate_with_first_write_call = False
        self._colocate_with = None
        self._infer_shape = infer_shape
        self._element_shape = [tensor_shape.as_shape(element_shape)]
        self._handle, self._flow = None, flow
        with ops.name_scope(name, 'TensorArrayV2', [size, flow]) as scope:
            if flow is None:
                self._flow = gen.TensorListReserve(
                    _sizes(self.element_shape), size, element_dtype=self._dtype, name=scope)

    def grad(self, source, flow=None, name=None):
        """Raises NotImplementedError: gradients of lists need no array of their own.

        Args:
          source: ignored.
          flow: ignored.
          name: ignored.

        Raises:
          NotImplementedError: always.
        """
        raise NotImplementedError

    def _with_flow(self, flow):
        return build_ta_with_new_flow(self, flow)

    def read(self, index, name=None):
        with ops.name_scope(name, 'TensorArrayV2Read', [self._flow, index]):
            value = gen.TensorListGetItem(self._flow, index, _sizes(self.element_shape), element_dtype=self._dtype)
        value.set_shape(self.element_shape)
        return value

    def write(self, index, value, name=None):
        with ops.name_scope(name, 'TensorArrayV2Write', [self._flow, index, value]):
            value = ops.convert_to_tensor(value, preferred_dtype=self._dtype, name='value')
            if value.dtype.base_dtype != self._dtype:
                raise ValueError(f"TensorArray dtype is {self._dtype.name} but Op is trying to write dtype "
                                 f'{value.dtype.name} ')
            self._check_element_shape(value.shape)
            return self._with_flow(gen.TensorListSetItem(
                self._flow, index, value, resize_if_index_out_of_bounds=self._dynamic_size))

    def stack(self, name=None):
        with ops.name_scope(name, 'TensorArrayV2Stack', [self._flow]):
            count = -1
            if not self._dynamic_size and self._size is not None:
                known = tensor_util.constant_value(ops.convert_to_tensor(self._size)) if isinstance(
                    self._size, ops.Tensor) else self._size
                count = -1 if known is None else int(known)
            value = gen.TensorListStack(self._flow, _sizes(self.element_shape), element_dtype=self._dtype,
                                        num_elements=count)
        if self.element_shape.ndims is not None:
            value.set_shape([None if count < 0 else count, *self.element_shape.dims])
        return value

    def gather(self, indices, name=None):
        value = gen.TensorListGather(self._flow, indices, _sizes(self.element_shape), element_dtype=self._dtype,
                                     name=name)
        if self.element_shape.ndims is not None:
            value.set_shape([None, *self.element_shape.dims])
        return value

    def concat(self, name=None):
        shape = self.element_shape
        sizes = [-1, *_sizes(shape)[1:]] if shape.ndims else -1
        value, _ = gen.TensorListConcatV2(self._flow, sizes, leading_dims=ops.convert_to_tensor([], dtypes.int64),
                                          element_dtype=self._dtype, name=name)
        if shape.ndims:
            value.set_shape([None, *shape.dims[1:]])
        return value

    def unstack(self, value, name=None):
        with ops.name_scope(name, 'TensorArrayUnstack', [self._flow, value]):
            value = ops.convert_to_tensor(value, preferred_dtype=self._dtype, name='value')
            self._check_element_shape(value.shape[1:])
            return self._with_flow(gen.TensorListFromTensor(value, _sizes(value.shape[1:])))

    def scatter(self, indices, value, name=None):
        with ops.name_scope(name, 'TensorArrayScatter', [self._flow, value, indices]):
            value = ops.convert_to_tensor(value, preferred_dtype=self._dtype, name='value')
            self._check_element_shape(value.shape[1:])
            return self._with_flow(gen.TensorListScatterIntoExistingList(self._flow, value, indices))

    def split(self, value, lengths, name=None):
        with ops.name_scope(name, 'TensorArraySplit', [self._flow, value, lengths]):
            value = ops.convert_to_tensor(value, dtype=self._dtype, name='value')
            lengths = math_cast.cast(lengths, dtypes.int64)
            self._check_pieces(value.shape, tensor_util.constant_value(lengths))
            return self._with_flow(gen.TensorListSplit(value, _sizes(self.element_shape), lengths))

    def size(self, name=None):
        if not self._dynamic_size and self._size is not None:
            return ops.convert_to_tensor(self._size, dtype=dtypes.int32)
        return gen.TensorListLength(self._flow, name=name)

    def close(self, name=None):
        return gen.NoOp(name=name)
