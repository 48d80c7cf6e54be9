"""Branches, loops, and the order of execution."""
