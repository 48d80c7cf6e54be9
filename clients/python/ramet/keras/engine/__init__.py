"""The base classes of layers and models, and training."""
