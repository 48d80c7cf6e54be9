"""foldl, foldr and scan, which apply a function along the first dimension; and map_fn."""

from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.framework import constant_op, nest, ops
from ramet.ops.control_flow.loop_elements import Elements, check_callable, opened_scope
from ramet.ops.control_flow.map_fn import map_fn  # noqa: F401
from ramet.ops.control_flow.while_loop import while_loop


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
    check_callable(fn)
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
@with_args_of(foldl)
def foldr(fn, elems, initializer=None, parallel_iterations=10, back_prop=True, swap_memory=False,
          name=None):
    """Combines the slices of tensors along their first dimension, from last to first.

    Returns:
      The last result of `fn`.
    """
    check_callable(fn)
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
    check_callable(fn)
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
