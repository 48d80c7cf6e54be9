"""`python -m ramet --check program.py`: lists the names of TensorFlow that a program uses and Ramet lacks."""

import importlib
import os
import sys
import types

import ramet.runner
from ramet import api
from ramet.runner import uses


def _shown(name):
    return f'tensorflow.{name}' if api.is_internal(name) else f'tf.{name}'


def _attribute(module, path):
    """Returns the value of a path whose parent is a module."""
    try:
        return getattr(module, path.rpartition('.')[2])
    except AttributeError:
        try:
            return importlib.import_module(f'tensorflow.{path}')
        except ModuleNotFoundError:
            pass
        raise


def problem(name):
    """Returns what is wrong with a name of TensorFlow, or None if Ramet has it.

    Args:
      name: a dotted path below `tensorflow.`. Attributes of functions and objects are not examined.

    Returns:
      (the part of the name up to which it is at fault, a sentence that says why and what to do), or None.
    """
    value, parts = importlib.import_module('tensorflow'), name.split('.')
    for n, part in enumerate(parts, 1):
        path = '.'.join(parts[:n])
        if isinstance(value, type):
            known = part.startswith('__') or hasattr(value, part)
            return None if known else (path, f'{_shown(".".join(parts[:n - 1]))} has no {part} in Ramet')
        if not isinstance(value, types.ModuleType):
            return None
        try:
            value = _attribute(value, path)
        except AttributeError as error:
            return path, str(error)
        if isinstance(value, api.Unavailable):
            return path, api.message_of(value)
    return None


class Report:
    """The names that a program uses, and which of them Ramet lacks."""

    def __init__(self, path):
        """Examines a file, or all Python files of a folder; raises what uses.find raises."""
        found = uses.find(path)
        self._path = path
        self._problems = {name: problem(name) for name in {use.name for use in found}}
        self.absent = {}  # {name: (sentence, [places])}
        for use in found:
            if self._problems[use.name]:
                name, why = self._problems[use.name]
                self.absent.setdefault(name, (why, []))[1].append(f'{os.path.relpath(use.file)}:{use.line}')

    def text(self):
        """Returns the report as text."""
        total = len(self._problems)
        if not self.absent:
            return f'{self._path}: Ramet has all names of TensorFlow that it uses ({total})\n'
        count = len(self.absent)
        lines = [f'{self._path} uses {total} names of TensorFlow. Ramet lacks {count} of them:']
        for name, (why, places) in sorted(self.absent.items()):
            more = f' and {len(places) - 3} more' if len(places) > 3 else ''
            lines += [f'  {_shown(name)}  ({", ".join(places[:3])}{more})', f'      {why}']
        return '\n'.join(lines) + '\n'


def show_all_absent(path):
    """Prints all names that a program uses and Ramet lacks to standard error, if there are several.

    It is called when the program has stopped at the first of them.
    """
    try:
        report = Report(path)
    except (OSError, SyntaxError, ValueError, RecursionError):
        return
    if len(report.absent) > 1:
        print('\n' + report.text(), end='', file=sys.stderr)


def main(paths):
    """Prints a report for each path and ends the process.

    The exit status is 0 if Ramet has all the names, 1 if it lacks some, and 2 if a file could not be read.
    """
    if not paths:
        sys.exit('usage: python -m ramet --check program.py [file or folder ...]')
    ramet.runner.install()
    status = 0
    for path in paths:
        try:
            report = Report(path)
        except (OSError, SyntaxError, ValueError, RecursionError) as error:
            print(f'{path}: cannot be examined: {error or type(error).__name__}', file=sys.stderr)
            status = 2
            continue
        print(report.text(), end='')
        status = status or int(bool(report.absent))
    sys.exit(status)
