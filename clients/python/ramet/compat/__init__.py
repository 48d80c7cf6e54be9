"""The public names of TensorFlow 1, by version of the API."""
