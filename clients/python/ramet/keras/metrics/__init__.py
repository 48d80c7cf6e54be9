"""tf.keras.metrics."""
