"""tf.contrib.predictor: functions from arrays to the outputs of a model."""
