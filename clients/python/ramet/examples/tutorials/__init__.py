"""The parts of tensorflow.examples.tutorials that programs import."""
