"""tf.GradientTape, which differentiates the operations that are added while it records."""

import contextlib

from ramet import gen
from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.framework import nest, ops, tensor_shape
from ramet.framework.indexed_slices import IndexedSlices
from ramet.lib import tf_logging
from ramet.ops.array import array_ops
from ramet.ops.checks import check_ops
from ramet.ops.control_flow import while_loop as loops
from ramet.ops.control_flow.tensor_array_ops import TensorArray
from ramet.ops.gradients.eager_records import EagerRecords
from ramet.ops.gradients.gradients import UnconnectedGradients
from ramet.ops.gradients.tape_records import TapeRecords, is_trainable
from ramet.ops.variables.variables import Variable

_USED = 'A non-persistent GradientTape can only be used to compute one set of gradients (or jacobians)'


def _handle_or_self(value):
    """Returns the tensor that stands for a variable: its handle, or the value of a reference variable."""
    if not isinstance(value, Variable):
        return value
    return value.handle if value._is_resource else value._snapshot


def _parts(value):
    """Returns the tensors of a source or target whose gradients are asked for."""
    value = _handle_or_self(value)
    return value.values if isinstance(value, IndexedSlices) else value


def _rows(target):
    """Returns the number of elements of a vector, as an int if it is known."""
    size = tensor_shape.dimension_value(target.shape[0])
    return array_ops.shape(target)[0] if size is None else size


