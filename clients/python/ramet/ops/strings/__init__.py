"""Functions of strings, and printing."""
