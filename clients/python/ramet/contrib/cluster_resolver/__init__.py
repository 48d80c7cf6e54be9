"""tf.contrib.cluster_resolver: the address of a TPU."""
