"""Decodes records of comma-separated values."""

from ramet import gen
from ramet.api import export


@export('decode_csv', 'io.decode_csv')
def decode_csv(records, record_defaults, field_delim=',', use_quote_delim=True, name=None, na_value='',
               select_cols=None):
    """Decodes records of comma-separated values (RFC 4180).

    Args:
      records: a string tensor, one record per element.
      record_defaults: a list with a value for each column: a default for empty fields, or an empty
        vector for a column that is required. Its dtype is that of the column.
      field_delim: the character between fields.
      use_quote_delim: whether fields may be in double quotes.
      name: the name of the operation.
      na_value: another text that stands for an empty field.
      select_cols: a sorted list of the columns to return. Defaults to all.

    Returns:
      A list of tensors with the shape of `records`, one per column.

    Raises:
      ValueError: if `select_cols` is not increasing, has negative numbers or another length than
        `record_defaults`.
    """
    if select_cols is not None:
        if any(a >= b for a, b in zip(select_cols, select_cols[1:])):
            raise ValueError('select_cols is not strictly increasing.')
        if select_cols[0] < 0:
            raise ValueError('select_cols contains negative values.')
        if len(select_cols) != len(record_defaults):
            raise ValueError('Length of select_cols and record_defaults do not match.')
    return gen.DecodeCSV(records=records, record_defaults=record_defaults, field_delim=field_delim,
                         use_quote_delim=use_quote_delim, na_value=na_value, name=name,
                         select_cols=select_cols or [])
