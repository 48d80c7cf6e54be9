"""Reads the metrics that evaluations wrote into event files."""

from ramet.summary.events_file import summary_iterator


def metric_values(path):
    """Yields (step, dict from names to floats) for each summary of an event file that has metrics.

    Args:
      path: str, the file.
    """
    for event in summary_iterator(path):
        if event.HasField('summary'):
            values = {value.tag: value.simple_value for value in event.summary.value
                      if value.HasField('simple_value')}
            if values:
                yield event.step, values
