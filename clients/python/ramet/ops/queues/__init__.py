"""Queues, barriers, accumulators, staging areas and readers."""
