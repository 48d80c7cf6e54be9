"""Assertions about values, types, ranks and shapes."""
