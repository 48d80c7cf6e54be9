"""tf.function: Python functions as functions of the graph's library, one per signature of the arguments."""
