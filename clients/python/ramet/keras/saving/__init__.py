"""Models and their variables in files."""
