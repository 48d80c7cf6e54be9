"""Functions of numbers, and the operators of tensors."""
