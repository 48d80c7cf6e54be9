"""tf.contrib.training: hyperparameters."""
