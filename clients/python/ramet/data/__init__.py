"""tf.data: input pipelines as ops, and the iterators that run them."""
