"""tf.contrib.training: training and evaluation loops, and batches of sequences of similar lengths."""

