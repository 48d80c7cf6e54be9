"""Handles of values that stay in a session between runs."""

from ramet import gen
from ramet.api import export
from ramet.framework import dtypes, ops

_HANDLE_OPS = ('GetSessionHandle', 'GetSessionHandleV2')


def used_in(graph):
    """Returns whether runs of the graph may fetch or feed handles.

    Args:
      graph: a Graph.
    """
    return getattr(graph, '_uses_session_handles', False)


def wrap(session, elements, values):
    """Returns fetched values with TensorHandles for the handles among them, which the session then deletes when unused.

    Args:
      session: the Session.
      elements: the tensors and operations that were fetched.
      values: their values.
    """
    return [TensorHandle(value, element.op.inputs[0].dtype.base_dtype, session)
            if isinstance(element, ops.Tensor) and element.op.type in _HANDLE_OPS else value
            for element, value in zip(elements, values)]


def as_feed(tensor, value):
    """Returns what to feed for a value that may be a TensorHandle: its name, or the value that it stands for.

    Args:
      tensor: the tensor that is fed.
      value: the value.
    """
    if not isinstance(value, TensorHandle):
        return value
    is_holder = tensor in getattr(tensor.graph, '_session_handle_holders', ())
    return value.handle if is_holder or tensor.dtype == dtypes.string else value.eval()


class TensorHandle:
    """The handle of a value in a session. The value is deleted when the last reference to the handle is gone.

    Args:
      handle: bytes or str, its text.
      dtype: the DType of the value.
      session: the Session.
    """

    def __init__(self, handle, dtype, session):
        self._handle = handle.decode() if isinstance(handle, bytes) else str(handle)
        self._dtype = dtype
        self._session = session
        self._auto_gc_enabled = True

    def __del__(self):
        if self._auto_gc_enabled:
            self._session._dead_handles.append(self._handle)

    def __str__(self):
        return self._handle

    @property
    def handle(self):
        """The text of the handle."""
        return self._handle

    def _check(self):
        if not self._auto_gc_enabled:
            raise TypeError(f'Persistent tensor {self.handle} may have already been deleted.')

    def eval(self):
        """Returns the value.

        Raises:
          TypeError: if the value was deleted, or get_raw_handle was called.
        """
        self._check()
        dtype = self._dtype
        return _run_with_handle(self._session, dtype,
                                lambda holder: gen.GetSessionTensor(holder, dtype), self._handle)

    def delete(self):
        """Deletes the value.

        Raises:
          TypeError: if it was deleted before, or get_raw_handle was called.
        """
        self._check()
        delete(self._session, self._handle)
        self._auto_gc_enabled = False

    def get_raw_handle(self):
        """Returns the text of the handle. The value is not deleted with this object any longer."""
        self._auto_gc_enabled = False
        return self._handle


def delete(session, handle):
    """Deletes a value.

    Args:
      session: the Session.
      handle: the text of its handle.
    """
    _run_with_handle(session, 'delete', gen.DeleteSessionTensor, handle)


def _run_with_handle(session, kind, make, handle):
    """Runs an operation of the graph that takes the text of a handle, and adds it when it is first needed."""
    graph = session.graph
    known = graph.__dict__.setdefault('_session_handle_ops', {})
    if kind not in known:
        with graph.as_default(), ops.control_dependencies(None):
            holder = _holder()
            known[kind] = holder, make(holder)
    holder, op = known[kind]
    return session.run(op, {holder: handle})


def _holder():
    holder = gen.Placeholder(dtype=dtypes.string, shape=None)
    holder.graph.__dict__.setdefault('_session_handle_holders', set()).add(holder)
    holder.graph._uses_session_handles = True
    return holder


@export('get_session_handle')
def get_session_handle(data, name=None):
    """Keeps a value in the session. A run that fetches the result returns a TensorHandle, which later runs can feed.

    Args:
      data: a tensor.
      name: the name of the operation.

    Raises:
      TypeError: if `data` is not a tensor.
    """
    if not isinstance(data, ops.Tensor):
        raise TypeError('`data` must be of type Tensor.')
    data.graph._uses_session_handles = True
    with ops.colocate_with(data):
        return gen.GetSessionHandle(data, name=name)


@export('get_session_tensor')
def get_session_tensor(handle, dtype, name=None):
    """Returns a placeholder for a handle, and the value that belongs to the handle that is fed.

    Args:
      handle: str, the text of a handle.
      dtype: the DType of the value.
      name: the name of the operation.

    Returns:
      A pair of tensors.
    """
    del handle  # TensorFlow takes the device from it
    holder = _holder()
    return holder, gen.GetSessionTensor(holder, dtype, name=name)


@export('delete_session_tensor')
def delete_session_tensor(handle, name=None):
    """Returns a placeholder for a handle, and an operation that deletes the value of the handle that is fed.

    Args:
      handle: str, the text of a handle.
      name: the name of the operation.

    Returns:
      A pair of a tensor and an operation.
    """
    del handle
    holder = _holder()
    return holder, gen.DeleteSessionTensor(holder, name=name)
