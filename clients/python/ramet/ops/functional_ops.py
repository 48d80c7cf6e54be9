"""foldl, foldr and scan, which apply a function along the first dimension; and map_fn."""

import contextlib

from ramet.api import export
from ramet.framework import constant_op, nest, ops, tensor_shape
from ramet.ops import array_ops, variable_scope
from ramet.ops.tensor_array_ops import TensorArray
from ramet.ops.while_loop import while_loop


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


def _check_callable(fn):
    if not callable(fn):
        raise TypeError(f'{fn.__class__.__name__} is not callable: fn must be callable.')


@export('foldl')
def foldl(fn, elems, initializer=None, parallel_iterations=10, back_prop=True, swap_memory=False,
          name=None):
    """Combines the slices of tensors along their first dimension, from first to last.

    Args:
        fn: a function of the combined value so far and the next slices.
        elems: a tensor, or a structure of tensors with the same first dimension.
        initializer: the initial value, or None for the first slices.
      parallel_iterations: the maximum number of steps that run at the same time.
      back_prop: whether to support gradients.
      swap_memory: as in tf.while_loop.
      name: the name of the scope.

    Returns:
      The last result of `fn`.

    Raises:
      TypeError: if `fn` is not callable.
      ValueError: if `elems` contains scalars, or the first dimensions differ.
    """
    _check_callable(fn)
    with opened_scope(name, 'foldl', elems):
        elements = Elements(elems)
        if initializer is None:
            so_far, first = elements[0], constant_op.constant(1)
        else:
            so_far, first = initializer, constant_op.constant(0)

        def step(i, so_far):
            so_far = fn(so_far, elements[i])
            return [i + 1, so_far]

        return while_loop(
            lambda i, _: i < elements.count, step, [first, so_far],
            parallel_iterations=parallel_iterations, back_prop=back_prop,
            swap_memory=swap_memory, maximum_iterations=elements.count)[1]


@export('foldr')
def foldr(fn, elems, initializer=None, parallel_iterations=10, back_prop=True, swap_memory=False,
          name=None):
    """Combines the slices of tensors along their first dimension, from last to first.

    Args:
      fn, elems, initializer, parallel_iterations, back_prop, swap_memory, name: see tf.foldl.
    """
    _check_callable(fn)
    with opened_scope(name, 'foldr', elems):
        elements = Elements(elems)
        if initializer is None:
            last = elements.count - 1
            so_far = elements[last]
        else:
            last, so_far = elements.count, initializer

        def step(i, so_far):
            i -= 1
            return [i, fn(so_far, elements[i])]

        return while_loop(
            lambda i, _: i > 0, step, [last, so_far],
            parallel_iterations=parallel_iterations, back_prop=back_prop,
            swap_memory=swap_memory, maximum_iterations=elements.count)[1]


@export('scan')
def scan(fn, elems, initializer=None, parallel_iterations=10, back_prop=True, swap_memory=False,
         infer_shape=True, reverse=False, name=None):
    """Like tf.foldl, but returns the combined values after every step, stacked.

    Args:
      fn: a function of the last result and the next slices.
        elems: a tensor, or a structure of tensors with the same first dimension.
        initializer: the initial value, or None for the first slices, which are then the first result.
      parallel_iterations: the maximum number of steps that run at the same time.
      back_prop: whether to support gradients.
      swap_memory: as in tf.while_loop.
      infer_shape: whether all results have the same shape.
      reverse: whether to go from the last slices to the first.
      name: the name of the scope.

    Returns:
      A structure like that of the results, with an additional first dimension.

    Raises:
      TypeError: if `fn` is not callable.
      ValueError: if `fn` returns a different structure, `elems` contains scalars, or the first dimensions differ.
    """
    _check_callable(fn)
    with opened_scope(name, 'scan', elems):
        elements = Elements(elems, known_shapes=True)
        structure = elems if initializer is None else initializer
        count = elements.count
        begin = count - 1 if reverse else 0
        if initializer is None:
            results = elements.flat(begin)
        else:
            results = [ops.convert_to_tensor(value) for value in nest.flatten(initializer)]
        arrays = [elements.array(r.dtype, infer_shape, r.shape if infer_shape else None)
                  for r in results]
        if initializer is None:
            arrays = [a.write(begin, r) for a, r in zip(arrays, results, strict=True)]
            begin = count - 2 if reverse else 1

        def step(i, results, arrays):
            made = fn(nest.pack_sequence_as(structure, results), elements[i])
            nest.assert_same_structure(structure, made)
            made = nest.flatten(made)
            arrays = [a.write(i, r) for a, r in zip(arrays, made, strict=True)]
            return (i - 1 if reverse else i + 1, made, arrays)

        arrays = while_loop(
            (lambda i, *_: i >= 0) if reverse else (lambda i, *_: i < count),
            step, (begin, results, arrays), parallel_iterations=parallel_iterations,
            back_prop=back_prop, swap_memory=swap_memory, maximum_iterations=count)[2]
        return nest.pack_sequence_as(structure, elements.stacked(arrays))


def __getattr__(name):
    if name == 'map_fn':
        from ramet.ops.map_fn import map_fn
        return map_fn
    raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
