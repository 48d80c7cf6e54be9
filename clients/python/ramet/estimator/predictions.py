"""The predictions of an estimator: which ones, and example by example."""

import numpy as np

from ramet.framework import nest


def selected(predictions, predict_keys):
    """Returns the predictions with the given names.

    Args:
      predictions: a Tensor, or a dict of Tensors.
      predict_keys: a list of names, or None for all.

    Raises:
      ValueError: if predictions are not a dict, or have none of the names.
    """
    if not predict_keys:
        return predictions
    if not isinstance(predictions, dict):
        raise ValueError('predict_keys argument is not valid in case of non-dict predictions.')
    chosen = {key: value for key, value in predictions.items() if key in predict_keys}
    if not chosen:
        raise ValueError('Expected to run at least one output from %s, provided %s.'
                         % (predictions.keys(), predict_keys))
    return chosen


def examples(values, predictions):
    """Yields the predictions of each example of a batch.

    Args:
      values: the values of the predictions.
      predictions: a Tensor, or a dict of Tensors.

    Raises:
      ValueError: if the values have different lengths.
    """
    if not isinstance(predictions, dict):
        yield from values
        return
    size = _batch_size(values)
    for i in range(size):
        yield {key: value[i] for key, value in values.items()}


def _batch_size(values):
    size = None
    for key, value in values.items():
        rows = np.shape(nest.flatten(value)[0])[0]
        size = size or rows
        if rows != size:
            raise ValueError(f'Batch length of predictions should be same. {key} has different batch length than '
                             'others.')
    return size or 0
