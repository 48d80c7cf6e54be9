"""tf.contrib.metrics: the streaming metrics from before tf.metrics, and functions that combine metrics."""

