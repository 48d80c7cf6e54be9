"""The data of the MNIST tutorials."""
