"""tf.contrib.learn: the parts that programs still use."""
