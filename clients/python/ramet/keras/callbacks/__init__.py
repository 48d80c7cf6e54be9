"""tf.keras.callbacks."""
