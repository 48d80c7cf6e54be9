"""tf.estimator.inputs: input functions for arrays in memory."""
