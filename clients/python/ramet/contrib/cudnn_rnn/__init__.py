"""tf.contrib.cudnn_rnn: cells with the formulas of cuDNN, for the CPU."""

