"""Gradients, Hessians, and checks of them."""
