"""Functions that create, join, select and rearrange tensors."""
