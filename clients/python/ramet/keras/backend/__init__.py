"""tf.keras.backend: functions on tensors, and the session that models run in."""
