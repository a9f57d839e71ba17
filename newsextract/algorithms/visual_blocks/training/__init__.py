"""Training of the default preset: :mod:`.examples` from pages with true records, trees from scikit-learn in :mod:`.fit`."""
