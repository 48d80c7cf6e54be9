"""tf.version and tf.sysconfig: information about the package.

The version is that of the TensorFlow release whose programs Ramet runs, so that scripts that check
the version take their path for TensorFlow 1.
"""

from ramet.api import export_value

RAMET_VERSION = '0.1.0'
VERSION = '1.15.0'
GIT_VERSION = 'v1.15.0-ramet'
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
