"""tf.app: runs the main function of a script after parsing its flags."""

import sys

from ramet.api import export
from ramet.lib import flags


def _parse(argv):
    """Parses the flags that are defined, and leaves other arguments for `main`."""
    return flags.FLAGS(argv, known_only=True)


def _run_without_absl(main, argv):
    argv = sys.argv if argv is None else argv
    if {'--help', '-help'} & set(argv[1:]) and 'help' not in flags.FLAGS:
        print(flags.FLAGS.get_help())
        sys.exit(1)
    sys.exit(main(_parse(argv)))


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
        from absl import app
    except ImportError:
        _run_without_absl(main, argv)
    else:
        app.run(main=main, argv=argv, flags_parser=_parse)
