"""Implements `tensor[...]`, and the functions slice and strided_slice."""

import builtins

import numpy as np

from ramet import gen
from ramet.api import export
from ramet.framework import constant_op, dtypes, ops, tensor_shape
from ramet.ops.array import array_fill, array_join

Tensor = ops.Tensor
_INDEX_TYPES = (dtypes.int16, dtypes.int32, dtypes.int64)
_INT32_LIMIT = 1 << 31
_TYPE_MESSAGE = ('Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar '
                 'tf.int32/tf.int64 tensors are valid indices')


@export('slice')
def slice(input_, begin, size, name=None):
    """Extracts a block from a tensor.

    Args:
      input_: a tensor.
      begin: a 1-D int32 or int64 tensor, the first index of each dimension.
      size: the sizes, of the same dtype. -1 means everything up to the end.
      name: the name of the node.

    Returns:
      A tensor of the rank of `input_`.
    """
    return gen.Slice(input_, begin, size, name=name)


@export('strided_slice')
def strided_slice(input_, begin, end, strides=None, begin_mask=0, end_mask=0, ellipsis_mask=0,
                  new_axis_mask=0, shrink_axis_mask=0, var=None, name=None):
    """Extracts a block with strides from a tensor, like `input_[begin:end:strides, ...]`.

    Args:
      input_: a tensor.
      begin: a 1-D int32 or int64 tensor, the first indices.
      end: the indices to stop before.
      strides: the steps. Defaults to 1 each.
      begin_mask: a bit mask of the positions at which `begin` is ignored.
      end_mask: a bit mask of the positions at which `end` is ignored.
      ellipsis_mask: the bit of the position that stands for all remaining dimensions.
      new_axis_mask: a bit mask of the positions that are new dimensions of size 1.
      shrink_axis_mask: a bit mask of the positions that select one index and remove the dimension.
      var: the variable whose value `input_` is, for sliced assignment.
      name: the name of the node.

    Returns:
      A tensor, with a method `assign` if `var` is given.
    """
    if strides is None:
        strides = array_fill.ones_like(begin)
    masks = dict(begin_mask=begin_mask, end_mask=end_mask, ellipsis_mask=ellipsis_mask,
                 new_axis_mask=new_axis_mask, shrink_axis_mask=shrink_axis_mask)
    result = gen.StridedSlice(input_, begin, end, strides, name=name, **masks)
    if var is not None:
        default_name = (name or 'strided_slice') + '_assign'
        result.assign = _assigner(var, default_name, (begin, end, strides), masks)
    return result


def _assigner(var, default_name, bounds, masks):
    def assign(value, name=None):
        begin, end, strides = bounds
        return var._strided_slice_assign(begin=begin, end=end, strides=strides, value=value,
                                         name=name or default_name, **masks)
    return assign


def _is_index(value):
    if isinstance(value, (int, np.integer, tensor_shape.Dimension)):
        return True
    dtype = getattr(value, 'dtype', None)
    shape = getattr(value, 'shape', None)
    if dtype is None or shape is None:
        return False
    try:
        known = dtypes.as_dtype(dtype).base_dtype in _INDEX_TYPES
    except TypeError:
        return False
    if isinstance(shape, tensor_shape.TensorShape):
        return known and shape.rank in (0, None)
    return known and len(shape) == 0


def _is_mask(item):
    if isinstance(item, Tensor):
        return item.dtype.base_dtype == dtypes.bool
    return isinstance(item, bool) or isinstance(item, np.ndarray) and item.dtype == np.bool_


def _bad_index(item):
    raise TypeError(f'{_TYPE_MESSAGE}, got {item!r}')


