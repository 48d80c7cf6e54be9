"""tf.contrib.rnn: further cells of recurrent networks, wrappers of cells, and functions that run them."""

