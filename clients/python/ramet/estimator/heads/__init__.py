"""Heads, which turn the logits of a model into predictions, a loss, metrics and an EstimatorSpec."""
