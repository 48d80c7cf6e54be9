"""tf.keras.datasets: data sets in local files."""
