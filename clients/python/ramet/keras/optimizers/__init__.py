"""tf.keras.optimizers."""
