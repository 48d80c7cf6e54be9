"""Functions that need a graph, and raise an error while operations run eagerly."""

import functools

from ramet.framework import scopes


# The message of functions of tf.train that read data through queues.
QUEUE_INPUT = ('Input pipelines based on Queues are not supported when eager execution is enabled. Please use tf.data '
               'to ingest data into your model instead.')


def needs_graph(message, error=RuntimeError):
    """Returns a decorator of functions that raise an error while operations run eagerly.

    Args:
      message: the message of the error.
      error: its class.
    """
    def decorate(function):
        @functools.wraps(function)
        def checked(*args, **kwargs):
            if scopes.executing_eagerly():
                raise error(message)
            return function(*args, **kwargs)

        return checked

    return decorate


def metric(function):
    """Decorates a function of tf.metrics, which keeps its state in variables of a graph."""
    message = f'tf.metrics.{function.__name__} is not supported when eager execution is enabled.'
    return needs_graph(message)(function)
