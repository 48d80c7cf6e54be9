"""TensorArray: arrays of tensors that the steps of a loop read and write by index."""

import contextlib
import functools

from ramet import gen
from ramet.api import export
from ramet.framework import dtypes, ops, tensor_shape, tensor_util
from ramet.ops.array import array_basics
from ramet.ops.control_flow import modes
from ramet.ops.control_flow.list_tensor_array import FlowList, build_ta_with_new_flow
from ramet.ops.math import math_cast, math_range


def _refuse_with_handle(**given):
    for name, value in given.items():
        if value is not None:
            both = 'both a' if name == 'size' else 'both'
            end = ' at the same time.'
            raise ValueError(f'Cannot provide {both} `handle` and `{name}` arguments{end}')


class _TensorArrayType(type):
    """Makes TensorArray(...) an object of the class for the way in which operations are executed now."""

    def __call__(cls, *args, **kwargs):
        if cls is TensorArray:
            has_handle = len(args) > 5 or kwargs.get('handle') is not None
            if ops.executing_eagerly():
                cls = _eager_class()
            elif modes.is_functional() and not has_handle:
                cls = _list_class()
        return type.__call__(cls, *args, **kwargs)

    @property
    def __signature__(cls):
        import inspect  # deferred: start-up time

        parameters = list(inspect.signature(cls.__init__).parameters.values())
        return inspect.Signature(parameters[1:])


