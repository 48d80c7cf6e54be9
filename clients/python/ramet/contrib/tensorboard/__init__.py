"""tf.contrib.tensorboard: settings of TensorBoard's plugins."""
