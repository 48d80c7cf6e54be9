"""Functions of sparse tensors and of sets."""
