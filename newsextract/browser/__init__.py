"""Pages drawn by a browser: which one, how a page is loaded, and what it may reach."""
