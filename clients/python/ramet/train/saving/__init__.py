"""Provides the class of saveable objects under TensorFlow's module name."""
