"""The exceptions of failed operations: one class for each status code."""

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
    """Where op was made, and where the ops were made that its gradient was built for."""
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
    """A step, a graph or a file operation failed. Its subclasses tell the status code.

    Printed, it gives the message and the lines of the program that made the op that failed.
    """

    _code = UNKNOWN

    def __init__(self, node_def, op, message, error_code=None, *args):
        """Makes the error.

        Args:
            node_def: NodeDef of the node that failed, or None.
            op: the Operation that failed, or None.
            message: str.
            error_code: one of the codes of `tf.errors`; by default that of the class.
            *args: the payloads of the status, a dict of str to bytes, if any.
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
        """What failed, as str."""
        return self._message

    @property
    def op(self):
        """The Operation that failed, or None where no op of the graph is to blame."""
        return self._op

    @property
    def node_def(self):
        """The NodeDef of the node that failed, or None."""
        if self._node_def is None and self._from_core:
            self._node_def = self._op.node_def
        return self._node_def

    # Set where the core raised: the NodeDef is then made when somebody asks for it.
    _from_core = False

    @property
    def error_code(self):
        """The status code, one of the constants of `tf.errors`."""
        return self._error_code

    @property
    def experimental_payloads(self):
        """Payloads of the status: dict of str to bytes."""
        return self._payloads

    def __reduce__(self):
        return type(self), (self._node_def, None, self._message, self._error_code)

    def __str__(self):
        return self.message if self._op is None else self.message + _creation_text(self._op)


@export('errors.CancelledError')
class CancelledError(OpError):
    """The operation or step was cancelled, as by closing the queue or the session it waited on."""

    _code = CANCELLED


@export('errors.UnknownError')
class UnknownError(OpError):
    """An error without a code of its own, such as an exception in a function of py_func."""

    _code = UNKNOWN


@export('errors.InvalidArgumentError')
class InvalidArgumentError(OpError):
    """An operation was given values, shapes or attributes that it does not take."""

    _code = INVALID_ARGUMENT


@export('errors.DeadlineExceededError')
class DeadlineExceededError(OpError):
    """The time allowed was over before the operation was."""

    _code = DEADLINE_EXCEEDED


@export('errors.NotFoundError')
class NotFoundError(OpError):
    """A file, a tensor of a checkpoint or another named thing is not there."""

    _code = NOT_FOUND


@export('errors.AlreadyExistsError')
class AlreadyExistsError(OpError):
    """The thing that was to be made is there already."""

    _code = ALREADY_EXISTS


@export('errors.PermissionDeniedError')
class PermissionDeniedError(OpError):
    """The caller may not do this, as with a file that it may not read."""

    _code = PERMISSION_DENIED


@export('errors.UnauthenticatedError')
class UnauthenticatedError(OpError):
    """The request came without valid credentials."""

    _code = UNAUTHENTICATED


@export('errors.ResourceExhaustedError')
class ResourceExhaustedError(OpError):
    """Memory, disk space or another limited resource ran out."""

    _code = RESOURCE_EXHAUSTED


@export('errors.FailedPreconditionError')
class FailedPreconditionError(OpError):
    """The state does not allow the operation, as with a variable that has no value yet."""

    _code = FAILED_PRECONDITION


@export('errors.AbortedError')
class AbortedError(OpError):
    """The operation was given up, as of two that ran into each other."""

    _code = ABORTED


@export('errors.OutOfRangeError')
class OutOfRangeError(OpError):
    """Reading went past the end: of a queue, a data set or a file."""

    _code = OUT_OF_RANGE


@export('errors.UnimplementedError')
class UnimplementedError(OpError):
    """There is no kernel that does this with these types or on this device."""

    _code = UNIMPLEMENTED


@export('errors.InternalError')
class InternalError(OpError):
    """The runtime broke one of its own rules."""

    _code = INTERNAL


@export('errors.UnavailableError')
class UnavailableError(OpError):
    """The service cannot be reached now; trying again may help."""

    _code = UNAVAILABLE


@export('errors.DataLossError')
class DataLossError(OpError):
    """Data is damaged beyond repair, as a file that was cut off or whose checksum is wrong."""

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
    """The exception class of a status code.

    Raises:
        KeyError: if there is no class for it; OK has none.
    """
    return _CLASS_BY_CODE[error_code]


@export('errors.error_code_from_exception_type')
def error_code_from_exception_type(cls):
    """The status code of an exception class; UnknownError is warned of and given for others."""
    code = _CODE_BY_CLASS.get(cls)
    if code is None:
        import warnings

        warnings.warn('Unknown class exception', stacklevel=2)
        return UnknownError(None, None, 'Unknown class exception', None)
    return code


def from_status(code: int, message: str, node_name=None, graph=None) -> OpError:
    """The exception for a failed status of the core.

    Args:
        code: the status code, not OK.
        message: what failed.
        node_name: name of the node that failed, or None or '' where there is none.
        graph: the Graph that has the node; without it, or if it has no such node, the exception
            has no op.

    Returns:
        The exception, to be raised by the caller.
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
