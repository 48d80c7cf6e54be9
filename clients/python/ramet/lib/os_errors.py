"""Converts errors of the operating system to the exceptions that TensorFlow raises."""

import contextlib
import errno
import os

from ramet.framework import errors

_CODES = {
    errors.INVALID_ARGUMENT: ('EINVAL', 'ENAMETOOLONG', 'EILSEQ', 'ESPIPE', 'ELOOP'),
    errors.DEADLINE_EXCEEDED: ('ETIMEDOUT',),
    errors.NOT_FOUND: ('ENOENT', 'ENODEV', 'ENXIO'),
    errors.ALREADY_EXISTS: ('EEXIST',),
    errors.PERMISSION_DENIED: ('EPERM', 'EACCES', 'EROFS'),
    errors.FAILED_PRECONDITION: ('ENOTEMPTY', 'EISDIR', 'ENOTDIR', 'EBADF', 'EBUSY', 'EPIPE',
                                 'ETXTBSY', 'EXDEV'),
    errors.RESOURCE_EXHAUSTED: ('ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE', 'EMLINK', 'ENOMEM'),
    errors.OUT_OF_RANGE: ('EFBIG', 'EOVERFLOW', 'ERANGE'),
    errors.UNIMPLEMENTED: ('ENOSYS', 'ENOTSUP'),
    errors.UNAVAILABLE: ('EAGAIN', 'EINTR'),
    errors.ABORTED: ('ESTALE', 'EDEADLK'),
}
_CODE_BY_ERRNO = {getattr(errno, name): code for code, names in _CODES.items() for name in names}


def from_os_error(error, path):
    """Returns the exception of tf.errors for an OSError about the file `path`."""
    code = _CODE_BY_ERRNO.get(error.errno, errors.UNKNOWN)
    reason = os.strerror(error.errno) if error.errno else str(error)
    return errors.exception_type_from_error_code(code)(None, None, f'{path}; {reason}')


@contextlib.contextmanager
def about(path):
    """Converts an OSError inside the context to an exception of tf.errors that names `path`."""
    try:
        yield
    except OSError as error:
        raise from_os_error(error, path) from None
