"""tf.saved_model: model folders that TensorFlow, TensorFlow Serving and Ramet can read."""
