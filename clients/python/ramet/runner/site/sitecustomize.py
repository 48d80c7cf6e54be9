"""On the path of Python programs that a program under `python -m ramet` starts: see runner/program.

It makes `import tensorflow` in those programs import Ramet, and then runs the next sitecustomize on
the path.
"""

import os
import sys


def _install():
    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    try:
        import ramet.runner  # deferred: the path may lack it
    except ModuleNotFoundError:
        sys.path.append(os.path.dirname(package))
        import ramet.runner  # deferred: the path may lack it
    ramet.runner.install()


def _next():
    here = os.path.dirname(os.path.abspath(__file__))
    this = sys.modules.pop('sitecustomize')
    sys.path[:] = [p for p in sys.path if os.path.abspath(p or '.') != here]
    try:
        import sitecustomize  # noqa: F401
    except ModuleNotFoundError as error:
        if error.name != 'sitecustomize':
            raise
    finally:
        sys.modules.setdefault('sitecustomize', this)


_install()
_next()
