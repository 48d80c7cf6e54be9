"""tf.contrib.tpu: the estimator for TPUs, which runs here on the CPU."""
