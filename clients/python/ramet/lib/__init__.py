"""Files, records, flags, logging and the other small libraries of `tf`."""