@export('GradientTape')
class GradientTape:
    """Records the operations that are added to the graph, to compute gradients through them only.

        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        dy_dx = tape.gradient(y, x)

    Args:
      persistent: whether gradient may be called several times.
      watch_accessed_variables: whether trainable resource variables are watched when they are read.
    """

    def __init__(self, persistent=False, watch_accessed_variables=True):
        self._persistent = persistent
        self._watch_accessed_variables = watch_accessed_variables
        self._records = None
        self._recording = False
        self._watched_variables = ()

    def __enter__(self):
        self._push()
        return self

    def __exit__(self, *unused_error):
        if self._recording:
            self._pop()

    def _push(self):
        if self._recording:
            raise ValueError('Tape is still recording, This can happen if you try to re-enter an already-active tape.')
        if self._records is None:
            kind = EagerRecords if ops.executing_eagerly() else TapeRecords
            self._records = kind(self._watch_accessed_variables)
        self._records.start()
        self._recording = True

    def _pop(self):
        if not self._recording:
            raise ValueError('Tape is not recording.')
        self._records.stop()
        self._recording = False

    def watch(self, tensor):
        """Makes gradients with respect to a tensor possible.

        Args:
          tensor: a Tensor or Variable, or a structure of them.

        Raises:
          ValueError: if it contains anything else.
        """
        for each in nest.flatten(tensor, expand_composites=True):
            if not isinstance(each, (ops.Tensor, Variable)):
                raise ValueError(f'Passed in object {each} of type {type(each).__name__!r}, not tf.Tensor or '
                                 'tf.Variable or ExtensionType.')
            if not is_trainable(each):
                tf_logging.log_first_n(
                    tf_logging.WARN,
                    'The dtype of the watched tensor must be floating (e.g. tf.float32), got %r', 5, each.dtype)
            if isinstance(each, Variable) and each._is_resource:
                self._records.watch_variable(each)
            else:
                self._records.watch(_handle_or_self(each))

    @contextlib.contextmanager
    def stop_recording(self):
        """Returns a context in which added operations are not recorded.

        Raises:
          RuntimeError: if the tape is not recording.
        """
        if self._records is None:
            raise RuntimeError('Trying to stop recording a tape which is not recording.')
        self._pop()
        try:
            yield
        finally:
            self._push()

    @contextlib.contextmanager
    def _ensure_recording(self):
        if self._recording:
            yield
            return
        self._push()
        try:
            yield
        finally:
            self._pop()

    def reset(self):
        """Discards the recorded operations and the watched tensors, and goes on recording."""
        self._pop()
        self._records = None
        self._push()

    def watched_variables(self):
        """Returns the watched variables as a tuple, in the order of their creation."""
        if self._records is not None:
            self._watched_variables = self._records.variables()
        return self._watched_variables

    def gradient(self, target, sources, output_gradients=None, unconnected_gradients=UnconnectedGradients.NONE):
        """Adds the nodes that compute the derivatives of the sum of the targets.

        Args:
          target: a Tensor or Variable, or a structure of them.
          sources: a Tensor or Variable to differentiate with respect to, or a structure of them.
          output_gradients: for each target, the derivative to start from, or None for ones.
          unconnected_gradients: the gradient of a source that no target depends on.

        Returns:
          A Tensor, IndexedSlices or None for each source, in the structure of `sources`.

        Raises:
          RuntimeError: if the tape is not persistent and has been used.
          TypeError: if target is None.
          ValueError: if unconnected_gradients is unknown.
          LookupError: if a recorded op has no gradient.
        """
        if self._records is None:
            raise RuntimeError(_USED)
        if self._recording and not self._persistent:
            self._pop()
        if target is None:
            raise TypeError('Argument `target` should be a list or nested structure of Tensors, Variables or '
                            'CompositeTensors to be differentiated, but received None.')
        grads = self._flat_gradients([_parts(t) for t in nest.flatten(target)],
                                     nest.flatten(sources),
                                     output_gradients, unconnected_gradients)
        if not self._persistent:
            self._watched_variables = self._records.variables()
            self._records = None
        return nest.pack_sequence_as(sources, grads)

    def _flat_gradients(self, targets, sources, output_gradients, unconnected):
        try:
            zeros = UnconnectedGradients(unconnected) == UnconnectedGradients.ZERO
        except ValueError:
            raise ValueError(f'Unknown value for unconnected_gradients: {unconnected!r}') from None
        starts = [None] * len(targets)
        if output_gradients is not None:
            starts = [None if g is None else ops.convert_to_tensor(g) for g in nest.flatten(output_gradients)]
        found = self._records.gradients(targets, [_parts(source) for source in sources], starts)
        return [self._records.zeros_for(source) if grad is None and zeros else grad
                for grad, source in zip(found, sources)]

    def jacobian(self, target, sources, unconnected_gradients=UnconnectedGradients.NONE, parallel_iterations=None,
                 experimental_use_pfor=True):
        """Adds a loop that computes the derivatives of each element of a tensor.

        Args:
          target: a Tensor.
          sources: a Tensor or Variable to differentiate with respect to, or a structure of them.
          unconnected_gradients: the gradient of a source that the target does not depend on.
          parallel_iterations: the number of iterations of the loop that may overlap.
          experimental_use_pfor: ignored. Gradients are computed one after the other.

        Returns:
          A Tensor whose shape is that of target and that of the source, or None, for each source, in the
          structure of `sources`.

        Raises:
          RuntimeError: if the tape is not persistent and has been used.
        """
        del experimental_use_pfor
        if self._records is None:
            raise RuntimeError(_USED)
        flat_sources = nest.flatten(sources)
        target_shape = array_ops.shape(target)
        with self._ensure_recording():
            flat = array_ops.reshape(target, [-1])

        def rows_of(i):
            with self._ensure_recording():
                y = array_ops.gather(flat, i)
            return y

        rows = self._loop(rows_of, flat_sources, _rows(flat), unconnected_gradients, parallel_iterations)
        for i, row in enumerate(rows):
            if row is not None:
                shape = array_ops.concat([target_shape, array_ops.shape(row)[1:]], axis=0)
                rows[i] = array_ops.reshape(row, shape)
        return nest.pack_sequence_as(sources, rows)

    def _loop(self, y_of, sources, count, unconnected, parallel_iterations):
        """Returns, for each source, the stacked gradients of y_of(0), y_of(1), ...; or None."""
        records, persistent = self._records, self._persistent
        self._persistent = True
        connected = [None] * len(sources)

        def write_row(i, *arrays):
            grads = self.gradient(y_of(i), sources, unconnected_gradients=unconnected)
            connected[:] = [grad is not None for grad in grads]
            written = [array.write(i, array_ops.zeros([]) if grad is None else ops.convert_to_tensor(grad))
                       for array, grad in zip(arrays, grads)]
            return (i + 1, *written)

        arrays = [TensorArray(source.dtype.base_dtype, count) for source in sources]
        try:
            loop = loops.while_loop(lambda i, *_: i < count, write_row, (ops.convert_to_tensor(0), *arrays),
                                    parallel_iterations=parallel_iterations or 10)
        finally:
            self._persistent = persistent
        if not persistent:
            self._watched_variables = records.variables()
            self._records = None
        return [array.stack() if is_connected else None for array, is_connected in zip(loop[1:], connected)]

    @with_args_of(jacobian)
    def batch_jacobian(self, target, source, unconnected_gradients=UnconnectedGradients.NONE,
                       parallel_iterations=None, experimental_use_pfor=True):
        """Adds a loop that computes the derivatives of each row of a tensor by the same row of another.

        Args:
          target: a Tensor [batch, ...] whose rows depend on the same row of source only.
          source: a Tensor [batch, ...].

        Returns:
          A Tensor [batch, shape of a row of target, shape of a row of source].

        Raises:
          RuntimeError: if the tape is not persistent and has been used.
          ValueError: if the first dimensions differ.
        """
        del experimental_use_pfor
        if self._records is None:
            raise RuntimeError(_USED)
        dim = tensor_shape.Dimension(None) if target.shape.rank is None else target.shape.dims[0]
        if not (target.shape.with_rank_at_least(2) and source.shape.with_rank_at_least(2)
                and dim.is_compatible_with(source.shape[0])):
            raise ValueError(f'Need first dimension of target shape ({target.shape}) and source shape '
                             f'({source.shape}) to match.')
        target_shape, source_shape = array_ops.shape(target), array_ops.shape(source)
        with self._ensure_recording(), ops.control_dependencies(
                [check_ops.assert_equal(target_shape[0], source_shape[0])]):
            flat = array_ops.transpose(array_ops.reshape(target, [target_shape[0], -1]))

        def column_of(i):
            with self._ensure_recording():
                y = array_ops.gather(flat, i)
            return y

        [columns] = self._loop(column_of, [source], array_ops.shape(flat)[0], unconnected_gradients,
                               parallel_iterations)
        if columns is None:
            return None
        # columns is [elements of a row of target, batch, shape of a row of source].
        rank = array_ops.rank(columns)
        order = array_ops.concat([[1, 0], gen.Range(start=2, limit=rank, delta=1)], 0)
        shape = array_ops.concat([target_shape, source_shape[1:]], 0)
        return array_ops.reshape(array_ops.transpose(columns, order), shape)
