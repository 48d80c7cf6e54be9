"""Foundations of the Python package: types, shapes, errors, graphs and conversion."""
