"""Layers that combine several inputs."""

from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.framework import tensor_shape
from ramet.keras.backend import tensors, values
from ramet.keras.engine.base_layer import Layer
from ramet.ops.array import array_ops
from ramet.ops.math import math_ops
from ramet.ops.nn import nn_activation


def _shapes(input_shape):
    return [tuple(tensor_shape.as_shape(s).as_list()) for s in input_shape]


def _broadcast(first, second):
    """Returns the shape of an element-wise result."""
    if len(first) < len(second):
        first, second = second, first
    result = list(first[:len(first) - len(second)])
    for a, b in zip(first[len(first) - len(second):], second):
        if None in (a, b):
            result.append(None if a in (None, 1) and b in (None, 1) or None in (a, b) and 1 in (a, b)
                          else (a if a is not None else b))
        elif a == 1 or b == 1 or a == b:
            result.append(max(a, b))
        else:
            raise ValueError(f'Operands could not be broadcast together with shapes {first} {second}')
    return result


class _Merge(Layer):
    """The base class of element-wise combinations."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.supports_masking = True

    _minimum = 2

    def build(self, input_shape):
        if not isinstance(input_shape, (list, tuple)):
            raise ValueError('A merge layer should be called on a list of inputs.')
        if len(input_shape) < self._minimum:
            raise ValueError(f'A merge layer should be called on a list of at least {self._minimum} inputs. Got '
                             f'{len(input_shape)} inputs.')
        batches = {s[0] for s in _shapes(input_shape) if s} - {None}
        if len(batches) > 1:
            raise ValueError(f'Can not merge tensors with different batch sizes. Got tensors with shapes : '
                             f'{_shapes(input_shape)}')
        self.compute_output_shape(input_shape)
        self.built = True

    def _merged(self, inputs):
        raise NotImplementedError

    def call(self, inputs):
        if not isinstance(inputs, (list, tuple)):
            raise ValueError('A merge layer should be called on a list of inputs.')
        rank = max(values.ndim(x) for x in inputs)
        return self._merged([_with_rank(x, rank) for x in inputs])

    def compute_output_shape(self, input_shape):
        shapes = _shapes(input_shape)
        result = shapes[0][1:]
        for shape in shapes[1:]:
            result = _broadcast(result, shape[1:])
        batches = {s[0] for s in shapes} - {None}
        return tensor_shape.TensorShape([batches.pop() if len(batches) == 1 else None, *result])

    def compute_mask(self, inputs, mask=None):
        if mask is None or all(m is None for m in mask):
            return None
        result = None
        for m in mask:
            if m is not None:
                result = m if result is None else math_ops.logical_and(result, m)
        return result


def _with_rank(x, rank):
    for _ in range(rank - values.ndim(x)):
        x = array_ops.expand_dims(x, 1)
    return x


def _folded(function, inputs):
    result = inputs[0]
    for x in inputs[1:]:
        result = function(result, x)
    return result


@export('keras.layers.Add')
@with_args_of(Layer)
class Add(_Merge):
    """The sum of the inputs."""

    def _merged(self, inputs):
        return _folded(lambda a, b: a + b, inputs)


@export('keras.layers.Subtract')
@with_args_of(Layer)
class Subtract(_Merge):
    """The difference of two inputs."""

    def build(self, input_shape):
        super().build(input_shape)
        if len(input_shape) != 2:
            raise ValueError('A `Subtract` layer should be called on exactly 2 inputs')

    def _merged(self, inputs):
        if len(inputs) != 2:
            raise ValueError('A `Subtract` layer should be called on exactly 2 inputs')
        return inputs[0] - inputs[1]


@export('keras.layers.Multiply')
@with_args_of(Layer)
class Multiply(_Merge):
    """The element-wise product of the inputs."""

    def _merged(self, inputs):
        return _folded(lambda a, b: a * b, inputs)


@export('keras.layers.Average')
@with_args_of(Layer)
class Average(_Merge):
    """The element-wise mean of the inputs."""

    def _merged(self, inputs):
        return _folded(lambda a, b: a + b, inputs) / len(inputs)


@export('keras.layers.Maximum')
@with_args_of(Layer)
class Maximum(_Merge):
    """The element-wise maximum of the inputs."""

    def _merged(self, inputs):
        return _folded(math_ops.maximum, inputs)


@export('keras.layers.Minimum')
@with_args_of(Layer)
class Minimum(_Merge):
    """The element-wise minimum of the inputs."""

    def _merged(self, inputs):
        return _folded(math_ops.minimum, inputs)


@export('keras.layers.Concatenate')
@with_args_of(Layer)
class Concatenate(_Merge):
    """The inputs joined along an axis.

    Args:
      axis: an int.
    """

    def __init__(self, axis=-1, **kwargs):
        super().__init__(**kwargs)
        self.axis = axis

    def call(self, inputs):
        if not isinstance(inputs, (list, tuple)):
            raise ValueError('A `Concatenate` layer should be called on a list of inputs.')
        return tensors.concatenate(list(inputs), axis=self.axis)

    def compute_output_shape(self, input_shape):
        shapes = _shapes(input_shape)
        axis = self.axis % len(shapes[0])
        if len({s[:axis] + s[axis + 1:] for s in shapes}) > 1 and all(None not in s[1:] for s in shapes):
            raise ValueError('A `Concatenate` layer requires inputs with matching shapes except for the concat axis. '
                             f'Got inputs shapes: {shapes}')
        result = list(shapes[0])
        sizes = [s[axis] for s in shapes]
        result[axis] = None if None in sizes else sum(sizes)
        return tensor_shape.TensorShape(result)

    def compute_mask(self, inputs, mask=None):
        if mask is None or all(m is None for m in mask):
            return None
        full = []
        for x, m in zip(inputs, mask):
            if m is None:
                full.append(array_ops.ones_like(x, dtype='bool'))
            elif values.ndim(m) < values.ndim(x):
                full.append(array_ops.expand_dims(m, -1))
            else:
                full.append(m)
        return math_ops.reduce_all(array_ops.concat(full, self.axis % values.ndim(inputs[0])), -1)

    def get_config(self):
        return {**super().get_config(), 'axis': self.axis}


@export('keras.layers.Dot')
@with_args_of(Layer)
class Dot(_Merge):
    """The products of two batches of tensors along an axis of each.

    Args:
      axes: the axis of both inputs, or a pair of axes.
      normalize: whether to divide by the norms first.

    Raises:
      TypeError: if axes is neither an int nor a pair.
    """

    def __init__(self, axes, normalize=False, **kwargs):
        super().__init__(**kwargs)
        if not isinstance(axes, int):
            if not isinstance(axes, (list, tuple)):
                raise TypeError('Invalid type for `axes` - should be a list or an int.')
            if len(axes) != 2:
                raise ValueError('Invalid format for `axes` - should contain two elements.')
        self.axes = axes
        self.normalize = normalize

    def _both(self, shapes):
        axes = [self.axes, self.axes] if isinstance(self.axes, int) else self.axes
        return [axis % len(shape) for axis, shape in zip(axes, shapes)]

    def call(self, inputs):
        if len(inputs) != 2:
            raise ValueError('A `Dot` layer should be called on exactly 2 inputs')
        axes = self._both([values.int_shape(x) for x in inputs])
        if self.normalize:
            inputs = [nn_activation.l2_normalize(x, axis=axis) for x, axis in zip(inputs, axes)]
        return tensors.batch_dot(*inputs, axes)

    def compute_output_shape(self, input_shape):
        first, second = _shapes(input_shape)
        axes = self._both([first, second])
        if None not in (first[axes[0]], second[axes[1]]) and first[axes[0]] != second[axes[1]]:
            raise ValueError(f'Dimension incompatibility {first[axes[0]]} != {second[axes[1]]}. Layer shapes: {first}, '
                             f'{second}')
        result = [s for i, s in enumerate(first) if i != axes[0]] + \
            [s for i, s in enumerate(second) if i not in (0, axes[1])]
        return tensor_shape.TensorShape([*result, 1] if len(result) == 1 else result)

    def compute_mask(self, inputs, mask=None):
        return None

    def get_config(self):
        return {**super().get_config(), 'axes': self.axes, 'normalize': self.normalize}


@export('keras.layers.add')
def add(inputs, **kwargs):
    """Returns the sum of tensors, as a layer; see Add.

    Args:
      inputs: a list of Tensors.
      **kwargs: arguments of the layer.
    """
    return Add(**kwargs)(inputs)


@export('keras.layers.subtract')
@with_args_of(add)
def subtract(inputs, **kwargs):
    """Returns the difference of two tensors, as a layer; see Subtract."""
    return Subtract(**kwargs)(inputs)


@export('keras.layers.multiply')
@with_args_of(add)
def multiply(inputs, **kwargs):
    """Returns the product of tensors, as a layer; see Multiply."""
    return Multiply(**kwargs)(inputs)


@export('keras.layers.average')
@with_args_of(add)
def average(inputs, **kwargs):
    """Returns the mean of tensors, as a layer; see Average."""
    return Average(**kwargs)(inputs)


@export('keras.layers.maximum')
@with_args_of(add)
def maximum(inputs, **kwargs):
    """Returns the maximum of tensors, as a layer; see Maximum."""
    return Maximum(**kwargs)(inputs)


@export('keras.layers.minimum')
@with_args_of(add)
def minimum(inputs, **kwargs):
    """Returns the minimum of tensors, as a layer; see Minimum."""
    return Minimum(**kwargs)(inputs)


@export('keras.layers.concatenate')
@with_args_of(Concatenate, add)
def concatenate(inputs, axis=-1, **kwargs):
    """Returns tensors joined along an axis, as a layer; see Concatenate."""
    return Concatenate(axis=axis, **kwargs)(inputs)


@export('keras.layers.dot')
@with_args_of(Dot, add)
def dot(inputs, axes, normalize=False, **kwargs):
    """Returns products of batches of tensors, as a layer; see Dot."""
    return Dot(axes=axes, normalize=normalize, **kwargs)(inputs)
