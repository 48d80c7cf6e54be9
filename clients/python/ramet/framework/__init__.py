"""Graph building. It is loaded as a whole, in one order: its modules need each other."""

from ramet.framework import ops  # noqa: F401
