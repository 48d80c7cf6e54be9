"""tf.keras.preprocessing: sequences, texts and images as arrays."""
