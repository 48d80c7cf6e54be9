"""tf.contrib.seq2seq: decoders, attention, beam search and the losses of sequences."""

