"""tf.contrib.framework: argument scopes, and finding and restoring variables."""
