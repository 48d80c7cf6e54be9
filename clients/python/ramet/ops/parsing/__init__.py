"""Parsing of examples, records and compressed strings."""
