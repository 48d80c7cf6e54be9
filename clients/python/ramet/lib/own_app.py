"""absl.app if absl is not installed: runs the main function of a script after parsing its flags."""

import sys

from ramet.lib import own_flags


class Error(Exception):
    """The base class of the errors of this module."""


class UsageError(Error):
    """The command line is wrong. `run` prints the message and exits.

    Args:
      message: str, what is wrong.
      exitcode: int, the exit status of the program.
    """

    def __init__(self, message, exitcode=1):
        super().__init__(message)
        self.exitcode = exitcode


def _parse(argv):
    try:
        return own_flags.FLAGS(argv)
    except own_flags.Error as error:
        raise UsageError(f'FATAL Flags parsing error: {error}\nPass --helpshort or --helpfull to see help on flags.') \
            from None


def usage(shorthelp=False, writeto_stdout=False, detailed_error=None, exitcode=None):
    """Prints the description of the script and its flags, and exits if there is a status.

    Args:
      shorthelp: ignored.
      writeto_stdout: whether to write to stdout instead of stderr.
      detailed_error: a message to print below, or None.
      exitcode: the exit status, or None to return.
    """
    out = sys.stdout if writeto_stdout else sys.stderr
    doc = sys.modules['__main__'].__doc__ or f'USAGE: {sys.argv[0]} [flags]\n'
    print(f'{doc}\nflags:\n{own_flags.FLAGS.get_help()}', file=out)
    if detailed_error is not None:
        print(f'\n{detailed_error}', file=out)
    if exitcode is not None:
        sys.exit(exitcode)


def run(main, argv=None, flags_parser=_parse):
    """Parses the flags, calls `main` with the remaining arguments and exits with its result.

    Args:
      main: a function of one argument, a list of str that starts with the name of the program.
      argv: the command line. Defaults to sys.argv.
      flags_parser: a function that parses a command line and returns the remaining arguments.
    """
    argv = sys.argv if argv is None else argv
    if {'--help', '-help', '--helpshort', '--helpfull'} & set(argv[1:]) and 'help' not in own_flags.FLAGS:
        usage(writeto_stdout=True, exitcode=1)
    try:
        sys.exit(main(flags_parser(argv)))
    except UsageError as error:
        usage(detailed_error=error, exitcode=error.exitcode)
