"""TensorFlow's protocol buffers: `from ramet.core.framework import graph_pb2`, and so on.

The modules have the same messages, enums and values as those that protoc generates for TensorFlow,
but they are not files: a module is created when it is imported, and its classes when one of them is
first used. They use their own descriptor pool, so that they do not interfere with an installed
TensorFlow, whose messages have the same full names.
"""

from ramet.core import importer

importer.install()
