"""Runs programs that import tensorflow.

`python -m ramet script.py` runs a whole program. `install()` affects the current process, for example in a
notebook before its first `import tensorflow`.
"""

import sys


def install():
    """Makes `import tensorflow`, and imports below it, import Ramet from now on in this process.

    Raises:
      RuntimeError: if TensorFlow itself has already been imported.
    """
    from ramet.runner import finder  # deferred: `ramet.runner` is imported by every child process
    if finder.Finder in sys.meta_path:
        return
    if 'tensorflow' in sys.modules:
        raise RuntimeError('tensorflow has been imported already; install() must come before that')
    sys.meta_path.insert(0, finder.Finder)
    from ramet.runner import absl_finder  # deferred: like finder
    sys.meta_path.append(absl_finder.AbslFinder)
