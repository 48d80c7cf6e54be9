"""The functions that converted code calls, as attributes of ag__; `calls` adds those for calls."""

from ramet.autograph.branches import and_, assert_stmt, eq, if_exp, if_stmt, not_, not_eq, or_  # noqa: F401
from ramet.autograph.loops import for_stmt, while_stmt  # noqa: F401
from ramet.autograph.variables import Undefined, UndefinedReturnValue, ld, ldu, returned  # noqa: F401
