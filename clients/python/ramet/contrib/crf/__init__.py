"""tf.contrib.crf: linear-chain conditional random fields."""

