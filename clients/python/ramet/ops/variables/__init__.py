"""Variables, their scopes, and functions that modify them."""
