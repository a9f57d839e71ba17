"""Generates the parts of the documents that must not go stale: the reference, the tables of figures and the pictures."""
