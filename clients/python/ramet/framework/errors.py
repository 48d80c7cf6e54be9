"""The exceptions for failed operations, one class per status code."""

from ramet.api import export, export_value

OK = 0
CANCELLED = 1
UNKNOWN = 2
INVALID_ARGUMENT = 3
DEADLINE_EXCEEDED = 4
NOT_FOUND = 5
ALREADY_EXISTS = 6
PERMISSION_DENIED = 7
RESOURCE_EXHAUSTED = 8
FAILED_PRECONDITION = 9
ABORTED = 10
OUT_OF_RANGE = 11
UNIMPLEMENTED = 12
INTERNAL = 13
UNAVAILABLE = 14
DATA_LOSS = 15
UNAUTHENTICATED = 16

export_value('errors.OK', OK)
export_value('errors.CANCELLED', CANCELLED)
export_value('errors.UNKNOWN', UNKNOWN)
export_value('errors.INVALID_ARGUMENT', INVALID_ARGUMENT)
export_value('errors.DEADLINE_EXCEEDED', DEADLINE_EXCEEDED)
export_value('errors.NOT_FOUND', NOT_FOUND)
export_value('errors.ALREADY_EXISTS', ALREADY_EXISTS)
export_value('errors.PERMISSION_DENIED', PERMISSION_DENIED)
export_value('errors.RESOURCE_EXHAUSTED', RESOURCE_EXHAUSTED)
export_value('errors.FAILED_PRECONDITION', FAILED_PRECONDITION)
export_value('errors.ABORTED', ABORTED)
export_value('errors.OUT_OF_RANGE', OUT_OF_RANGE)
export_value('errors.UNIMPLEMENTED', UNIMPLEMENTED)
export_value('errors.INTERNAL', INTERNAL)
export_value('errors.UNAVAILABLE', UNAVAILABLE)
export_value('errors.DATA_LOSS', DATA_LOSS)
export_value('errors.UNAUTHENTICATED', UNAUTHENTICATED)


def _format_stack(op):
    import traceback

    frames = getattr(op, 'traceback', None) or ()
    return ''.join(
        traceback.format_list(
            [traceback.FrameSummary(*frame) if len(frame) == 3 else frame for frame in frames]
        )
    )


def _creation_text(op):
    """Returns the stack traces of the creation of `op` and of the ops whose gradients it computes."""
    text = f"\n\nOriginal stack trace for '{op.name}':\n{_format_stack(op)}"
    original = getattr(op, '_original_op', None)
    while original is not None:
        text += (
            f"\n...which was originally created as op '{original.name}', defined at:\n"
            f'{_format_stack(original)}'
        )
        original = getattr(original, '_original_op', None)
    return text


@export('OpError', 'errors.OpError')
class OpError(Exception):
    """A step, a graph operation or a file operation failed. The subclass depends on the status code.

    The string form is the message and the stack trace of the creation of the op that failed.
    """

    _code = UNKNOWN

    def __init__(self, node_def, op, message, error_code=None, *args):
        """Creates the error.

        Args:
          node_def: NodeDef of the node that failed, or None.
          op: the Operation that failed, or None.
          message: str.
          error_code: one of the codes of `tf.errors`. The default is the code of the class.
          *args: optionally the payloads of the status, a dict from str to bytes.
        """
        super().__init__()
        if isinstance(error_code, dict):
            error_code, args = None, (error_code, *args)
        self._node_def = node_def
        self._op = op
        self._message = message
        self._error_code = self._code if error_code is None else error_code
        self._payloads = dict(args[0]) if args else {}

    @property
    def message(self):
        """The error message, a str."""
        return self._message

    @property
    def op(self):
        """The Operation that failed, or None if no op of the graph is responsible."""
        return self._op

    @property
    def node_def(self):
        """The NodeDef of the node that failed, or None."""
        if self._node_def is None and self._from_core:
            self._node_def = self._op.node_def
        return self._node_def

    # True if the core raised the error. The NodeDef is then created on demand.
    _from_core = False

    @property
    def error_code(self):
        """The status code, one of the constants of `tf.errors`."""
        return self._error_code

    @property
    def experimental_payloads(self):
        """The payloads of the status, a dict from str to bytes."""
        return self._payloads

    def __reduce__(self):
        return type(self), (self._node_def, None, self._message, self._error_code)

    def __str__(self):
        return self.message if self._op is None else self.message + _creation_text(self._op)


@export('errors.CancelledError')
class CancelledError(OpError):
    """The operation or step was cancelled, for example because its session or queue was closed."""

    _code = CANCELLED


