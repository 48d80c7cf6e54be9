"""The data sets of the MNIST tutorials."""
