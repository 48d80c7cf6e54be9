"""Running programs that import tensorflow.

`python -m ramet script.py` does it for a whole program; `install()` for the process it is called
in, as a notebook does before its first `import tensorflow`.
"""

import sys


def install():
    """Answers `import tensorflow` and all below it with Ramet, in this process, from now on.

    Raises:
      RuntimeError: if TensorFlow itself has been imported already.
    """
    from ramet.runner import finder
    if finder.Finder in sys.meta_path:
        return
    if 'tensorflow' in sys.modules:
        raise RuntimeError('tensorflow has been imported already; install() must come before that')
    sys.meta_path.insert(0, finder.Finder)