@export('errors.UnknownError')
class UnknownError(OpError):
    """An error without a specific code, such as an exception in a function called by py_func."""

    _code = UNKNOWN


@export('errors.InvalidArgumentError')
class InvalidArgumentError(OpError):
    """An operation received invalid values, shapes or attributes."""

    _code = INVALID_ARGUMENT


@export('errors.DeadlineExceededError')
class DeadlineExceededError(OpError):
    """The operation did not finish within its timeout."""

    _code = DEADLINE_EXCEEDED


@export('errors.NotFoundError')
class NotFoundError(OpError):
    """A file, a tensor in a checkpoint or another named object does not exist."""

    _code = NOT_FOUND


@export('errors.AlreadyExistsError')
class AlreadyExistsError(OpError):
    """The object to create already exists."""

    _code = ALREADY_EXISTS


@export('errors.PermissionDeniedError')
class PermissionDeniedError(OpError):
    """The caller lacks permission, for example to read a file."""

    _code = PERMISSION_DENIED


@export('errors.UnauthenticatedError')
class UnauthenticatedError(OpError):
    """The request has no valid credentials."""

    _code = UNAUTHENTICATED


@export('errors.ResourceExhaustedError')
class ResourceExhaustedError(OpError):
    """Memory, disk space or another limited resource ran out."""

    _code = RESOURCE_EXHAUSTED


@export('errors.FailedPreconditionError')
class FailedPreconditionError(OpError):
    """The state does not allow the operation, for example because a variable has no value yet."""

    _code = FAILED_PRECONDITION


@export('errors.AbortedError')
class AbortedError(OpError):
    """The operation was aborted, for example because of a conflict with another one."""

    _code = ABORTED


@export('errors.OutOfRangeError')
class OutOfRangeError(OpError):
    """A read went past the end of a queue, a data set or a file."""

    _code = OUT_OF_RANGE


@export('errors.UnimplementedError')
class UnimplementedError(OpError):
    """No kernel implements the operation with these types or on this device."""

    _code = UNIMPLEMENTED


@export('errors.InternalError')
class InternalError(OpError):
    """The runtime violated one of its own invariants."""

    _code = INTERNAL


@export('errors.UnavailableError')
class UnavailableError(OpError):
    """The service is unavailable at the moment; retrying may help."""

    _code = UNAVAILABLE


@export('errors.DataLossError')
class DataLossError(OpError):
    """Data is damaged beyond repair, for example a truncated file or one with a wrong checksum."""

    _code = DATA_LOSS


_CLASSES = (
    CancelledError, UnknownError, InvalidArgumentError, DeadlineExceededError, NotFoundError,
    AlreadyExistsError, PermissionDeniedError, ResourceExhaustedError, FailedPreconditionError,
    AbortedError, OutOfRangeError, UnimplementedError, InternalError, UnavailableError,
    DataLossError, UnauthenticatedError,
)  # fmt: skip
_CLASS_BY_CODE = {cls._code: cls for cls in _CLASSES}
_CODE_BY_CLASS = {cls: cls._code for cls in _CLASSES}


@export('errors.exception_type_from_error_code')
def exception_type_from_error_code(error_code):
    """Returns the exception class for a status code.

    Args:
      error_code: one of the codes of `tf.errors`.

    Raises:
      KeyError: if the code has no class. OK has none.
    """
    return _CLASS_BY_CODE[error_code]


@export('errors.error_code_from_exception_type')
def error_code_from_exception_type(cls):
    """Returns the status code of an exception class.

    Args:
      cls: one of the classes of `tf.errors`. For any other class, an UnknownError is returned, with a
        warning.
    """
    code = _CODE_BY_CLASS.get(cls)
    if code is None:
        import warnings

        warnings.warn('Unknown class exception', stacklevel=2)
        return UnknownError(None, None, 'Unknown class exception', None)
    return code


def from_status(code: int, message: str, node_name=None, graph=None) -> OpError:
    """Returns the exception for a failed status of the core.

    Args:
      code: the status code, not OK.
      message: the error message.
      node_name: the name of the node that failed; None or '' if there is none.
      graph: the Graph that has the node. Without a graph that has it, the exception has no op.

    Returns:
      The exception, for the caller to raise.
    """
    op = None
    if node_name and graph is not None:
        try:
            op = graph.get_operation_by_name(node_name)
        except (KeyError, ValueError):
            op = None
    error = _CLASS_BY_CODE.get(code, UnknownError)(None, op, message, code)
    error._from_core = op is not None
    return error
