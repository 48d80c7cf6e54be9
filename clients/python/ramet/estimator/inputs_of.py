"""The tensors that an input function provides, and the hooks that they need."""

from ramet.data.dataset import Dataset
from ramet.framework import ops
from ramet.lib import tf_logging as logging
from ramet.train.session_run_hook import SessionRunHook


class DatasetInitializerHook(SessionRunHook):
    """Initializes the iterator of a dataset in each new session."""

    def __init__(self, iterator):
        """Creates the hook.

        Args:
          iterator: an Iterator with an initializer.
        """
        self._iterator = iterator

    def begin(self):
        self._initializer = self._iterator.initializer

    def after_create_session(self, session, coord):
        del coord
        session.run(self._initializer)


def parsed(result):
    """Returns (features, labels or None, hooks) for the result of an input function.

    Args:
      result: a Dataset, a pair (features, labels), or features.

    Raises:
      ValueError: if it is a sequence of a different length than 2.
    """
    hooks = []
    if isinstance(result, Dataset) or hasattr(result, 'make_initializable_iterator'):
        iterator = result.make_initializable_iterator()
        hooks.append(DatasetInitializerHook(iterator))
        result = iterator.get_next()
    if isinstance(result, (list, tuple)):
        if len(result) != 2:
            raise ValueError('input_fn should return (features, labels) as a len 2 tuple.')
        return result[0], result[1], hooks
    return result, None, hooks


def warn_if_endless(features):
    """Logs a warning if nothing ends the inputs of predictions.

    Args:
      features: the result of an input function.
    """
    del features
    if not ops.get_default_graph().get_collection(ops.GraphKeys.QUEUE_RUNNERS):
        logging.warning('Input graph does not use tf.data.Dataset or contain a QueueRunner. That means predict yields '
                        'forever. This is probably a mistake.')
