"""tf.saved_model: models in folders that TensorFlow, TensorFlow Serving and Ramet read."""
