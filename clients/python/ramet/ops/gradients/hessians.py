"""tf.hessians, which adds the nodes that compute second derivatives."""

from ramet.api import export
from ramet.framework import constant_op, dtypes
from ramet.ops.array import array_ops
from ramet.ops.control_flow import while_loop as loops
from ramet.ops.control_flow.tensor_array_ops import TensorArray
from ramet.ops.gradients.gradients import gradients


@export('hessians')
def hessians(ys, xs, name='hessians', colocate_gradients_with_ops=False, gate_gradients=False,
             aggregation_method=None):
    """Adds the nodes that compute the Hessian of the sum of ys with respect to each x.

    A loop differentiates the elements of the gradient one after the other.

    Args:
      ys: a Tensor or a list of them.
      xs: a Tensor or Variable, or a list of them.
      name: ignored, as in TensorFlow.
      colocate_gradients_with_ops: as for tf.gradients, for the first derivatives only.
      gate_gradients: as for tf.gradients, for the first derivatives only.
      aggregation_method: as for tf.gradients, for the first derivatives only.

    Returns:
      A list with a Tensor for each x, whose shape is that of x twice.

    Raises:
      LookupError: if an op between ys and xs has no gradient.
      ValueError: if no y depends on an x, or an element of its gradient does not.
    """
    del name
    xs = list(xs) if isinstance(xs, (list, tuple)) else [xs]
    options = {'colocate_gradients_with_ops': colocate_gradients_with_ops,
               'gate_gradients': gate_gradients, 'aggregation_method': aggregation_method}
    return [_hessian(gradient, x)
            for gradient, x in zip(gradients(ys, xs, **options), xs)]


def _hessian(gradient, x):
    gradient = array_ops.reshape(gradient, [-1])
    count = array_ops.size(x)

    def write_row(i, rows):
        return i + 1, rows.write(i, gradients(gradient[i], x)[0])

    first = [constant_op.constant(0, dtypes.int32), TensorArray(x.dtype, count)]
    rows = loops.while_loop(lambda i, _: i < count, write_row, first)[1]
    shape = array_ops.shape(x)
    return array_ops.reshape(rows.stack(), array_ops.concat((shape, shape), 0))
