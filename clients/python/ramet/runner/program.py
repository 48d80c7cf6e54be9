"""Runs a script, a module or a line of code like Python does, after runner.install()."""

import builtins
import importlib.machinery
import importlib.util
import os
import sys
import types

import ramet.runner
from ramet import api

USAGE = """usage: python -m ramet script.py [argument ...]
       python -m ramet -m module [argument ...]
       python -m ramet -c code [argument ...]
       python -m ramet - [argument ...]     the program is read from standard input
       python -m ramet --check path ...     lists what programs use and Ramet lacks

Runs a program, whose `import tensorflow` then imports Ramet, whether or not TensorFlow is
installed. This also applies to the Python programs that it starts.

--check runs nothing. It reads the given files, all files of given folders, and the modules next
to them that they import. The exit status is 1 if something is missing.
"""


class Program:
    """A program to run as the module __main__."""

    def __init__(self, code, file=None, loader=None, spec=None, argv0='', path0=''):
        self.code = code
        self.file = file
        self.loader = loader
        self.spec = spec
        self.argv0 = argv0
        self.path0 = path0


def script(name):
    """Returns the program in a file, or in a folder or zip file that has a __main__.py."""
    if name == '-':
        return Program(compile(sys.stdin.read(), '<stdin>', 'exec'), '<stdin>', argv0='-')
    if os.path.isdir(name) or name.endswith(('.zip', '.pyz')):
        program = module('__main__', within=os.path.abspath(name))
        program.argv0, program.path0 = name, os.path.abspath(name)
        return program
    path = os.path.abspath(name)
    try:
        with open(path, 'rb') as file:
            source = file.read()
    except OSError as error:
        sys.exit(f"{sys.executable} -m ramet: can't open file {path!r}: "
                 f'[Errno {error.errno}] {error.strerror}')
    return Program(compile(source, path, 'exec'), path,
                   importlib.machinery.SourceFileLoader('__main__', path), argv0=name,
                   path0=os.path.dirname(os.path.realpath(path)))


def module(name, within=None):
    """Returns the program that `python -m name` runs."""
    try:
        if within:
            spec = importlib.machinery.PathFinder.find_spec(name, [within])
        else:
            spec = importlib.util.find_spec(name)
        if spec is not None and spec.submodule_search_locations is not None:
            spec = importlib.util.find_spec(f'{name}.__main__')
    except ModuleNotFoundError as error:
        sys.exit(f'{sys.executable} -m ramet: Error while finding {name!r}: {error}')
    if spec is None or not hasattr(spec.loader, 'get_code'):
        sys.exit(f'{sys.executable} -m ramet: No module named {name}')
    return Program(spec.loader.get_code(spec.name), spec.origin, spec.loader,
                   spec, spec.origin, os.getcwd())


def make_main(program):
    """Creates the module __main__ in which a program runs."""
    main = types.ModuleType('__main__')
    main.__builtins__ = builtins
    main.__loader__ = program.loader
    main.__spec__ = program.spec
    main.__package__ = program.spec.parent if program.spec else None
    if program.file:
        main.__file__ = program.file
        main.__cached__ = program.spec.cached if program.spec else None
    sys.modules['__main__'] = main
    return main


def of_the_program(traceback):
    """Returns a traceback without the frames of this runner."""
    own = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    starts = (os.path.join(own, '__main__.py'), __file__)
    while traceback is not None:
        file = traceback.tb_frame.f_code.co_filename
        if file not in starts and not file.startswith(('<frozen runpy', '<frozen importlib')):
            break
        traceback = traceback.tb_next
    return traceback


def show_own_frames_only():
    """Shows uncaught errors as if Python itself had run the program, and then what else Ramet lacks."""
    show = sys.excepthook

    def excepthook(kind, error, traceback):
        traceback = of_the_program(traceback)
        show(kind, error.with_traceback(traceback), traceback)
        file = getattr(sys.modules['__main__'], '__file__', None)
        if issubclass(kind, api.UnavailableError) and file:
            from ramet.runner import check  # deferred: needed only after such an error
            check.show_all_absent(file)

    sys.excepthook = excepthook


def parse(arguments):
    """Returns (program maker, its argument, the program's own arguments)."""
    if not arguments or arguments[0] in ('-h', '--help'):
        print(USAGE, end='', file=sys.stdout if arguments else sys.stderr)
        sys.exit(0 if arguments else 2)
    for option, make in (('-c', line), ('-m', module)):
        if arguments[0] == option and len(arguments) > 1:
            return make, arguments[1], arguments[2:]
        if arguments[0].startswith(option) and len(arguments[0]) > 2:
            return make, arguments[0][2:], arguments[1:]
    if arguments[0].startswith('-') and arguments[0] != '-':
        sys.exit(f'{sys.executable} -m ramet: unknown option {arguments[0]}\n{USAGE}')
    return script, arguments[0], arguments[1:]


def line(code):
    """Returns the program that `python -c code` runs."""
    return Program(compile(code, '<string>', 'exec'), argv0='-c')


def pass_on_to_children():
    """Makes Python programs that this one starts find Ramet, by a sitecustomize on their path."""
    site = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'site')
    others = [p for p in os.environ.get('PYTHONPATH', '').split(os.pathsep) if p and p != site]
    os.environ['PYTHONPATH'] = os.pathsep.join([site, *others])


def main():
    """Runs the program that the command line specifies."""
    if sys.argv[1:2] == ['--check']:
        from ramet.runner import check  # deferred: programs that run do not need it
        check.main(sys.argv[2:])
    show_own_frames_only()
    make, what, arguments = parse(sys.argv[1:])
    ramet.runner.install()
    pass_on_to_children()
    program = make(what)
    sys.argv[:] = [program.argv0, *arguments]
    if not sys.flags.safe_path:
        sys.path[0] = program.path0
    exec(program.code, vars(make_main(program)))
