"""The parts of TensorFlow 1's tf.contrib that Ramet supports."""