class _Bounds:
    """The begins, ends, strides and masks of a slice, collected item by item."""

    def __init__(self):
        self.has_others = False
        self.begin, self.end, self.strides = [], [], []
        self.begin_mask = self.end_mask = 0
        self.ellipsis_mask = self.new_axis_mask = self.shrink_axis_mask = 0

    def add(self, item):
        bit = 1 << len(self.begin)
        if type(item) is int:
            self.shrink_axis_mask |= bit
            self._append(item, item + 1 if item != -1 else 0, 1)
        elif type(item) is builtins.slice:
            self._add_slice(item, bit)
        elif item is Ellipsis:
            self.ellipsis_mask |= bit
            self._append(0, 0, 1)
        elif item is None:
            self.new_axis_mask |= bit
            self._append(0, 0, 1)
        else:
            self._add_other(item, bit)

    def _append(self, begin, end, stride):
        self.begin.append(begin)
        self.end.append(end)
        self.strides.append(stride)

    def _add_slice(self, item, bit):
        parts = item.start, item.stop, item.step
        for part in parts:
            if part is not None and type(part) is not int and not _is_index(part):
                _bad_index(part)
        # An unknown bound does not limit the slice.
        parts = [None if _is_unknown(part) else _plain(part) for part in parts]
        if parts[0] is None:
            self.begin_mask |= bit
        if parts[1] is None:
            self.end_mask |= bit
        if any(part is not None and type(part) is not int for part in parts):
            self.has_others = True
        dtype = next((p.dtype.base_dtype for p in parts if isinstance(p, Tensor)), None)
        self._append(*(_default(given, default, dtype)
                       for given, default in zip(parts, (0, 0, 1))))

    def _add_other(self, item, bit):
        if not _is_index(item):
            _bad_index(item)
        item = _plain(item)
        if type(item) is int:
            return self.add(item)
        self.shrink_axis_mask |= bit
        self.has_others = True
        if isinstance(item, Tensor):
            wide = item.dtype.base_dtype
            self._append(item, item + 1, _default(None, 1, None if wide == dtypes.int32 else wide))
        else:
            self._append(item, item + 1 if item != -1 else 0, 1)

    def masks(self):
        return dict(begin_mask=self.begin_mask, end_mask=self.end_mask,
                    shrink_axis_mask=self.shrink_axis_mask, new_axis_mask=self.new_axis_mask,
                    ellipsis_mask=self.ellipsis_mask)


def _is_unknown(value):
    return isinstance(value, tensor_shape.Dimension) and value.value is None


def _plain(value):
    """Converts NumPy integers to Python's."""
    return int(value) if isinstance(value, (np.integer, np.ndarray)) else value


def _default(given, default, dtype):
    if given is not None:
        return given
    return default if dtype is None else constant_op.constant(default, dtype=dtype)


def slice_helper(tensor, slice_spec, var=None):
    """Builds the nodes of `tensor[slice_spec]`.

    Args:
      tensor: a tensor.
      slice_spec: an int, slice, Ellipsis, None, scalar integer tensor, a tuple of these, or a
        boolean mask.
      var: the variable whose value `tensor` is. If given, the result can be assigned to.

    Returns:
      A tensor.

    Raises:
      TypeError: if an index has a different type.
    """
    if _is_mask(slice_spec):
        from ramet.ops.array import array_select  # deferred: start-up time, as all tensors can be sliced

        return array_select.boolean_mask(tensor=tensor, mask=slice_spec)
    bounds = _Bounds()
    for item in slice_spec if isinstance(slice_spec, (list, tuple)) else (slice_spec,):
        bounds.add(item)
    with ops.name_scope(None, 'strided_slice', [tensor]) as scope:
        begin, end, strides = _packed(bounds)
        return strided_slice(tensor, begin, end, strides, var=var, name=scope, **bounds.masks())


def _packed(bounds):
    if not bounds.begin:
        empty = constant_op.constant([], dtype=dtypes.int32)
        return empty, empty, empty
    parts = (bounds.begin, bounds.end, bounds.strides)
    if not bounds.has_others and all(abs(value) < _INT32_LIMIT for part in parts
                                     for value in part):
        return [constant_op.constant(part, dtypes.int32, name='stack') for part in parts]
    packed = [array_join.stack(part) for part in parts]
    wide = [part.dtype.base_dtype == dtypes.int64 for part in packed]
    if not any(wide):
        return packed
    return [part if is_wide else gen.Cast(part, dtypes.int64)
            for part, is_wide in zip(packed, wide)]
