"""tf.map_fn."""

from ramet.api import export
from ramet.framework import constant_op, dtypes, nest, type_spec
from ramet.ops.control_flow.loop_elements import Elements, check_callable, opened_scope
from ramet.ops.control_flow.while_loop import while_loop


@export('map_fn')
def map_fn(fn, elems, dtype=None, parallel_iterations=None, back_prop=True, swap_memory=False,
           infer_shape=True, name=None, fn_output_signature=None):
    """Applies a function to the slices of tensors along their first dimension and stacks the results.

    Args:
      fn: a function of a slice, with the structure of `elems`.
      elems: a tensor, or a structure of tensors with the same first dimension.
      dtype: the dtypes of the results of `fn`, in their structure. Defaults to those of `elems`.
      parallel_iterations: the maximum number of calls that run at the same time. None means 10.
      back_prop: whether to support gradients.
      swap_memory: as in tf.while_loop.
      infer_shape: whether all results have the same shape.
      name: the name of the scope.
      fn_output_signature: an alternative to `dtype`, which may contain TensorSpecs.

    Returns:
      A structure like that of the results, with an additional first dimension.

    Raises:
      TypeError: if `fn` is not callable.
      ValueError: if `fn` returns a different structure, `elems` contains scalars, or the first dimensions differ.
    """
    check_callable(fn)
    signature = dtype if fn_output_signature is None else fn_output_signature
    with opened_scope(name, 'map', elems):
        elements = Elements(elems)
        structure = elems if signature is None else signature
        first = constant_op.constant(0)
        if signature is None:
            arrays = [elements.array(tensor.dtype, infer_shape) for tensor in elements.tensors]
        else:
            arrays = [elements.array(*_dtype_and_shape(entry, infer_shape))
                      for entry in nest.flatten(signature)]

        def step(i, arrays):
            result = fn(elements[i])
            nest.assert_same_structure(structure, result)
            return (i + 1, [array.write(i, value) for array, value in zip(
                arrays, nest.flatten(result), strict=True)])

        arrays = while_loop(
            lambda i, _: i < elements.count, step, (first, arrays),
            parallel_iterations=parallel_iterations or 10, back_prop=back_prop,
            swap_memory=swap_memory, maximum_iterations=elements.count)[1]
        return nest.pack_sequence_as(structure, elements.stacked(arrays))


def _dtype_and_shape(entry, infer_shape):
    if isinstance(entry, type_spec.TensorSpec):
        return entry.dtype, infer_shape, entry.shape
    return dtypes.as_dtype(entry), infer_shape, None
