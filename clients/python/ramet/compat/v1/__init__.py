"""TensorFlow 1's API over Ramet: `import ramet.compat.v1 as tf`.

Names and namespaces are looked up on first use and are ordinary attributes from then on. A name
that TensorFlow has but Ramet does not have can be fetched; using it raises an error that says so.
"""

from ramet.compat import namespace as _namespace
from ramet.lib.versions import GIT_VERSION as __git_version__  # noqa: F401
from ramet.lib.versions import VERSION as __version__  # noqa: F401

_namespace.fill(__name__)
