"""Provides SaveSpec and SaveableObject under TensorFlow's path."""

from ramet.framework.saveable_object import SaveableObject, SaveSpec  # noqa: F401
