"""Fourier and cosine transforms, and functions of sampled signals."""
