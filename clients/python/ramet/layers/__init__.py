"""tf.layers: layers as objects and as functions."""
