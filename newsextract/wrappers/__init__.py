"""`oem`: declarative wrappers. A few lines of format turn a page of known structure into nested objects.

Huang, Qi & Zhang 2000, "Extracting semi-structured information from the Web". The way of the data: :mod:`format` reads the
lines, :mod:`pattern` their parts, :mod:`context` and :mod:`matching` find them in the :mod:`document`, :mod:`levels` gives
the hierarchy of titles and items, :mod:`interpreter` makes :mod:`nodes` of them and these the objects of :mod:`model`.
"""

from newsextract.wrappers.format import Format, FormatError, load_format, parse_format
from newsextract.wrappers.interpreter import run
from newsextract.wrappers.objects import Fetch, LineFit, OEMObject, Result, Unavailable, from_json, to_json

__all__ = [
    "Fetch", "Format", "FormatError", "LineFit", "OEMObject", "Result", "Unavailable", "from_json", "load_format",
    "parse_format", "run", "to_json",
]  # fmt: skip
