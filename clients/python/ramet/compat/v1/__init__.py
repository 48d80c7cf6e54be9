"""TensorFlow 1's API over Ramet: `import ramet.compat.v1 as tf`.

Names and namespaces are looked up when they are first used, and are ordinary attributes from then
on. A name that TensorFlow has and Ramet has not can be fetched, and says so when it is used.
"""

from ramet.compat import namespace as _namespace
from ramet.lib.versions import GIT_VERSION as __git_version__  # noqa: F401
from ramet.lib.versions import VERSION as __version__  # noqa: F401

_namespace.fill(__name__)
