"""TensorFlow's protocol buffers: `from ramet.core.framework import graph_pb2`, and so on.

The modules are those that protoc makes for TensorFlow, with the same messages, enums and values,
but there is no file behind them: a module is made when it is imported, and its classes when one of
them is first used. They live in a descriptor pool of their own, so that an installed TensorFlow,
whose messages have the same full names, is not disturbed.
"""

from ramet.core import importer

importer.install()
