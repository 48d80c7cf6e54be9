"""tf.flags: the command-line flags of a script. Uses absl's flags if absl is installed.

FLAGS parses sys.argv when a flag is first accessed, unless a command line has been parsed already.
"""

import functools
import sys

from ramet.api import export_value

try:
    from absl import flags as _flags
    from absl.flags import *  # noqa: F403
except ImportError:
    from ramet.lib import own_flags as _flags
    from ramet.lib.own_flags import *  # noqa: F403

_flags.disclaim_key_flags()

_OLD_NAMES = {'flag_name': 'name', 'default_value': 'default', 'docstring': 'help'}


def _with_old_names(define):
    """Wraps `define` to accept the argument names of TensorFlow 1.4 and earlier too."""

    @functools.wraps(define)
    def wrapper(*args, **kwargs):
        return define(*args, **{_OLD_NAMES.get(name, name): kwargs[name] for name in kwargs})

    return wrapper


DEFINE_string = _with_old_names(_flags.DEFINE_string)
DEFINE_boolean = _with_old_names(_flags.DEFINE_boolean)
DEFINE_bool = DEFINE_boolean
DEFINE_float = _with_old_names(_flags.DEFINE_float)
DEFINE_integer = _with_old_names(_flags.DEFINE_integer)


class _Flags:
    """The flags of the program: a FlagValues that parses sys.argv on demand."""

    def __getattribute__(self, name):
        values = _flags.FLAGS
        if name == '_parse_flags':
            return functools.partial(_Flags._parse_flags, self)
        try:
            return object.__getattribute__(values, name)
        except AttributeError:
            if name in values and not values.is_parsed():
                values(sys.argv)
            return getattr(values, name)

    def _parse_flags(self, args=None):
        """Parses a command line and keeps undefined flags, as in TensorFlow 1.4 and earlier."""
        _flags.FLAGS([sys.argv[0], *args] if args is not None else sys.argv, known_only=True)

    def __setattr__(self, name, value):
        setattr(_flags.FLAGS, name, value)

    def __delattr__(self, name):
        delattr(_flags.FLAGS, name)

    def __call__(self, *args, **kwargs):
        return _flags.FLAGS(*args, **kwargs)

    def __getitem__(self, name):
        return _flags.FLAGS[name]

    def __setitem__(self, name, flag):
        _flags.FLAGS[name] = flag

    def __contains__(self, name):
        return name in _flags.FLAGS

    def __iter__(self):
        return iter(_flags.FLAGS)

    def __len__(self):
        return len(_flags.FLAGS)

    def __dir__(self):
        return dir(_flags.FLAGS)

    def __str__(self):
        return str(_flags.FLAGS)


FLAGS = _Flags()

export_value('flags', sys.modules[__name__])
