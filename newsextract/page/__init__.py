"""A page, and all that extraction may know of it."""
