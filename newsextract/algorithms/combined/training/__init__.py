"""Training `combined`; needs the extra ``train`` (jax, optax, scikit-learn). Nothing here is imported at run time."""
