"""Training `combined`; needs the extra ``train`` (jax, optax). Nothing here is imported at run time."""
