"""Metrics that accumulate over several runs."""
