"""Functions for neural networks."""
