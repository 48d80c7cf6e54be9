"""tf.test: test cases, and functions that tell what a machine supports."""
