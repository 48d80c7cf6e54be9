"""All of tf.nn that is written in Python, in one place for other modules; loaded when used."""

import importlib

_MODULES = ('nn_activation', 'nn_conv', 'nn_convolution', 'nn_dilated', 'nn_loss', 'nn_norm',
            'nn_pool', 'embedding_ops')


def __getattr__(name):
    if not name.startswith('_'):
        for module in _MODULES:
            found = getattr(importlib.import_module(f'ramet.ops.{module}'), name, None)
            if found is not None:
                globals()[name] = found
                return found
    raise AttributeError(f"module 'ramet.ops.nn' has no attribute '{name}'")