@export('TensorArray')
class TensorArray(metaclass=_TensorArrayType):
    """An array of tensors, such as one per step of a loop.

    It exists during a run: each run starts with an empty array. Methods that modify the array return a
    new TensorArray for the same array with a new `flow`, which orders the operations.
    """

    def __init__(self, dtype, size=None, dynamic_size=None, clear_after_read=None,
                 tensor_array_name=None, handle=None, flow=None, infer_shape=True,
                 element_shape=None, colocate_with_first_write_call=True, name=None):
        """Creates an array, or a Python object for an existing array.

        Args:
          dtype: the dtype of the elements.
          size: a number or an int32 scalar, the number of elements; required without a handle.
          dynamic_size: whether a write past the end extends the array. Defaults to False.
          clear_after_read: whether an element can be read only once. Defaults to True.
          tensor_array_name: a name for messages.
          handle: the handle of an existing array, together with `flow`.
          flow: a float32 scalar that depends on all previous operations on the array.
          infer_shape: whether all elements have the same shape.
          element_shape: the shape of the elements, as far as it is known.
          colocate_with_first_write_call: whether to place all writes on the device of the first value
            that is written.
          name: the name of the node.

        Raises:
          ValueError: if neither `size` nor `handle` is given, or if a handle is combined with arguments
            that only apply to new arrays.
        """
        if handle is not None:
            _refuse_with_handle(tensor_array_name=tensor_array_name, size=size,
                                dynamic_size=dynamic_size, clear_after_read=clear_after_read)
        elif size is None:
            raise ValueError('Argument `size` must be provided if handle is not provided.')
        self._dtype = dtypes.as_dtype(dtype).base_dtype
        self._size = size
        self._dynamic_size = bool(dynamic_size)
        self._colocate_with_first_write_call = colocate_with_first_write_call
        self._colocate_with = [] if colocate_with_first_write_call else None
        self._infer_shape = infer_shape
        self._element_shape = [tensor_shape.as_shape(element_shape)]
        with ops.name_scope(name, 'TensorArray', [handle, size, flow]) as scope:
            if handle is not None:
                self._handle, self._flow = handle, flow
                return
            with ops.device(None) if colocate_with_first_write_call else contextlib.nullcontext():
                self._handle, self._flow = gen.TensorArrayV3(
                    size=size, dtype=self._dtype, element_shape=self.element_shape,
                    identical_element_shapes=bool(infer_shape), dynamic_size=self._dynamic_size,
                    clear_after_read=clear_after_read is None or bool(clear_after_read),
                    tensor_array_name=tensor_array_name or '', name=scope)

    @property
    def flow(self):
        """The float32 scalar that depends on all operations on the array so far."""
        return self._flow

    @property
    def dtype(self):
        """The dtype of the elements."""
        return self._dtype

    @property
    def handle(self):
        """The handle of the array, a resource."""
        return self._handle

    @property
    def element_shape(self):
        """The shape of the elements as far as it is known, a TensorShape."""
        return self._element_shape[0]

    @property
    def dynamic_size(self):
        """True if a write past the end extends the array."""
        return self._dynamic_size

    @property
    def _implementation(self):
        return self

    def _check_element_shape(self, shape):
        if not shape.is_compatible_with(self.element_shape):
            raise ValueError(f'Inconsistent shapes: saw {shape} but expected {self.element_shape} ')
        if self._infer_shape:
            self._element_shape[0] = self.element_shape.merge_with(shape)

    def _beside_first_write(self, value):
        if not self._colocate_with_first_write_call:
            return contextlib.nullcontext()
        if not self._colocate_with:
            self._colocate_with.append(value)
        return ops.colocate_with(self._colocate_with[0])

    def identity(self):
        """Returns a TensorArray for the same array and state."""
        return build_ta_with_new_flow(self, array_basics.identity(self._flow))

    def grad(self, source, flow=None, name=None):
        """Returns the array of the gradients of the elements.

        Args:
          source: a string. Each source has its own array.
          flow: the flow after which the gradients are created. Defaults to that of this object.
          name: the name of the node.
        """
        flow = self._flow if flow is None else flow
        with ops.name_scope(name, 'TensorArrayGrad', [self._handle]):
            with ops.colocate_with(self._handle):
                handle, _ = gen.TensorArrayGradV3(handle=self._handle, source=source, flow_in=flow,
                                                  name=name)
                with ops.control_dependencies([handle]):
                    flow = array_basics.identity(flow, name='gradient_flow')
                gradient = TensorArray(self._dtype, handle=handle, flow=flow,
                                       infer_shape=self._infer_shape,
                                       colocate_with_first_write_call=False)
        gradient._element_shape = self._element_shape
        return gradient

    def read(self, index, name=None):
        """Returns one element.

        Args:
          index: the position of the element, an int32 scalar.
          name: the name of the node.

        Raises:
          InvalidArgumentError: when run, if there is no such element, it was read before (see
            clear_after_read), or it was never written and its shape is unknown.
        """
        value = gen.TensorArrayReadV3(handle=self._handle, index=index, flow_in=self._flow,
                                      dtype=self._dtype, name=name)
        if self.element_shape.dims is not None:
            value.set_shape(self.element_shape.dims)
        return value

    def write(self, index, value, name=None):
        """Writes one element.

        Args:
          index: the position of the element, an int32 scalar.
          value: a tensor of the dtype of the array.
          name: the name of the node.

        Returns:
          The TensorArray to use afterwards.

        Raises:
          ValueError: if the static shape does not match.
          InvalidArgumentError: when run, if there is no such element, it was written before, or the
            dtype or shape does not match.
        """
        with ops.name_scope(name, 'TensorArrayWrite', [self._handle, index, value]):
            value = ops.convert_to_tensor(value, preferred_dtype=self._dtype, name='value')
            self._check_element_shape(value.shape)
            with self._beside_first_write(value):
                flow = gen.TensorArrayWriteV3(handle=self._handle, index=index, value=value,
                                              flow_in=self._flow, name=name)
            return build_ta_with_new_flow(self, flow)

    def stack(self, name=None):
        """Returns all elements, stacked along a new first dimension. They must have the same shape.

        Args:
          name: the name of the node.
        """
        with ops.colocate_with(self._handle):
            with ops.name_scope(name, 'TensorArrayStack', [self._handle]):
                value = self.gather(math_range.range(0, self.size()), name=name)
                known = not self._dynamic_size and self._size is not None
                if self.element_shape.dims is not None and known:
                    n = tensor_util.constant_value(self._size) if isinstance(
                        self._size, ops.Tensor) else self._size
                    value.set_shape([n, *self.element_shape.dims])
                return value

    def gather(self, indices, name=None):
        """Returns some elements, stacked along a new first dimension.

        Args:
          indices: an int32 vector, the positions of the elements.
          name: the name of the node.
        """
        value = gen.TensorArrayGatherV3(handle=self._handle, indices=indices, flow_in=self._flow,
                                        dtype=self._dtype, element_shape=self.element_shape,
                                        name=name)
        if self.element_shape.dims is not None:
            value.set_shape([None, *self.element_shape.dims])
        return value

    def concat(self, name=None):
        """Returns all elements, concatenated along their first dimension.

        Args:
          name: the name of the node.
        """
        shape = self.element_shape
        value, _ = gen.TensorArrayConcatV3(
            handle=self._handle, flow_in=self._flow, dtype=self._dtype,
            element_shape_except0=shape[1:], name=name)
        if shape.dims is not None:
            rows = None
            if self._infer_shape:
                size = tensor_util.constant_value(self.size())
                if size is not None and shape.dims[0].value is not None:
                    rows = int(size) * shape.dims[0].value
            value.set_shape([rows, *shape.dims[1:]])
        return value

    def unstack(self, value, name=None):
        """Writes row i of `value` to element i, for all rows; returns the updated TensorArray.

        Args:
          value: a tensor of the dtype of the array.
          name: the name of the node.
        """
        with ops.name_scope(name, 'TensorArrayUnstack', [self._handle, value]):
            count = array_basics.shape(value)[0]
            return self.scatter(indices=math_range.range(0, count), value=value, name=name)

    def scatter(self, indices, value, name=None):
        """Writes row i of `value` to element indices[i]; returns the updated TensorArray.

        Args:
          indices: an int32 vector, the positions of the elements.
          value: a tensor with one row per element.
          name: the name of the node.
        """
        with ops.name_scope(name, 'TensorArrayScatter', [self._handle, value, indices]):
            value = ops.convert_to_tensor(value, preferred_dtype=self._dtype, name='value')
            self._check_element_shape(value.shape[1:])
            with self._beside_first_write(value):
                flow = gen.TensorArrayScatterV3(handle=self._handle, indices=indices, value=value,
                                                flow_in=self._flow, name=name)
            return build_ta_with_new_flow(self, flow)

    def split(self, value, lengths, name=None):
        """Writes the first lengths[0] rows of `value` to element 0, the next to element 1, ...

        Args:
          value: a tensor of the dtype of the array.
          lengths: an integer vector, the number of rows of each element.
          name: the name of the node.

        Returns:
          The TensorArray to use afterwards.
        """
        with ops.name_scope(name, 'TensorArraySplit', [self._handle, value, lengths]):
            value = ops.convert_to_tensor(value, dtype=self._dtype, name='value')
            with self._beside_first_write(value):
                lengths = math_cast.cast(lengths, dtypes.int64)
                self._check_pieces(value.shape, tensor_util.constant_value(lengths))
                flow = gen.TensorArraySplitV3(handle=self._handle, value=value, lengths=lengths,
                                              flow_in=self._flow, name=name)
            return build_ta_with_new_flow(self, flow)

    def _check_pieces(self, shape, lengths):
        known = shape.dims is not None and lengths is not None and lengths.ndim == 1
        if known and lengths.size and lengths.min() == lengths.max():
            piece = tensor_shape.TensorShape([int(lengths[0])])
            self._check_element_shape(piece.concatenate(shape[1:]))

    def size(self, name=None):
        """Returns the number of elements, an int32 scalar.

        Args:
          name: the name of the node.
        """
        if not self._dynamic_size and self._size is not None:
            return ops.convert_to_tensor(self._size, dtype=dtypes.int32)
        return gen.TensorArraySizeV3(handle=self._handle, flow_in=self._flow, name=name)

    def close(self, name=None):
        """Returns an operation that closes the array and frees its elements.

        Args:
          name: the name of the node.
        """
        return gen.TensorArrayCloseV3(handle=self._handle, name=name)



@functools.cache
def _eager_class():
    """Returns the class of arrays while operations run eagerly."""
    from ramet.ops.control_flow import eager_tensor_array  # deferred: only for eager programs

    return type('EagerTensorArray', (eager_tensor_array.ListOfTensors, TensorArray), {})


@functools.cache
def _list_class():
    """Returns the class of arrays in functions."""
    return type('ListTensorArray', (FlowList, TensorArray), {})
