"""The parts of tensorflow.examples that programs import."""
