"""tf.contrib.opt: further optimizers, and wrappers of optimizers."""

