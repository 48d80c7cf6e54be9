"""Every module can be the first one of the package that a program imports."""

import importlib
import os
import sys
import traceback
import unittest

import google.protobuf  # noqa: F401 (once, before the forks)
import numpy  # noqa: F401
import ramet.api

PACKAGE = os.path.dirname(ramet.api.__file__)


def modules():
    """The dotted names of the package's source files, without what runs when imported."""
    for folder, _, files in sorted(os.walk(PACKAGE)):
        for file in sorted(files):
            path = os.path.relpath(os.path.join(folder, file), os.path.dirname(PACKAGE))
            name = path[:-3].replace(os.sep, '.').removesuffix('.__init__')
            if file.endswith('.py') and not name.endswith(('__main__', 'sitecustomize')):
                yield name


def imports_alone(name):
    """Whether a module can be imported in a process that has nothing of the package yet."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            for module in [m for m in sys.modules if m.partition('.')[0] == 'ramet']:
                del sys.modules[module]
            importlib.import_module(name)
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    return os.waitpid(child, 0)[1] == 0


class ImportsTest(unittest.TestCase):
    def test_each_module_alone(self):
        self.assertEqual([name for name in modules() if not imports_alone(name)], [])


if __name__ == '__main__':
    unittest.main()
