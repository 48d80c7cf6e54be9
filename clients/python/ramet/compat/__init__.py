"""The public names of TensorFlow 1, by API version."""
