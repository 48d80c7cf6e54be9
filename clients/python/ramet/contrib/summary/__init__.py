"""tf.contrib.summary: operations that write summaries to event files when the graph runs."""
