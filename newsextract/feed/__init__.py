"""The lines that come out of crawls and archives: types, files, duplicates."""
