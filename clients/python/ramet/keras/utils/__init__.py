"""tf.keras.utils: serialization, arrays, progress bars and sequences of batches."""
