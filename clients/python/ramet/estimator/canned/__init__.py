"""Estimators with a ready model: linear, deep, both, and constant ones."""
