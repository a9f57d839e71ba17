"""Word lists and patterns per language."""
