"""tf.cond: one of two computations, selected while the graph runs."""

from ramet import _core, gen
from ramet.api import export
from ramet.framework import dtypes, indexed_slices, nest, ops
from ramet.ops.control_flow import control_flow_values as values
from ramet.ops.control_flow import dependencies, modes
from ramet.ops.math import math_cast


@export('cond')
def cond(pred, true_fn=None, false_fn=None, strict=False, name=None, fn1=None, fn2=None):
    """Returns true_fn() if `pred` is True when the graph runs, and false_fn() otherwise.

    Both functions are called once, while the graph is built. The operations that they add run only if
    their branch is taken. Tensors from outside that they use are computed in both cases.

    Args:
      pred: a bool scalar, a tensor.
      true_fn: a function without arguments that returns tensors (or a structure of them),
        SparseTensors, IndexedSlices, TensorArrays or Operations.
      false_fn: a function like true_fn, which returns the same structure with the same dtypes.
      strict: whether lists and tuples of one element are kept instead of unpacked.
      name: the name of the scope.
      fn1: deprecated name of true_fn.
      fn2: deprecated name of false_fn.

    Returns:
      The result of the functions, with the values of the branch that is taken.

    Raises:
      TypeError: if `pred` is a Python bool, or one of the functions is not callable.
      ValueError: if the functions return None, an empty list, or results that differ in structure
        or dtype.
    """
    true_fn = _function('true_fn', true_fn, 'fn1', fn1)
    false_fn = _function('false_fn', false_fn, 'fn2', fn2)
    for role, function in (('true_fn', true_fn), ('false_fn', false_fn)):
        if not callable(function):
            raise TypeError(f"'{role}' must be callable.")
    if modes.is_functional() and not isinstance(pred, bool):
        functional_cond, _ = modes.functional()
        return functional_cond(pred, true_fn, false_fn, name)
    with ops.name_scope(name, 'cond', [pred]):
        if ops.executing_eagerly():
            result = true_fn() if pred else false_fn()
            return result if strict else unpack_if_singleton(result)
        if isinstance(pred, bool):
            raise TypeError("'pred' must not be a Python bool.")
        pred, true_pivot, false_pivot = _pivots(pred)
        true_branch = _Branch(pred, true_pivot, 1, true_fn, 'true_fn', strict)
        false_branch = _Branch(pred, false_pivot, 0, false_fn, 'false_fn', strict)
        result = _merged(true_branch, false_branch, strict)
        true_branch.context._add_to_collection()
        false_branch.context._add_to_collection()
        return result


def _function(name, function, old_name, old_function):
    if old_function is not None:
        if function is not None:
            raise TypeError(f"cond(): '{name}' and '{old_name}' may not be set simultaneously.")
        return old_function
    if function is None:
        raise TypeError(f"cond(): '{name}' argument required")
    return function


def _pivots(pred):
    """Returns the condition inside, and the pivots of the true and the false branch."""
    where_false, where_true = gen.Switch(pred, pred)
    true_pivot = gen.Identity(where_true, name='switch_t')
    false_pivot = gen.Identity(where_false, name='switch_f')
    pred = gen.Identity(pred, name='pred_id')
    for tensor in (where_true, where_false, true_pivot, false_pivot, pred):
        tensor.graph.prevent_fetching(tensor.op)
    return pred, true_pivot, false_pivot


class _Branch:
    """A branch that has been built: its context, the function's result, and the tensors for it."""

    def __init__(self, pred, pivot, number, function, role, strict):
        graph = pivot.graph
        self.context = _core.cond_context(graph, pred, pivot, number)
        self.context.Enter()
        try:
            result, summaries = self._call(graph, function)
            if result is None and not summaries:
                raise ValueError(f"'{role}' must have a return value.")
            if summaries:
                result = values.after_summaries(summaries, result)
            self.result = result if strict else unpack_if_singleton(result)
            self.outside = nest.map_structure(self._outside, result, expand_composites=True)
            self.context.ExitResult(self.tensors)
        finally:
            self.context.Exit()
        if result is None:
            raise ValueError(f"'{role}' must have a return value.")

    @property
    def tensors(self):
        return nest.flatten(self.outside, expand_composites=True)

    @staticmethod
    def _call(graph, function):
        with values.summaries_inside(graph) as summaries:
            result = function()
        return result, summaries

    def _outside(self, value):
        if isinstance(value, ops.Operation):
            return dependencies.with_dependencies([value], self.context.pivot)
        return self.context._process_output(ops.convert_to_tensor(values.flow_of(value)))


def unpack_if_singleton(result):
    """Returns the only element of a list or tuple of length one; other values are returned unchanged."""
    if isinstance(result, (list, tuple)) and not nest.is_namedtuple(result) and len(result) == 1:
        return result[0]
    return result


def _with_indices_alike(true_value, false_value):
    """Returns both values, with int64 indices if only one has IndexedSlices with int32 indices."""
    of_true, of_false = nest.flatten(true_value), nest.flatten(false_value)
    differing = [i for i, pair in enumerate(zip(of_true, of_false))
                 if all(isinstance(value, indexed_slices.IndexedSlices) for value in pair)
                 and pair[0].indices.dtype != pair[1].indices.dtype]
    if not differing:
        return true_value, false_value
    for i in differing:
        for values_of in (of_true, of_false):
            slices = values_of[i]
            values_of[i] = indexed_slices.IndexedSlices(
                slices.values, math_cast.cast(slices.indices, dtypes.int64), slices.dense_shape)
    return (nest.pack_sequence_as(true_value, of_true),
            nest.pack_sequence_as(false_value, of_false))


def _merged(true_branch, false_branch, strict):
    true_branch.result, false_branch.result = _with_indices_alike(
        true_branch.result, false_branch.result)
    true_branch.outside, false_branch.outside = _with_indices_alike(
        true_branch.outside, false_branch.outside)
    nest.assert_same_structure(true_branch.result, false_branch.result, expand_composites=True)
    for of_true, of_false in zip(true_branch.tensors, false_branch.tensors, strict=True):
        if of_true.dtype.base_dtype != of_false.dtype.base_dtype:
            raise ValueError(
                "Outputs of 'true_fn' and 'false_fn' must have the same type(s). Received "
                f"{of_true.dtype.name} from 'true_fn' and {of_false.dtype.name} from 'false_fn'.")
    if isinstance(true_branch.result, (list, tuple)) and not true_branch.result:
        raise ValueError("'true_fn' and 'false_fn' must return at least one result.")
    merges = [merge([of_false, of_true])[0] for of_false, of_true
              in zip(false_branch.tensors, true_branch.tensors, strict=True)]
    originals = nest.flatten(true_branch.result, expand_composites=True)
    merges = values.with_flows(originals, merges)
    result = nest.pack_sequence_as(true_branch.result, merges, expand_composites=True)
    return result if strict else unpack_if_singleton(result)


def merge(inputs, name=None):
    """Returns the value of the input that is available, and its index, with a Merge node.

    Args:
      inputs: a list of tensors, at most one of which has a value.
      name: the name of the node.
    """
    if all(tensor.dtype._is_ref_dtype for tensor in inputs):
        return gen.RefMerge(inputs, name=name)
    return gen.Merge(inputs, name=name)
