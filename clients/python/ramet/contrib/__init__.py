"""What TensorFlow 1 kept in tf.contrib."""
