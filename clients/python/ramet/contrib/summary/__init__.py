"""tf.contrib.summary: summaries that are written while operations run eagerly."""
