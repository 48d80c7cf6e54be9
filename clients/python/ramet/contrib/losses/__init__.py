"""tf.contrib.losses: the losses from before tf.losses, and losses of metric learning."""

