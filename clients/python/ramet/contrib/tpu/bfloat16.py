"""bfloat16_scope, in which variables are kept as float32 and used as bfloat16."""

import contextlib

from ramet.api import export
from ramet.framework import dtypes
from ramet.ops.math import math_ops
from ramet.ops.variables import variable_scope


def _getter(getter, *args, **kwargs):
    if kwargs.get('dtype') != dtypes.bfloat16:
        return getter(*args, **kwargs)
    return math_ops.cast(getter(*args, **{**kwargs, 'dtype': dtypes.float32}), dtypes.bfloat16)


@export('contrib.tpu.bfloat16_scope', 'tpu.bfloat16_scope')
@contextlib.contextmanager
def bfloat16_scope(name=''):
    """Opens a variable scope in which bfloat16 variables are casts of float32 variables.

    Args:
      name: the name of the scope.

    Yields:
      The VariableScope.
    """
    with variable_scope.variable_scope(name or '', custom_getter=_getter) as scope:
        yield scope
