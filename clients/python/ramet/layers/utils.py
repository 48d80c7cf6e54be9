"""The names of TensorFlow's module tensorflow.python.layers.utils."""

from ramet.ops.control_flow.smart_cond import constant_value, smart_cond  # noqa: F401
