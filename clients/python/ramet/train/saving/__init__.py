"""Where TensorFlow has the class of saveable objects."""
