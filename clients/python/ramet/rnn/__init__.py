"""Recurrent neural networks, whose cells are layers."""
