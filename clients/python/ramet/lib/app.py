"""tf.app: runs the main function of a script after parsing its flags."""

import sys

from ramet.api import export
from ramet.lib import flags


def _parse(argv):
    """Parses the flags that are defined, and leaves other arguments for `main`."""
    return flags.FLAGS(argv, known_only=True)


@export('app.run')
def run(main=None, argv=None):
    """Parses the flags, calls `main` with the remaining arguments and exits with its result.

    Args:
      main: a function of one argument, a list of str that starts with the name of the program.
        Defaults to the function `main` of the script.
      argv: the command line. Defaults to sys.argv.
    """
    main = main or sys.modules['__main__'].main
    try:
        from absl import app  # deferred: absl may not be installed
    except ImportError:
        from ramet.lib import own_app as app  # deferred: only without absl
    app.run(main=main, argv=argv, flags_parser=_parse)
