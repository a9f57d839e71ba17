"""The value filter of Wang & Cao 2016, §3.4: which texts of a page are worth having, by a naive Bayes classifier."""

from newsextract.value_filter.model import ValueFilter

__all__ = ["ValueFilter"]
