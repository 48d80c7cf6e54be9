"""tf.version and tf.sysconfig: information about the package.

The version is that of the TensorFlow release whose programs Ramet runs, so that scripts that check
the version take their path for TensorFlow 1.
"""

from ramet.api import export_value

RAMET_VERSION = '0.1.0'
VERSION = '1.15.0'
GIT_VERSION = 'v1.15.0-ramet'
# The version of the graphs that Ramet writes.
GRAPH_DEF_VERSION = 2474
GRAPH_DEF_VERSION_MIN_CONSUMER = 0
GRAPH_DEF_VERSION_MIN_PRODUCER = 0
CXX11_ABI_FLAG = 1
MONOLITHIC_BUILD = 0

export_value('VERSION', VERSION)
export_value('version.VERSION', VERSION)
export_value('GIT_VERSION', GIT_VERSION)
export_value('version.GIT_VERSION', GIT_VERSION)
export_value('CXX11_ABI_FLAG', CXX11_ABI_FLAG)
export_value('sysconfig.CXX11_ABI_FLAG', CXX11_ABI_FLAG)
export_value('MONOLITHIC_BUILD', MONOLITHIC_BUILD)
export_value('sysconfig.MONOLITHIC_BUILD', MONOLITHIC_BUILD)
export_value('GRAPH_DEF_VERSION', GRAPH_DEF_VERSION)
export_value('version.GRAPH_DEF_VERSION', GRAPH_DEF_VERSION)
export_value('GRAPH_DEF_VERSION_MIN_CONSUMER', GRAPH_DEF_VERSION_MIN_CONSUMER)
export_value('version.GRAPH_DEF_VERSION_MIN_CONSUMER', GRAPH_DEF_VERSION_MIN_CONSUMER)
export_value('GRAPH_DEF_VERSION_MIN_PRODUCER', GRAPH_DEF_VERSION_MIN_PRODUCER)
export_value('version.GRAPH_DEF_VERSION_MIN_PRODUCER', GRAPH_DEF_VERSION_MIN_PRODUCER)
