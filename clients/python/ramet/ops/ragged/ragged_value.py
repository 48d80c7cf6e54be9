"""RaggedTensorValue: the value of a ragged tensor."""

import numpy as np

from ramet.api import export


@export('ragged.RaggedTensorValue')
class RaggedTensorValue:
    """The value of a RaggedTensor: what a session returns for one, and what can be fed for one.

    Attributes:
      values: an array, or a RaggedTensorValue with the inner rows.
      row_splits: an array [nrows + 1] of int32 or int64: row i has the values from row_splits[i] up
        to row_splits[i + 1].
    """

    def __init__(self, values, row_splits):
        """Creates the value from its parts.

        Args:
          values: an array, numpy scalar or RaggedTensorValue.
          row_splits: an array of int32 or int64 with one dimension.

        Raises:
          TypeError: if an argument has a different type or dtype.
          ValueError: if row_splits does not have one dimension.
        """
        if not (isinstance(row_splits, (np.ndarray, np.generic))
                and row_splits.dtype in (np.int64, np.int32)):
            raise TypeError('row_splits must be a 1D int32 or int64 numpy array')
        if len(row_splits.shape) != 1:
            raise ValueError('row_splits must be a 1D int32 or int64 numpy array')
        if not isinstance(values, (np.ndarray, np.generic, RaggedTensorValue)):
            raise TypeError('values must be a numpy array or a RaggedTensorValue')
        if isinstance(values, RaggedTensorValue) and row_splits.dtype != values.row_splits.dtype:
            raise ValueError('row_splits and values.row_splits must have the same dtype')
        self._values = values
        self._row_splits = row_splits

    @property
    def values(self):
        """The array, or RaggedTensorValue, with the values of all rows."""
        return self._values

    @property
    def row_splits(self):
        """The array of splits between the rows."""
        return self._row_splits

    @property
    def flat_values(self):
        """The innermost array, in which no dimension is ragged."""
        values = self._values
        return values.flat_values if isinstance(values, RaggedTensorValue) else values

    @property
    def nested_row_splits(self):
        """The splits of all ragged dimensions, the outermost first, as a tuple."""
        inner = self._values
        return (self._row_splits,) + (
            inner.nested_row_splits if isinstance(inner, RaggedTensorValue) else ())

    @property
    def dtype(self):
        """The numpy dtype of the values."""
        return self._values.dtype

    @property
    def ragged_rank(self):
        """The number of ragged dimensions."""
        return len(self.nested_row_splits)

    @property
    def shape(self):
        """The shape as a tuple, with None for ragged dimensions."""
        return (len(self._row_splits) - 1, None) + self._values.shape[1:]

    def to_list(self):
        """Returns the values as nested lists."""
        values = self._values
        items = values.to_list() if isinstance(values, RaggedTensorValue) else values.tolist()
        ends = self._row_splits.tolist()
        return [items[begin:end] for begin, end in zip(ends[:-1], ends[1:])]

    def __repr__(self):
        return f'tf.RaggedTensorValue(values={self._values!r}, row_splits={self._row_splits!r})'

    __str__ = __repr__
