"""Every module can be imported first."""

import importlib
import importlib.util
import os
import subprocess
import sys
import traceback
import unittest


def modules():
    """Returns the dotted names of the package's source files, except those that run when imported."""
    package = os.path.dirname(importlib.util.find_spec('ramet').submodule_search_locations[0])
    for folder, _, files in sorted(os.walk(os.path.join(package, 'ramet'))):
        for file in sorted(files):
            path = os.path.relpath(os.path.join(folder, file), package)
            name = path[:-3].replace(os.sep, '.').removesuffix('.__init__')
            if file.endswith('.py') and not name.endswith(('__main__', 'sitecustomize')):
                yield name


def imports_alone(name):
    """Returns whether a module can be imported in a child of this process."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            importlib.import_module(name)
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    return os.waitpid(child, 0)[1] == 0


class ImportsTest(unittest.TestCase):
    def test_each_module_alone(self):
        run = subprocess.run([sys.executable, __file__, 'alone'], capture_output=True, text=True,
                             check=False)
        self.assertEqual((run.returncode, run.stdout), (0, ''), run.stderr)


if __name__ == '__main__' and sys.argv[1:] == ['alone']:
    import google.protobuf.message  # noqa: F401 (once, before the forks)
    import numpy  # noqa: F401

    failed = [name for name in modules() if not imports_alone(name)]
    print(*failed, sep='\n', end='')
    sys.exit(bool(failed))
elif __name__ == '__main__':
    unittest.main()
