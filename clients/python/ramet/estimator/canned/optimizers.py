"""The optimizers of ready models: by name, by a function, or as objects."""

from ramet.train.adagrad import AdagradOptimizer
from ramet.train.adam import AdamOptimizer
from ramet.train.ftrl import FtrlOptimizer
from ramet.train.gradient_descent import GradientDescentOptimizer
from ramet.train.optimizer import Optimizer
from ramet.train.rmsprop import RMSPropOptimizer

_CLASSES = {'Adagrad': AdagradOptimizer, 'Adam': AdamOptimizer, 'Ftrl': FtrlOptimizer, 'RMSProp': RMSPropOptimizer,
            'SGD': GradientDescentOptimizer}


def optimizer_for(optimizer, learning_rate=None):
    """Returns an Optimizer.

    Args:
      optimizer: an Optimizer, a function without arguments that returns one, or a name.
      learning_rate: the learning rate for a name.

    Raises:
      ValueError: if the name is unknown, or optimizer has a different type.
    """
    if isinstance(optimizer, str):
        if optimizer not in _CLASSES:
            raise ValueError('Unsupported optimizer name: {}. Supported names are: {}'.format(
                optimizer, tuple(sorted(_CLASSES))))
        return _CLASSES[optimizer](learning_rate=learning_rate)
    if callable(optimizer):
        optimizer = optimizer()
    if not isinstance(optimizer, Optimizer):
        raise ValueError(f'The given object is not an Optimizer instance. Given: {optimizer}')
    return optimizer
