"""tf.feature_column: descriptions of features, from which tables, lookups and layers are made."""
