"""tf.contrib.framework: argument scopes, and functions that find and restore variables."""
