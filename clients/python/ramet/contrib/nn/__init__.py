"""tf.contrib.nn: further functions of neural networks."""

