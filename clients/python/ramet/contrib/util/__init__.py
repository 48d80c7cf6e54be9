"""tf.contrib.util: functions of graphs."""
