"""tf.contrib.layers: layers as functions."""
