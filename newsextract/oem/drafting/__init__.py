"""Drafts of formats: what the heuristics alone see on a page, as lines that a person edits.

The way of the data: :mod:`tree` gives the elements with their offsets, :mod:`items` what is repeated, :mod:`titles` what
stands above it, :mod:`fields`, :mod:`contexts` and :mod:`sequences` what stands within, :mod:`bounds` where it all
begins and ends; :mod:`draft` tries the lines and writes them down.
"""

from newsextract.oem.drafting.draft import draft

__all__ = ["draft"]
