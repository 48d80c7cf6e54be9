"""tf.distributions: probability distributions."""
