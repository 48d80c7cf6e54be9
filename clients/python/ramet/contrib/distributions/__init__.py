"""tf.contrib.distributions: further distributions, and bijectors, which transform them."""

