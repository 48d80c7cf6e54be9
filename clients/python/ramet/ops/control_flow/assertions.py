"""Assert, and checks for infinities and NaNs."""

from ramet import gen
from ramet.api import export
from ramet.framework import dtypes, errors, graph_only, ops
from ramet.ops.array.array_basics import one_of
from ramet.ops.control_flow.cond import cond
from ramet.ops.control_flow.dependencies import group, with_dependencies


@export('Assert', 'debugging.Assert')
def Assert(condition, data, summarize=None, name=None):
    """Returns an operation that fails if a condition is false.

    Args:
      condition: a bool scalar.
      data: a list of tensors whose values the error message contains.
      summarize: how many elements of each tensor to print. Defaults to 3.
      name: the name of the scope.

    Returns:
      An Operation; add a control dependency on it so that it runs.
    """
    if ops.executing_eagerly():
        return _check(condition, data, summarize)
    with ops.name_scope(name, 'Assert', [condition, data]):
        converted = [ops.convert_to_tensor(value) for value in data]
        if all(value.dtype in (dtypes.string, dtypes.int32) for value in converted):
            return gen.Assert(condition, data, summarize=summarize, name='Assert')
        condition = ops.convert_to_tensor(condition, name='Condition')

        def fail():
            return gen.Assert(condition, data, summarize=summarize, name='Assert')
        return cond(condition, gen.NoOp, fail, name='AssertGuard').op


def _check(condition, data, summarize):
    """Raises InvalidArgumentError if a condition is false."""
    if condition:
        return
    lines = '\n'.join(_summary(ops.convert_to_tensor(value), summarize) for value in data)
    raise errors.InvalidArgumentError(
        node_def=None, op=None, message=f"Expected '{condition!s}' to be true. Summarized data: {lines}")


def _summary(tensor, summarize):
    """Returns the first elements of a tensor as text."""
    summarize = 3 if summarize is None else 1e8 if summarize < 0 else summarize
    if tensor._rank():
        flat = tensor.numpy().reshape(-1)
        shown = [str(element) for element in flat[:int(summarize)]]
        return ', '.join([*shown, '...'] if len(flat) > summarize else shown)
    return str(tensor.numpy())


@export('debugging.assert_all_finite', 'verify_tensor_all_finite')
def verify_tensor_all_finite(t=None, msg=None, name=None, x=None, message=None):
    """Returns a tensor that fails if an element is infinite or NaN.

    Args:
      t: a tensor of floating-point numbers.
      msg: the error message.
      name: the name of the scope.
      x: another name of `t`.
      message: another name of `msg`.

    Returns:
      A tensor like `t`.
    """
    x = one_of('x', x, 't', t)
    message = one_of('message', message, 'msg', msg)
    with ops.name_scope(name, 'VerifyFinite', [x]):
        x = ops.convert_to_tensor(x, name='x_name')
        with ops.colocate_with(x):
            verified = gen.CheckNumerics(x, message=message)
        return with_dependencies([verified], x)


@export('add_check_numerics_ops')
@graph_only.needs_graph("add_check_numerics_ops() is not compatible with eager execution. To check for Inf's and NaN's "
                        'under eager execution, call tf.debugging.enable_check_numerics() once before executing the '
                        'checked operations.')
def add_check_numerics_ops():
    """Adds a check for infinities and NaNs to every floating-point tensor of the graph.

    Returns:
      An Operation that runs all of the checks.

    Raises:
      ValueError: if the graph has control flow.
    """
    checks = []
    for op in ops.get_default_graph().get_operations():
        for output in op.outputs:
            if output.dtype in (dtypes.float16, dtypes.float32, dtypes.float64):
                with ops.control_dependencies(checks):
                    checks = [gen.CheckNumerics(output,
                                                message=f'{op.name}:{output.value_index}')]
    return group(*checks)
