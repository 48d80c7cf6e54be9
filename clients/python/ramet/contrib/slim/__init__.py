"""tf.contrib.slim: training, evaluation and networks of images."""

