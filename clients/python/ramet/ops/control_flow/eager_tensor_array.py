"""TensorArray while operations run eagerly: a list of tensors."""

import numpy as np

from ramet.framework import constant_op, dtypes, errors, ops, tensor_shape
from ramet.ops.array import array_ops


def _number(index):
    return index.numpy() if isinstance(index, ops.Tensor) else index


class ListOfTensors:
    """A list of tensors with the methods of a TensorArray. Methods that modify it return the array itself.

    It is a base class of TensorArrays, before TensorArray itself.
    """

    def __init__(self, dtype, size=None, dynamic_size=None, clear_after_read=None, tensor_array_name=None,
                 handle=None, flow=None, infer_shape=True, element_shape=None,
                 colocate_with_first_write_call=True, name=None):
        if handle is not None:
            raise ValueError('TensorArray handles are not supported when eager execution is enabled.')
        if size is None:
            raise ValueError('Size must be declared for TensorArrays when eager execution is enabled.')
        self._handle = None
        self._flow = constant_op.constant(0, dtype=dtypes.int32)
        self._infer_shape = infer_shape
        self._element_shape = [tensor_shape.as_shape(element_shape)]
        self._colocate_with_first_write_call = colocate_with_first_write_call
        self._dtype = dtypes.as_dtype(dtype).base_dtype
        self._dynamic_size = dynamic_size or False
        self._clear_after_read = clear_after_read is None or clear_after_read
        self._read_before = set()
        self._tensors = [None] * int(_number(size))

    def identity(self):
        return self

    def grad(self, source, flow=None, name=None):
        raise NotImplementedError(
            "TensorArray.grad is not supported when executing eagerly; eager's gradient implementation does not "
            'use/need this function to compute gradients of operations that use TensorArrays.')

    def read(self, index, name=None):
        index = _number(index)
        if index < 0:
            raise errors.OutOfRangeError(None, None, f'Reading from negative indices (index {index}) is not allowed.')
        if index >= len(self._tensors):
            raise errors.OutOfRangeError(
                None, None, f'Tried to read from index {index} but array size is: {len(self._tensors)} ')
        if self._tensors[index] is None and index in self._read_before:
            raise errors.InvalidArgumentError(
                None, None, f'Could not read index {index} twice because it was cleared after a previous read '
                '(perhaps try setting clear_after_read = false?)')
        tensor = self._at(index)
        if self._clear_after_read:
            self._tensors[index] = None
            self._read_before.add(index)
        return tensor

    def _at(self, index):
        if self._tensors[index] is None:
            self._tensors[index] = array_ops.zeros(self.element_shape, self._dtype)
        return self._tensors[index]

    def _all(self):
        return [self._at(i) for i in range(len(self._tensors))]

    def write(self, index, value, name=None):
        index = _number(index)
        if index < 0:
            raise errors.OutOfRangeError(None, None, f'Writing to negative indices (index {index}) is not allowed.')
        size = len(self._tensors)
        if index >= size:
            if not self._dynamic_size:
                raise errors.OutOfRangeError(
                    None, None,
                    f'Tried to write to index {index} but array is not resizeable and size is: {size} ')
            self._tensors.extend([None] * (index - size + 1))
        self._tensors[index] = self._checked(ops.convert_to_tensor(value, preferred_dtype=self._dtype, name='value'))
        return self

    def _checked(self, value):
        if self._dtype != value.dtype:
            raise errors.InvalidArgumentError(
                None, None,
                f'TensorArray dtype is {self._dtype.name} but Op is trying to write dtype {value.dtype.name} ')
        if not self.element_shape.is_compatible_with(value.shape):
            raise ValueError(f'Incompatible shape for value ({value.shape}), expected ({self.element_shape})')
        if self._infer_shape:
            self._element_shape[0] = self.element_shape.merge_with(value.shape)
        return value

    def stack(self, name=None):
        if not self._tensors and self.element_shape.is_fully_defined():
            return ops.convert_to_tensor(np.ndarray([0, *self.element_shape.as_list()]), dtype=self._dtype)
        return ops.convert_to_tensor(self._all(), dtype=self._dtype)

    def gather(self, indices, name=None):
        return array_ops.stack([self._at(i) for i in _number(indices)])

    def concat(self, name=None):
        tensors = self._all()
        ranks = [tensor.shape.ndims for tensor in tensors]
        if 0 in ranks:
            raise errors.InvalidArgumentError(
                None, None,
                f'Concat saw a scalar shape at index {ranks.index(0)} but requires at least vectors.')
        return array_ops.concat(tensors, 0)

    def unstack(self, value, name=None):
        tensors = array_ops.unstack(value)
        if len(tensors) > len(self._tensors) and not self._dynamic_size:
            raise ValueError(f'Cannot unstack {len(tensors)} tensors into a TensorArray of static size '
                             f'{len(self._tensors)} ')
        self._tensors = tensors
        return self

    def scatter(self, indices, value, name=None):
        for index, row in zip(_number(indices), array_ops.unstack(value)):
            self.write(index, row)
        return self

    def split(self, value, lengths, name=None):
        value = ops.convert_to_tensor(value, preferred_dtype=self._dtype, name='value')
        lengths = ops.convert_to_tensor(lengths)
        total = int(lengths.numpy().sum())
        if lengths.shape.ndims != 1:
            problem = f'Expected lengths to be a vector, received shape: {lengths.shape.as_list()} '
        elif value.shape.ndims == 0:
            problem = f'Expected value to be at least a vector, but received shape: {value.shape.as_list()} '
        elif total != value.shape.as_list()[0]:
            problem = ('Expected sum of lengths to be equal to values.shape[0], but sum of lengths is '
                       f"{total} and value's shape is: {value.shape.as_list()} ")
        elif not self._dynamic_size and lengths.shape.as_list()[0] != len(self._tensors):
            problem = (f"TensorArray's size is not equal to the size of lengths ({len(self._tensors)} vs. "
                       f'{lengths.shape.as_list()[0]}), and the TensorArray is not marked as dynamically resizeable.')
        else:
            self._tensors = array_ops.split(value, lengths)
            return self
        raise errors.InvalidArgumentError(None, None, problem)

    def size(self, name=None):
        return constant_op.constant(len(self._tensors))

    def close(self, name=None):
        del self._tensors[:]
