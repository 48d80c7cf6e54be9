"""tf.contrib.eager: what programs of TensorFlow 1 use together with eager execution."""
