"""Learning a format from marked examples; :mod:`newsextract.oem.learn` is the way in."""
