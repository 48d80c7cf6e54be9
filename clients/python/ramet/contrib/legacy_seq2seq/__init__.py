"""tf.contrib.legacy_seq2seq: sequence-to-sequence models of lists of inputs, without loops."""

