"""Losses and their weights."""
